"""The `errors` of a GraphQL answer in words, and what they mean by their code (S-86)."""

from __future__ import annotations

from typing import Any

from periplus.answers import Received
from periplus.answers.refusals import retry_after
from periplus.model import Code, Problem, code_of_status

_CODES = {
    "UNAUTHENTICATED": Code.UPSTREAM_UNAUTHENTICATED,
    "UNAUTHORIZED": Code.UPSTREAM_UNAUTHENTICATED,
    "FORBIDDEN": Code.FORBIDDEN,
    "ACCESS_DENIED": Code.FORBIDDEN,
    "INSUFFICIENT_SCOPES": Code.FORBIDDEN,
    "BAD_USER_INPUT": Code.INVALID_ARGS,
    "GRAPHQL_VALIDATION_FAILED": Code.UPSTREAM_ERROR,
    "GRAPHQL_PARSE_FAILED": Code.UPSTREAM_ERROR,
    "NOT_FOUND": Code.NOT_FOUND,
    "RATE_LIMITED": Code.RATE_LIMITED,
    "THROTTLED": Code.RATE_LIMITED,
    "PERSISTED_QUERY_NOT_FOUND": Code.UNSUPPORTED,
    "PERSISTED_QUERY_NOT_SUPPORTED": Code.UNSUPPORTED,
}
_OUTDATED = {"GRAPHQL_VALIDATION_FAILED"}
_ADVICE = {
    Code.UNSUPPORTED: "the server answers only questions it knows beforehand; ask its operator to admit others",
    Code.RATE_LIMITED: "wait, then make the same call, or select less at once",
}
_KEPT, _HINTS, _MESSAGE = 20, 10, 500


def no_value(errors: list[Any], received: Received, field: str) -> Problem:
    """The refusal of a call that brought errors and no value."""
    word = _word(errors[0])
    code = _code(word, received.status)
    hints = [note_of(each) for each in errors[1 : _HINTS + 1]]
    if code in {Code.UPSTREAM_UNAUTHENTICATED, Code.FORBIDDEN} and received.advice:
        hints.append(received.advice)
    if code in _ADVICE:
        hints.append(_ADVICE[code])
    details: dict[str, Any] = {"http_status": received.status, "errors": errors[:_KEPT]}
    if word:
        details["upstream_code"] = word
    if word in _OUTDATED:
        details["outdated"] = True  # the schema that was read is no longer the server's
        hints.append("the schema may have changed: sync the source")
    if (waits := retry_after(received)) is not None:
        details["retry_after"] = waits
    return Problem(
        code,
        f"{field} failed: {_message(errors[0])}",
        hints=tuple(dict.fromkeys(hints)),
        retryable=code in {Code.RATE_LIMITED, Code.TIMEOUT, Code.UNAVAILABLE},
        details=details,
    )


def note_of(error: Any) -> str:
    """One error as a note: where in the answer, and what."""
    path = error.get("path") if isinstance(error, dict) else None
    place = ".".join(str(step) for step in path[:20]) if isinstance(path, list) else ""
    return f"{place}: {_message(error)}" if place else _message(error)


def messages_in(listed: list[Any]) -> list[str]:
    """What a payload's own list of errors says, with the fields it names."""
    found: list[str] = []
    for each in listed[:_HINTS]:
        said = _message(each)
        field = each.get("field") if isinstance(each, dict) else None
        at = ".".join(map(str, field)) if isinstance(field, list) else field if isinstance(field, str) else ""
        found.append(f"{at}: {said}" if at else said)
    return found


def _message(error: Any) -> str:
    said = error.get("message") if isinstance(error, dict) else error
    return " ".join(said.split())[:_MESSAGE] if isinstance(said, str) and said.strip() else "no message"


def _word(error: Any) -> str:
    """The code a server gives an error: in its extensions, or beside the message, as GitHub does."""
    if not isinstance(error, dict):
        return ""
    extensions = error.get("extensions")
    said = extensions.get("code") if isinstance(extensions, dict) else None
    word = said if isinstance(said, str) else error.get("type")
    return word.upper().replace("-", "_")[:60] if isinstance(word, str) else ""


def _code(word: str, status: int) -> Code:
    if word in _CODES:
        return _CODES[word]
    return code_of_status(status) if status >= 400 else Code.UPSTREAM_ERROR
