"""What the SDK, the system and servers say no with, translated once."""

from __future__ import annotations

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

_NO_RESOURCE = -32002
_TEXT_MAX = 500
_CODES = {
    METHOD_NOT_FOUND: Code.UNSUPPORTED,
    INVALID_PARAMS: Code.INVALID_ARGS,
    REQUEST_TIMEOUT: Code.TIMEOUT,
    _NO_RESOURCE: Code.NOT_FOUND,
}


def is_closed(error: MCPError) -> bool:
    """Whether the SDK says that the connection is gone; servers use the same number for errors of their own."""
    return error.code == CONNECTION_CLOSED and error.message == "Connection closed"


def of_error(error: MCPError, method: str) -> Problem:
    """A JSON-RPC error a server answered with."""
    code = _CODES.get(error.code, Code.UPSTREAM_ERROR)
    text = error.message[:_TEXT_MAX] or "no reason given"
    return Problem(code, f"{method}: {text} ({error.code})", retryable=code in {Code.TIMEOUT, Code.UNAVAILABLE})


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
