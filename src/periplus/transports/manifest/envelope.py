"""`{success, result, error, code, run_id, ...}` as a value or a refusal, in either case style (M-2, M-18, M-59)."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from periplus.answers import Asked, Received, answer_of
from periplus.model import Answer, Code, Problem, Tool

_CODES = {
    "invalid_request": Code.INVALID_ARGS,
    "invalid_args": Code.INVALID_ARGS,
    "unauthenticated": Code.UPSTREAM_UNAUTHENTICATED,
    "not_authorized": Code.FORBIDDEN,
    "not_enabled": Code.FORBIDDEN,
    "approval_required": Code.FORBIDDEN,
    "unknown_tool": Code.NOT_FOUND,
    "not_found": Code.NOT_FOUND,
    "conflict": Code.CONFLICT,
    "schema_changed": Code.SCHEMA_CHANGED,
    "idempotency_conflict": Code.IDEMPOTENCY_CONFLICT,
    "too_large": Code.TOO_LARGE,
    "rate_limited": Code.RATE_LIMITED,
    "unavailable": Code.UNAVAILABLE,
    "timeout": Code.TIMEOUT,
}
_BY_STATUS = {
    400: Code.INVALID_ARGS, 401: Code.UPSTREAM_UNAUTHENTICATED, 403: Code.FORBIDDEN, 404: Code.NOT_FOUND,
    409: Code.CONFLICT, 413: Code.TOO_LARGE, 422: Code.INVALID_ARGS, 429: Code.RATE_LIMITED,
    503: Code.UNAVAILABLE, 504: Code.TIMEOUT,
}  # fmt: skip
_AGAIN = {Code.RATE_LIMITED, Code.UNAVAILABLE, Code.TIMEOUT}
_OUTDATED = {"unknown_tool", "schema_changed"}
_WORD = re.compile(r"_([a-z])")
_MESSAGE, _BODY, _HINTS = 500, 2000, 20


def is_envelope(value: Any) -> bool:
    """Whether a body is the protocol's; one dialect leaves out `success` where it is false."""
    if not isinstance(value, dict):
        return False
    silent = "success" not in value and _said(value.get("error")) and member(value, "execution_time_ms") is not None
    return isinstance(value.get("success"), bool) or bool(silent)


def opened(envelope: dict[str, Any], received: Received, tool: Tool) -> Answer:
    """What is in it. Raises the service's refusal in its own words."""
    if not envelope.get("success"):
        raise _failure(envelope, received, tool)
    # The envelope, not the status, says that it went well: a reference service answers 500 to a success too.
    plain = msgspec.structs.replace(received, body=b"", status=received.status if received.status < 300 else 200)
    answer = answer_of(plain, Asked(method="POST", url=received.url))
    meta = answer.meta | {"http_status": received.status, "bytes": len(received.body)}
    run = _run(envelope, received, tool)
    return msgspec.structs.replace(answer, value=_result(envelope, tool), meta=meta | ({"run": run} if run else {}))


def _result(envelope: dict[str, Any], tool: Tool) -> Any:
    """The result itself: what is no object comes wrapped as `{"value": x}`."""
    result = envelope.get("result")
    if isinstance(result, dict) and result.keys() == {"value"} and not _has_value(tool):
        return result["value"]
    return result


def _has_value(tool: Tool) -> bool:
    """Whether `value` is a member of what the tool itself gives."""
    schema = tool.result_schema or {}
    return "value" in schema.get("properties", {}) or "$ref" in schema


def _run(envelope: dict[str, Any], received: Received, tool: Tool) -> dict[str, Any]:
    """A run that goes on: its id, and the call that tells how far it is, as the manifest declares it (M-29)."""
    behaviour = tool.metadata.get("async_behavior") or {}
    polling = behaviour.get("status_polling") or {}
    field = polling.get("operation_id_field")
    id_ = _at(envelope.get("result"), field) if isinstance(field, str) and field else None
    if not isinstance(id_, str | int):
        id_ = member(envelope, "run_id")
    said = member(envelope, "is_async") is True or received.status == 202
    if not isinstance(id_, str | int) or isinstance(id_, bool) or not (said or tool.metadata.get("long_running")):
        return {}
    run: dict[str, Any] = {"id": id_}
    if isinstance(status := envelope.get("status"), str):
        run["status"] = status
    if polling:
        run |= {"tool": polling["status_tool"], "arguments": {polling["status_tool_id_param"]: id_}}
    return run


def _failure(envelope: dict[str, Any], received: Received, tool: Tool) -> Problem:
    word = envelope.get("code")
    code = _CODES.get(word) if isinstance(word, str) else None
    code = code or _BY_STATUS.get(received.status, Code.UPSTREAM_ERROR)
    details: dict[str, Any] = {
        "http_status": received.status,
        "body": received.redact(received.body.decode("utf-8", "replace"))[:_BODY],
    }
    if (waits := received.header("retry-after")).isdecimal():
        details["retry_after"] = float(waits)
    if word in _OUTDATED:
        details["outdated"] = True  # the manifest that was read is no longer the service's
    said = _said(envelope.get("error")) or _said(envelope.get("message")) or str(word or "no message")
    name = tool.binding.get("name", tool.key)
    return Problem(
        code,
        f"{name} failed: {said}",
        hints=_hints(envelope),
        retryable=envelope.get("retryable") is True or code in _AGAIN,
        details=details,
    )


def _said(value: Any) -> str:
    if isinstance(value, dict):
        value = value.get("message")
    return " ".join(value.split())[:_MESSAGE] if isinstance(value, str) else ""


def _hints(envelope: dict[str, Any]) -> tuple[str, ...]:
    written = envelope.get("hints")
    hints = [_hint(each) for each in (written if isinstance(written, list) else [])[:_HINTS]]
    result = envelope.get("result")
    approval = member(envelope, "approval_id") or member(result if isinstance(result, dict) else {}, "approval_id")
    if isinstance(approval, str):
        hints.append(f"the service wants an approval of its own: {approval[:80]}")
    return tuple(hint for hint in hints if hint)


def _hint(hint: Any) -> str:
    """A sentence, or `{pointer, message, expected}` as one."""
    if not isinstance(hint, dict):
        return str(hint)[:_MESSAGE] if isinstance(hint, str | int | float) else ""
    told = [str(hint[name]) for name in ("message", "expected") if isinstance(hint.get(name), str | int | float)]
    return f"{hint.get('pointer', '')}: {', '.join(told)}".strip(": ")[:_MESSAGE]


def member(owner: dict[str, Any], name: str) -> Any:
    """The member of that name in either case style."""
    value = owner.get(name)
    return owner.get(_WORD.sub(lambda found: found[1].upper(), name)) if value is None else value


def _at(value: Any, path: str) -> Any:
    """What lies at a path of names with dots between."""
    for name in path.split("."):
        value = member(value, name) if isinstance(value, dict) else None
    return value
