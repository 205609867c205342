"""The whole application, as `periplus serve` opens it, with a face that is nothing but the verbs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx2

from periplus.core.gateway import Gateway
from periplus.model import ApprovalState, Code, Problem
from periplus.ports import Operation, Reply, Request
from periplus.settings import Settings

Asked = Callable[..., httpx2.Response]

_ANY = {"type": "object"}


class Verbs:
    """Each verb as an operation, its arguments as they are."""

    name = "verbs"
    server_name = "verbs"
    server_version = "1"
    instructions = "The verbs."
    rpc_prefix = "verbs."
    routes = ()
    resources = ()

    def __init__(self, gateway: Gateway, settings: Settings) -> None:
        self._gateway = gateway
        verbs = ("search", "browse", "describe", "call", "result", "approvals", "grant", "session", "remember")
        self.operations = tuple(
            Operation(name=verb, title=verb, description=verb, input=_ANY, handler=getattr(self, verb))
            for verb in verbs
        )

    async def search(self, request: Request, given: dict[str, Any]) -> Reply:
        found = await self._gateway.search(**given, principal=request.principal)
        return _said({"refs": [str(hit.ref) for hit in found.hits], "cursor": found.next_cursor})

    async def browse(self, request: Request, given: dict[str, Any]) -> Reply:
        listing = await self._gateway.browse(**given, principal=request.principal, deep=True)
        return _said({"refs": [str(line.ref) for line in listing.tools], "cursor": listing.next_cursor})

    async def describe(self, request: Request, given: dict[str, Any]) -> Reply:
        return _said({"ref": str((await self._gateway.describe(**given, principal=request.principal)).ref)})

    async def call(self, request: Request, given: dict[str, Any]) -> Reply:
        given.setdefault("approval", request.approval)
        called = await self._gateway.call(**given, principal=request.principal, progress=request.progress)
        return _said({"value": called.value, "handle": called.handle})

    async def result(self, request: Request, given: dict[str, Any]) -> Reply:
        return _said({"value": (await self._gateway.result(**given, principal=request.principal)).value})

    async def approvals(self, request: Request, given: dict[str, Any]) -> Reply:
        found = await self._gateway.approvals(principal=request.principal, state=ApprovalState.PENDING)
        return _said({"ids": [one.id for one in found]})

    async def grant(self, request: Request, given: dict[str, Any]) -> Reply:
        return _said({"state": (await self._gateway.grant(**given, principal=request.principal)).state.value})

    async def session(self, request: Request, given: dict[str, Any]) -> Reply:
        return _said({"slots": (await self._gateway.session(**given, principal=request.principal)).slots})

    async def remember(self, request: Request, given: dict[str, Any]) -> Reply:
        await self._gateway.change(given["name"], "verbs", lambda _: given["value"], principal=request.principal)
        return _said({})

    async def other(self, name: str, arguments: dict[str, Any], request: Request) -> Reply | None:
        return None

    def refused(self, problem: Problem, request: Request) -> Reply:
        error = {"error": problem.to_json()}
        return Reply(body=error, text=problem.message, structured=error, problem=problem)


ADAPTER = Verbs


def _said(body: dict[str, Any]) -> Reply:
    return Reply(body=body, text=str(body), structured=body)


def register(directory: Path) -> None:
    """Make the face known as a package would: by an entry point."""
    package = directory / "periplus_verbs-1.dist-info"
    package.mkdir()
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: periplus-verbs\nVersion: 1\n")
    (package / "entry_points.txt").write_text("[periplus.faces]\nverbs = whole:ADAPTER\n")


def code_of(answer: httpx2.Response) -> Code:
    """The code of a problem, whichever shape it has."""
    said = answer.json()
    return Code(said.get("error", said)["code"])
