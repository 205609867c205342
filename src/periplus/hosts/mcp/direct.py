"""What an operator pins beside a face, listed and asked for over MCP; everything goes through `Gateway.call` (T-6)."""

from __future__ import annotations

from typing import Any, TypeVar

import mcp_types as types
import msgspec
from mcp.shared.exceptions import MCPError
from pydantic import TypeAdapter, ValidationError

from periplus.core.facing import conversation
from periplus.core.gateway import Gateway
from periplus.hosts.desk import Desk
from periplus.hosts.mcp.asking import Answered
from periplus.hosts.mcp.dialogues import Context, Dialogues, Params
from periplus.hosts.mcp.shelf import Shelf, is_object, shelf_of
from periplus.model import Code, Principal, Problem, Tool
from periplus.ports import Dialogue, Request, within

_RESULT: TypeAdapter[types.CallToolResult] = TypeAdapter(types.CallToolResult)
_CONTENTS: TypeAdapter[types.ReadResourceResult] = TypeAdapter(types.ReadResourceResult)
_PROMPT: TypeAdapter[types.GetPromptResult] = TypeAdapter(types.GetPromptResult)
_T = TypeVar("_T")
_encode = msgspec.json.Encoder(enc_hook=str).encode


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """A request for something pinned, as the client made it."""

    tool: Tool
    arguments: dict[str, Any]
    params: Params
    dialogue: Dialogue


class Pinned:
    """The pinned tools of a gateway, beside the operations of a face."""

    def __init__(self, gateway: Gateway, desk: Desk) -> None:
        self._gateway = gateway
        self._dialogues = Dialogues(gateway.seal)
        self._desk = desk
        self._schemas: dict[str, dict[str, Any]] = {}

    async def shelf(self, principal: Principal) -> Shelf:
        """What this principal is shown."""
        shelf = shelf_of(
            await self._gateway.direct(principal=principal), {one.name for one in self._desk.face.operations}
        )
        self._schemas = {name: tool.args_schema for name, tool in shelf.tools.items()}
        return shelf

    def schema(self, name: str) -> dict[str, Any] | None:
        """What a tool that was listed or called takes; the SDK holds repeated headers against it."""
        return self._schemas.get(name)

    def asked(self, context: Context, params: Params, tool: Tool, arguments: dict[str, Any], who: Principal) -> Asked:
        """The request with what its client can be asked, and has answered."""
        dialogue = self._dialogues.begin(context, params, who)
        return Asked(tool=tool, arguments=arguments, params=params, dialogue=dialogue)

    async def call(self, asked: Asked, request: Request) -> Answered:
        """The tool's result: that of an MCP server as it came, any other as text and, where it is one, as an object."""
        tool = asked.tool
        try:
            value = await self._value(asked, request)
        except Problem as problem:
            if (error := _error_of(problem)) is not None:
                raise error from problem
            return _refusal(problem), problem
        if tool.binding.get("method") == "tools/call":
            question = self._dialogues.question(value, asked.params, request.principal)
            return question or _read(_RESULT, value, tool), None
        text = value if isinstance(value, str) else _encode(value).decode()
        structured = value if isinstance(value, dict) and is_object(tool.result_schema) else None
        return types.CallToolResult(content=[types.TextContent(text=text)], structured_content=structured), None

    async def read(self, asked: Asked, request: Request) -> types.ReadResourceResult | types.InputRequiredResult:
        """A resource as its server gives it."""
        return await self._given(asked, request, _CONTENTS)

    async def prompt(self, asked: Asked, request: Request) -> types.GetPromptResult | types.InputRequiredResult:
        """A prompt as its server gives it."""
        return await self._given(asked, request, _PROMPT)

    async def complete(self, tool: Tool, params: types.CompleteRequestParams, request: Request) -> types.CompleteResult:
        """What may stand in an argument, as its server says."""
        others = params.context.arguments if params.context else None
        try:
            with within(request.origin):
                found = await self._gateway.complete(
                    str(tool.ref),
                    params.argument.name,
                    params.argument.value,
                    principal=request.principal,
                    others=others,
                )
        except Problem as problem:
            raise _error_of(problem) or MCPError(problem.code.status.rpc, problem.message) from problem
        completion = types.Completion(values=list(found.values), total=found.total, has_more=found.has_more)
        return types.CompleteResult(completion=completion)

    async def _given(self, asked: Asked, request: Request, as_: TypeAdapter[_T]) -> _T | types.InputRequiredResult:
        try:
            value = await self._value(asked, request)
        except Problem as problem:
            error = _error_of(problem) or MCPError(problem.code.status.rpc, problem.message, problem.to_json())
            raise error from problem
        return self._dialogues.question(value, asked.params, request.principal) or _read(as_, value, asked.tool)

    async def _value(self, asked: Asked, request: Request) -> Any:
        with within(request.origin):
            result = await self._gateway.call(
                str(asked.tool.ref),
                asked.arguments,
                principal=request.principal,
                session=conversation("", request),
                approval=request.approval,
                presented=request.presented,
                progress=request.progress,
                listener=request.listener,
                dialogue=asked.dialogue,
            )
        return result.value


def _read(as_: TypeAdapter[_T], value: Any, tool: Tool) -> _T:
    try:
        return as_.validate_python(value)
    except ValidationError as error:
        problem = Problem(Code.UPSTREAM_ERROR, f"{tool.ref} gave something else than MCP says")
        raise MCPError(problem.code.status.rpc, problem.message) from error


def _error_of(problem: Problem) -> MCPError | None:
    """The JSON-RPC error that an upstream answered with, for a client that would have got it there."""
    code = problem.details.get("rpc_code")
    if not isinstance(code, int):
        return None
    try:
        data = msgspec.json.decode(str(problem.details.get("body", "null")))
    except msgspec.DecodeError:
        data = None
    return MCPError(code, problem.message, data)


def _refusal(problem: Problem) -> types.CallToolResult:
    """A refusal in words, as a model reads it; the problem itself for programs."""
    text = "\n".join((problem.message, *(f"- {hint}" for hint in problem.hints)))
    return types.CallToolResult(
        content=[types.TextContent(text=text)], is_error=True, _meta={"periplus/problem": problem.to_json()}
    )
