"""What a native site says of a call: a result, a part of one, or an error object (H-74, H-78)."""

from __future__ import annotations

from typing import Any

import msgspec

from periplus.answers import Received, json_value
from periplus.model import Answer, Code, Problem, Tool

_CODES = {
    "BAD_REQUEST": Code.INVALID_ARGS,
    "NOT_FOUND": Code.NOT_FOUND,
    "VALIDATION_FAILED": Code.INVALID_ARGS,
    "PLACEHOLDER_REJECTED": Code.PLACEHOLDER,
    "PIPING_FAILED": Code.INVALID_ARGS,
    "ACCESS_DENIED": Code.FORBIDDEN,
    "APPROVAL_REQUIRED": Code.FORBIDDEN,
    "AUTHENTICATION_FAILED": Code.UPSTREAM_UNAUTHENTICATED,
    "RATE_LIMIT_EXCEEDED": Code.RATE_LIMITED,
    "TIMEOUT": Code.TIMEOUT,
    "CONNECTION_FAILED": Code.UNAVAILABLE,
    "TOO_LARGE": Code.TOO_LARGE,
    "CONFLICT": Code.CONFLICT,
}
_SHAPED = {"_HYGIENE_NOTICE", "_NOTES", "_INFO"}
_MESSAGE, _BODY = 500, 2000


def outcome(answer: Answer, received: Received, tool: Tool) -> Answer:
    """The value, out of the wrapping that a site puts around a result with remarks; an error object is raised."""
    value = answer.value
    if not isinstance(value, dict):
        return answer
    if value.get("status") == "error":
        raise _failure(value, received, tool)
    if value.get("status") != "success" or "data" not in value or not value.keys() & _SHAPED:
        return answer
    notes = [value.get("_HYGIENE_NOTICE"), value.get("_INFO"), *_listed(value.get("_NOTES"))]
    return msgspec.structs.replace(
        answer,
        value=value["data"],
        notes=(*answer.notes, *(note for note in notes if isinstance(note, str))),
        truncated="_HYGIENE_NOTICE" in value,
    )


def with_remedy(problem: Problem, received: Received, tool: Tool) -> Problem:
    """A refusal by status, with the remedy its body may hold."""
    try:
        value, _ = json_value(received.redact(received.body.decode("utf-8", "replace")))
    except ValueError:
        value = {}
    hints = _hints(value if isinstance(value, dict) else {}, tool)
    return Problem(
        problem.code,
        problem.message,
        hints=tuple(dict.fromkeys((*hints, *problem.hints))),
        retryable=problem.retryable,
        details=problem.details,
    )


def _failure(value: dict[str, Any], received: Received, tool: Tool) -> Problem:
    """A site's refusal in its own words, with its remedy first."""
    message = value.get("message")
    said = " ".join(message.split())[:_MESSAGE] if isinstance(message, str) else "no message"
    details: dict[str, Any] = {
        "http_status": received.status,
        "body": received.redact(received.body.decode("utf-8", "replace"))[:_BODY],
    }
    if isinstance(waits := value.get("retry_after_seconds"), int | float) and not isinstance(waits, bool):
        details["retry_after"] = waits
    code = _code(value, said, tool)
    if code is Code.NOT_FOUND and _denies(said, tool):
        details["outdated"] = True  # it is gone from a site that was read when it was there (H-79)
    again = code in {Code.RATE_LIMITED, Code.TIMEOUT, Code.UNAVAILABLE}
    return Problem(code, f"the site answered: {said}", hints=_hints(value, tool), retryable=again, details=details)


def _code(value: dict[str, Any], said: str, tool: Tool) -> Code:
    """By the site's own code; older ones have none and tell it by what they add."""
    known = _CODES.get(str(value.get("_PROTOCOL_ERROR")))
    if known is not None:
        return known
    if _denies(said, tool):
        return Code.NOT_FOUND
    return Code.INVALID_ARGS if value.keys() & {"expected_schema", "valid_options"} else Code.UPSTREAM_ERROR


def _denies(said: str, tool: Tool) -> bool:
    """Whether the site says that it has no such action."""
    action = str(tool.binding.get("action", tool.key))
    return f"'{action}'" in said and ("not found" in said or "no action" in said)


def _hints(value: dict[str, Any], tool: Tool) -> tuple[str, ...]:
    remedy = value.get("remedy") or tool.metadata.get("remedy")
    hints = [remedy.strip()[:_MESSAGE]] if isinstance(remedy, str) and remedy.strip() else []
    options = [str(each)[:80] for each in _listed(value.get("valid_options"))[:20]]
    if options:
        hints.append(f"allowed: {', '.join(options)}")
    if approval := value.get("approval_id"):
        hints.append(f"the site wants an approval of its own: {str(approval)[:80]}")
    return tuple(hints)


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
