"""What a function did, as an answer; what it raised, as a refusal its caller can read (S-103)."""

from __future__ import annotations

import logging
from typing import Any

import msgspec

from periplus.documents import canonical, enclosures
from periplus.model import Answer, Code, Problem
from periplus.provider import CallContext, ToolError
from periplus.provider.foreign import Fault
from periplus.provider.giving import Given
from periplus.provider.work import Called, NotTakenError, Work

_LOG = logging.getLogger("periplus.python")
_CODES = {code.value: code for code in Code}
_AGAIN = {Code.RATE_LIMITED, Code.TIMEOUT, Code.UNAVAILABLE}
_MESSAGE = 500


def called(work: Work, arguments: dict[str, Any], context: CallContext) -> Called:
    """The call with its arguments as Python values."""
    try:
        return work.called(arguments, context, lambda value, name: enclosures.read(value, name).content)
    except NotTakenError as error:
        message = f"{error.pointer}: {error.message}"[:_MESSAGE]
        raise Problem(Code.INVALID_ARGS, message, where=error.pointer) from error


def refusal(name: str, fault: Fault) -> Problem:
    """What a function raised. Its own words where it has some for its caller; the traceback is for the log alone."""
    error = fault.error
    if isinstance(error, Problem):
        return error
    if isinstance(error, ToolError):
        code = _CODES.get(str(error.code).lower(), Code.UPSTREAM_ERROR)
        details: dict[str, Any] = {} if str(error.code).lower() in _CODES else {"upstream_code": str(error.code)[:60]}
        if error.status is not None:
            details["http_status"] = error.status
        message = " ".join(str(error.message).split())[:_MESSAGE]
        return Problem(code, f"{name} failed: {message}", retryable=code in _AGAIN, details=details)
    _LOG.error("%s failed", name, exc_info=error)
    return Problem(
        Code.UPSTREAM_ERROR,
        f"{name} failed: {fault}"[:_MESSAGE],
        hints=("the log of the gateway has the traceback",),
        details={"exception": type(error).__name__},
    )


def answer_of(given: Given, response_bytes: int) -> Answer:
    """A function's result, if it is not too large."""
    size = _size(given.value) + sum(map(len, given.files.values()))
    if size > response_bytes:
        raise Problem(
            Code.TOO_LARGE,
            f"the result has {size:,} bytes; the limit is {response_bytes:,}, [limits] response_bytes",
            hints=("ask for less: a page, a filter", "raise [limits] response_bytes if it is meant"),
        )
    return Answer(
        value=given.value, meta={"bytes": size}, notes=given.notes, files=given.files, truncated=given.truncated
    )


def _size(value: Any) -> int:
    try:
        return len(msgspec.json.encode(value))
    except OverflowError:  # an integer beyond 64 bits
        return len(canonical(value))
