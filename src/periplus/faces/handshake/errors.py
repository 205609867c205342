"""Refusals as this protocol has them: one object with its own codes, made from the core's problems."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from periplus.faces.handshake.calls import call_text
from periplus.model import Code, Problem

_MEMBERS = (
    "example", "suggested_fix", "expected_schema", "valid_options", "http_code", "retry_after_seconds",
    "remote_response", "raw_errors", "approval_id", "step",
)  # fmt: skip
_REMOTE_MAX = 2000
_BAD, _MISSING, _DENIED, _FAULT = "BAD_REQUEST", "NOT_FOUND", "ACCESS_DENIED", "INTERNAL_ERROR"
_AUTH, _LARGE = "AUTHENTICATION_FAILED", "TOO_LARGE"

PROTOCOL: Mapping[Code, str] = {
    Code.HANDSHAKE_REQUIRED: "PROTOCOL_VIOLATION",
    Code.NOT_CONNECTED: "DISCONNECTED",
    Code.DIRECT_CALL: "PROHIBITED_CALL",
    Code.BAD_INPUT: _BAD,
    Code.INVALID_CURSOR: _BAD,
    Code.INVALID_TOKEN: _BAD,
    Code.BAD_SETTING: _BAD,
    Code.UNSUPPORTED: _BAD,
    Code.TOOL_NOT_FOUND: _MISSING,
    Code.SOURCE_NOT_FOUND: _MISSING,
    Code.NOT_FOUND: _MISSING,
    Code.UNKNOWN_LANDMARK: "INVALID_LANDMARK",
    Code.UNKNOWN_PATH: "INVALID_LANDMARK",
    Code.AMBIGUOUS_NAME: "AMBIGUOUS_NAME",
    Code.NOT_CALLABLE: "STRUCTURAL_ERROR",
    Code.INVALID_ARGS: "VALIDATION_FAILED",
    Code.PLACEHOLDER: "PLACEHOLDER_REJECTED",
    Code.REFERENCE_UNRESOLVED: "PIPING_FAILED",
    Code.FORBIDDEN: _DENIED,
    Code.REFUSED_ADDRESS: _DENIED,
    Code.NOT_ENABLED: _DENIED,
    Code.APPROVAL_REQUIRED: "APPROVAL_REQUIRED",
    Code.UNAUTHENTICATED: _AUTH,
    Code.UPSTREAM_UNAUTHENTICATED: _AUTH,
    Code.CREDENTIALS_MISSING: _AUTH,
    Code.RATE_LIMITED: "RATE_LIMIT_EXCEEDED",
    Code.TIMEOUT: "TIMEOUT",
    Code.CANCELLED: "TIMEOUT",
    Code.UNAVAILABLE: "CONNECTION_FAILED",
    Code.UPSTREAM_ERROR: "EXECUTION_FAILED",
    Code.PARSE_ERROR: "REMOTE_ERROR",
    Code.TOO_LARGE: _LARGE,
    Code.OVER_LIMIT: _LARGE,
    Code.CONFLICT: "CONFLICT",
    Code.SCHEMA_CHANGED: "CONFLICT",
    Code.HELD: "CONFLICT",
    Code.IDEMPOTENCY_CONFLICT: "CONFLICT",
    Code.STORE_ERROR: _FAULT,
    Code.INTERNAL: _FAULT,
}

_REMEDIES: Mapping[Code, str] = {
    Code.BAD_INPUT: "Correct the arguments and call again.",
    Code.TOOL_NOT_FOUND: "Use one of the ids below or search_landmarks.",
    Code.AMBIGUOUS_NAME: "Use one of the ids below as it is written.",
    Code.FORBIDDEN: "Do not try again: an operator would have to allow it.",
    Code.REFUSED_ADDRESS: "An operator can allow this address in [fetch] allow.",
    Code.APPROVAL_REQUIRED: "Ask a person to approve it, then send the same call with approval_id.",
    Code.RATE_LIMITED: "Wait, then send the same call again.",
    Code.TIMEOUT: "Try again later, or ask for less at once.",
    Code.UNAVAILABLE: "Check the address, or try again later.",
    Code.INTERNAL: "This is a fault of the gateway; try something else and report the trace id.",
}
_CORE_OPS: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "describe": ("inspect_landmark", {"tool": "landmark_id"}),
    "search": ("search_landmarks", {"goal": "query"}),
    "browse": ("get_landmarks", {"path": "landmark_id"}),
}


def refusal(
    code: Code,
    message: str,
    remedy: str,
    *,
    error: str = "",
    then: tuple[str, Mapping[str, Any]] | None = None,
    retryable: bool = False,
    **members: Any,
) -> Problem:
    """A refusal of this face's own; `error` is its code where the table's is too coarse, `then` the call to make."""
    return Problem(
        code,
        message,
        hints=(remedy,),
        next_action={"op": then[0], "args": dict(then[1])} if then else None,
        retryable=retryable,
        details={"protocol": members | ({"error": error} if error else {})},
    )


def violation() -> Problem:
    """The published answer to whoever acts before reading the manifest (H-10)."""
    return refusal(
        Code.HANDSHAKE_REQUIRED,
        "Protocol violation: You MUST call 'get_manifest' before executing any actions.",
        "Call 'get_manifest' immediately to authorize the session.",
        then=("get_manifest", {}),
    )


def error_object(problem: Problem) -> dict[str, Any]:
    """The object of section 6: what its reader needs, in a fixed order, and nothing that is empty."""
    own: Mapping[str, Any] = problem.details.get("protocol", {})
    said = _of_upstream(problem) | dict(own)
    made: dict[str, Any] = {
        "status": "error",
        "_PROTOCOL_ERROR": own.get("error") or protocol_code(problem),
        "message": problem.message,
        "remedy": _remedy(problem),
    }
    return made | {name: said[name] for name in _MEMBERS if said.get(name) not in (None, "", [], ())}


def structured_error(problem: Problem, trace: str) -> dict[str, Any]:
    """The same with what programs want beside it (H-38)."""
    return error_object(problem) | {
        "code": problem.code.value,
        "hints": list(problem.hints),
        "next_action": next_action(problem),
        "retryable": problem.retryable,
        "trace_id": trace,
    }


def protocol_code(problem: Problem) -> str:
    """This protocol's word for a problem; an upstream's status makes some of them finer."""
    status = problem.details.get("http_status")
    if isinstance(status, int):
        if problem.code is Code.INVALID_ARGS and status == 400:
            return _BAD
        if problem.code is Code.UPSTREAM_ERROR:
            return "SERVER_ERROR" if status >= 500 else "REMOTE_ERROR"
    return PROTOCOL[problem.code]


def next_action(problem: Problem) -> dict[str, Any] | None:
    """The next call as one of the nine, where the core named a verb of its own."""
    action = problem.next_action
    if action is None or action["op"] not in _CORE_OPS:
        return action
    tool, names = _CORE_OPS[action["op"]]
    return {"op": tool, "args": {names.get(name, name): value for name, value in action["args"].items()}}


def _remedy(problem: Problem) -> str:
    if problem.hints and problem.code not in (Code.TOOL_NOT_FOUND, Code.AMBIGUOUS_NAME):
        return problem.hints[0]
    if problem.hints and "protocol" in problem.details:
        return problem.hints[0]
    if known := _REMEDIES.get(problem.code):
        return known
    action = next_action(problem)
    return f"Call {call_text(action['op'], action['args'])}." if action else "Change the call before you try again."


def _of_upstream(problem: Problem) -> dict[str, Any]:
    """What details say of an upstream's refusal, under this protocol's names."""
    details = problem.details
    body = details.get("body")
    options = list(problem.hints) if problem.code in (Code.TOOL_NOT_FOUND, Code.AMBIGUOUS_NAME) else None
    return {
        "http_code": details.get("http_status"),
        "retry_after_seconds": details.get("retry_after"),
        "remote_response": body[:_REMOTE_MAX] if isinstance(body, str) else body,
        "approval_id": details.get("approval"),
        "step": details.get("step"),
        "valid_options": options if "protocol" not in details else None,
    }
