"""Between bytes and the SDK's messages, forgiving what a reader can forgive without guessing."""

from __future__ import annotations

import json
from typing import Any

import msgspec
from mcp.shared.message import SessionMessage
from mcp_types import (
    INVALID_REQUEST,
    ErrorData,
    JSONRPCError,
    JSONRPCMessage,
    jsonrpc_message_adapter,
)
from pydantic import ValidationError

_SHOWN = 120


def encode(message: SessionMessage) -> bytes:
    """One line of the stdio wire."""
    return message.message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n"


def decode(text: bytes) -> tuple[list[SessionMessage], list[str]]:
    """The messages in one line or event, and notes about what is none.

    Batches (revision 2025-03-26) are taken apart. An answer of the wrong shape becomes an error for its
    request, which would otherwise wait for its deadline.
    """
    try:
        value = _parse(text)
    except (ValueError, RecursionError):
        return [], [f"wrote text that is no JSON-RPC: {shown(text)}"]
    messages: list[SessionMessage] = []
    notes: list[str] = []
    for item in value if isinstance(value, list) else [value]:
        message = _message(item)
        if message is None:
            notes.append(f"wrote JSON that is no JSON-RPC: {shown(text)}")
        else:
            messages.append(SessionMessage(message))
    return messages, notes


def shown(text: bytes) -> str:
    """The beginning of a text, as it may stand in a note."""
    start = text[:_SHOWN].decode("utf-8", "replace").strip()
    return repr(start + ("…" if len(text) > _SHOWN else ""))


def _parse(text: bytes) -> Any:
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeDecodeError):
        # The standard reader also takes NaN, and bytes that are not UTF-8 cost a character, not the message.
        return json.loads(text.decode("utf-8", "replace"))


def _message(item: Any) -> JSONRPCMessage | None:
    if not isinstance(item, dict) or not ({"method", "result", "error"} & item.keys()):
        return None
    item.setdefault("jsonrpc", "2.0")
    try:
        return jsonrpc_message_adapter.validate_python(item, by_name=False)
    except ValidationError:
        request = item.get("id")
        if "method" in item or not isinstance(request, (int, str)):
            return None
        reason = shown(json.dumps(item.get("error", item.get("result")), default=str).encode())
        error = ErrorData(code=INVALID_REQUEST, message=f"the answer is no JSON-RPC result or error: {reason}")
        return JSONRPCError(jsonrpc="2.0", id=request, error=error)
