"""What the SDK, the system and servers say no with, translated once."""

from __future__ import annotations

import json
from typing import Any

import anyio
import httpx2
from mcp.shared.exceptions import MCPError
from mcp_types import (
    CONNECTION_CLOSED,
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    REQUEST_TIMEOUT,
)

from periplus.model import Code, Problem

EXPECTED = (
    Problem,
    MCPError,
    OSError,
    ValueError,  # what a server sent did not parse, somewhere in the SDK
    LookupError,
    RuntimeError,
    httpx2.HTTPError,
    anyio.BrokenResourceError,
    anyio.ClosedResourceError,
    anyio.EndOfStream,
)
"""How a session can fail through its server's or its wire's fault."""

OURS = "periplus"
"""The member of an error's data in which the way here is noted."""

_NO_RESOURCE = -32002
_TEXT_MAX, _BODY_MAX = 500, 2_000
_CODES = {
    METHOD_NOT_FOUND: Code.UNSUPPORTED,
    INVALID_PARAMS: Code.INVALID_ARGS,
    REQUEST_TIMEOUT: Code.TIMEOUT,
    _NO_RESOURCE: Code.NOT_FOUND,
}


def is_closed(error: MCPError) -> bool:
    """Whether the SDK says that the connection is gone; servers use the same number for errors of their own."""
    return error.code == CONNECTION_CLOSED and error.message == "Connection closed"


def _is_cut(error: MCPError) -> bool:
    """Whether the SDK says that one answer ended before it was whole."""
    return error.code == CONNECTION_CLOSED and error.message.startswith("SSE stream")


def of_error(error: MCPError, method: str) -> Problem:
    """A JSON-RPC error a server answered with."""
    code = Code.UNAVAILABLE if _is_cut(error) else _CODES.get(error.code, Code.UPSTREAM_ERROR)
    text = error.message[:_TEXT_MAX] or "no reason given"
    details: dict[str, Any] = {"rpc_code": error.code}
    if error.data is not None and (body := _told(error.data)):
        details["body"] = body
    again = code in {Code.TIMEOUT, Code.UNAVAILABLE}
    return Problem(code, f"{method}: {text} ({error.code})", retryable=again, details=details)


def _told(data: Any) -> str:
    """What an error says beside its message; what was added on the way is nobody's word."""
    if isinstance(data, dict):
        data = {name: value for name, value in data.items() if name != OURS}
    return json.dumps(data, ensure_ascii=False, default=str)[:_BODY_MAX] if data else ""


def of_fault(error: BaseException) -> Problem:
    """What ended a session."""
    if isinstance(error, Problem):
        return error
    if isinstance(error, MCPError):
        return of_error(error, "the server")
    if isinstance(error, (OSError, httpx2.HTTPError)):
        return Problem(Code.UNAVAILABLE, f"cannot be reached: {error}", retryable=True)
    return Problem(Code.UPSTREAM_ERROR, f"broke the protocol: {type(error).__name__}: {str(error)[:_TEXT_MAX]}")


def first_fault(group: BaseExceptionGroup[Any]) -> BaseException:
    """The one fault of a group that tells most: a `Problem` before what followed from it."""
    faults = list(_leaves(group))
    return next((fault for fault in faults if isinstance(fault, Problem)), faults[0])


def _leaves(group: BaseExceptionGroup[Any]) -> list[BaseException]:
    found: list[BaseException] = []
    for error in group.exceptions:
        found += _leaves(error) if isinstance(error, BaseExceptionGroup) else [error]
    return found
