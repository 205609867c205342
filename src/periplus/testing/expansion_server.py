"""The server that is checked: asked, and held to the form that every answer has."""

from __future__ import annotations

import uuid
from collections.abc import Awaitable, Callable
from typing import Any

Ask = Callable[[str, Any], Awaitable[tuple[int, Any]]]
"""Sends a body to an operation; gives the HTTP status and the decoded answer."""

_STATUS = {
    "NO_MATCH_IN_CATEGORY": 404,
    "UNKNOWN_PATH": 404,
    "TOOL_NOT_FOUND": 404,
    "NOT_AUTHORIZED": 403,
    "AMBIGUOUS_NAME": 409,
    "EXPAND_REQUIRED": 409,
    "SCHEMA_CHANGED": 409,
    "APPROVAL_REQUIRED": 409,
    "INVALID_ARGS": 400,
    "INVALID_REQUEST": 400,
    "INVALID_CURSOR": 400,
}
_TOOLS = 500
_QUERIES = ("list", "get", "create", "search", "user", "data", "a")


class Deviation(Exception):  # noqa: N818 - it is what was found, not a fault of the suite
    """What a server did instead of what it promises."""


def must(holds: object, what: str) -> None:
    """Deviate unless it holds."""
    if not holds:
        raise Deviation(what)


class Server:
    """One server under the suite."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask
        self._tools: list[dict[str, Any]] | None = None

    def fresh(self) -> str:
        """The name of a conversation that nobody has had."""
        return f"conformance-{uuid.uuid4().hex}"

    async def answer(self, op: str, **arguments: Any) -> dict[str, Any]:
        """The body of an answer that has to go well."""
        status, body = await self._ask(op, arguments)
        must(status == 200, f"{op} {arguments} is answered with {status}: {str(body)[:300]}")
        must(isinstance(body, dict) and "error" not in body, f"{op} {arguments} gives no object: {str(body)[:300]}")
        return dict(body)

    async def error(self, op: str, arguments: Any, *codes: str) -> dict[str, Any]:
        """The error of a request that has to fail with one of these codes."""
        status, body = await self._ask(op, arguments)
        error = body.get("error") if isinstance(body, dict) else None
        must(isinstance(error, dict), f"{op} {str(arguments)[:200]} gives no error but {status}: {str(body)[:300]}")
        assert isinstance(error, dict)  # noqa: S101 - for the type checker
        code = error.get("code")
        must(code in codes, f"{op} {str(arguments)[:200]} is refused with {code}, not {' or '.join(codes)}")
        must(status == _STATUS.get(str(code), status), f"{code} has status {status}")
        for name, kind in (("message", str), ("hints", list), ("next_action", dict), ("retryable", bool)):
            must(isinstance(error.get(name), kind), f"the error of {op} has no {name}: {str(error)[:300]}")
        return error

    async def follow(self, error: dict[str, Any]) -> None:
        """Send a next action as it stands; it has to go well."""
        action = error["next_action"]
        must(isinstance(action.get("op"), str) and isinstance(action.get("args"), dict), f"no action: {action}")
        await self.answer(action["op"], **action["args"])

    async def tools(self) -> list[dict[str, Any]]:
        """Some tools of the catalog, as pointers."""
        if self._tools is None:
            found: list[dict[str, Any]] = []
            paths: list[list[str]] = [[]]
            while paths and len(found) < _TOOLS:
                page = await self.answer("list", path=paths.pop(0), limit=50)
                found += page["tools"]
                paths += [node["path"] for node in page["nodes"]][:20]
                if len(found) >= 20:
                    break
            self._tools = found
        if not self._tools:
            raise LookupError("the catalog shows no tool within reach")
        return self._tools

    async def query(self) -> str:
        """A query that finds something."""
        names = [str(tool["summary"]) for tool in (await self.tools())[:5]]
        for query in (*names, *_QUERIES):
            if query.strip():
                _, body = await self._ask("search_tool_by_category", {"query": query})
                if isinstance(body, dict) and body.get("results"):
                    return query
        raise LookupError("no query finds anything in this catalog")
