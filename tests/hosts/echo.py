"""A small face with one of everything, for tests of the wires."""

from __future__ import annotations

from typing import Any

import msgspec

from periplus.model import Code, Problem
from periplus.ports import HttpAnswer, HttpAsk, Operation, Reply, Request, Resource, Route


class Echo:
    """Says what it was told."""

    name = "echo"
    server_name = "echo-server"
    server_version = "7"
    instructions = "Say something.\nIt comes back."
    rpc_prefix = "echo."

    def __init__(self) -> None:
        words = {"type": "object", "properties": {"words": {"type": "string"}}, "required": ["words"]}
        empty = {"type": "object", "properties": {}}
        self.operations = (
            Operation(
                name="say",
                title="Say",
                description="Says it back.",
                input=words,
                handler=self.say,
                output={"type": "object", "properties": {"said": {"type": "string"}}, "required": ["said"]},
                reads=True,
            ),
            Operation(name="count", title="Count", description="Counts aloud.", input=empty, handler=self.count),
            Operation(name="break", title="Break", description="Breaks.", input=empty, handler=self.fall),
            Operation(name="who", title="Who", description="Who asks.", input=empty, handler=self.who),
        )
        self.routes = (Route(methods=("GET",), path="/echo/{word}", handler=self.page, summary="A word"),)
        self.resources = (
            Resource(uri="echo://help", name="help", description="Help", media_type="text/plain", read=self.help),
        )

    async def say(self, request: Request, arguments: dict[str, Any]) -> Reply:
        words = arguments.get("words")
        if not isinstance(words, str):
            raise Problem(Code.BAD_INPUT, f"words is {words!r}, not a text", hints=('send {"words": "..."}',))
        body = {"said": words}
        return Reply(body=body, text=words, structured=body, meta={"heard": True})

    async def count(self, request: Request, arguments: dict[str, Any]) -> Reply:
        for number in (1, 2, 3):
            await request.progress(number, 3, f"at {number}")
        return Reply(body={"counted": 3}, text="3", structured={"counted": 3})

    async def fall(self, request: Request, arguments: dict[str, Any]) -> Reply:
        raise RuntimeError("a secret that nobody may read")

    async def who(self, request: Request, arguments: dict[str, Any]) -> Reply:
        body = {
            "principal": request.principal.id,
            "wire": request.wire.value,
            "connection": request.connection,
            "anonymous": request.anonymous,
            "trace": request.trace,
        }
        return Reply(body=body, text=request.principal.id, structured=body)

    async def page(self, ask: HttpAsk) -> HttpAnswer:
        if ask.params["word"] == "no":
            raise Problem(Code.FORBIDDEN, "not this word")
        return HttpAnswer(body=msgspec.json.encode(ask.params))

    async def help(self) -> str:
        return "Say something."

    async def other(self, name: str, arguments: dict[str, Any], request: Request) -> Reply | None:
        if name == "hush":
            raise Problem(Code.DIRECT_CALL, "not like this")
        return None

    def refused(self, problem: Problem, request: Request) -> Reply:
        body = {"error": problem.to_json()}
        return Reply(body=body, text=problem.message, structured=body, problem=problem)
