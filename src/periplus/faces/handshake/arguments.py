"""Arguments as models send them become those the tools declare: other spellings, JSON in texts (H-20, H-21)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from periplus.core.facing import Operands
from periplus.faces.handshake.calls import json_text
from periplus.faces.handshake.errors import refusal
from periplus.model import Code

_IGNORED = frozenset({"toolAction", "toolSummary", "waitForPreviousTools"})  # what some hosts add to every call
_OTHER = {"session_id": "session", "landmark": "landmark_id", "steps": "actions"}
_OBJECTS = ("parameters", "retry")
_FLAGS = ("get_manifest", "full", "refresh", "all")
_TRUE, _FALSE = ("true", "1", "yes"), ("false", "0", "no", "")
LIMITS: Mapping[str, int] = {
    "get_manifest": 500,
    "get_landmarks": 500,
    "inspect_landmark": 50,
    "search_landmarks": 50,
    "call_action": 10_000,
    "list_aliases": 10_000,
}


class Given(msgspec.Struct, frozen=True, kw_only=True):
    """What was asked for, and in which session."""

    arguments: dict[str, Any]
    session: str = ""
    notes: tuple[str, ...] = ()


def given(operation: str, arguments: Mapping[str, Any], operands: Operands) -> Given:
    """The arguments of one call, checked against what its tool declares."""
    read = {_OTHER.get(name, name): value for name, value in arguments.items() if name not in _IGNORED}
    session = read.pop("session", None)
    if session is not None and not isinstance(session, str):
        raise refusal(Code.BAD_INPUT, "session is not a text", "Pass the session as it was printed.")
    notes: list[str] = []
    for name in ("_limit", "_offset"):
        if read.get(name) is not None:
            read[name] = number(name, read[name], LIMITS.get(operation, 10_000), notes)
    for name in _FLAGS:
        if isinstance(text := read.get(name), str):
            read[name] = _flag(name, text)
    _decode(read)
    checked = operands.checked(operation, read)
    return Given(arguments=checked, session="" if session in (None, "default") else session, notes=tuple(notes))


def number(name: str, value: Any, most: int, notes: list[str]) -> int:
    """A limit or an offset, also as a text; one above the most counts as the most."""
    least = 0 if name == "_offset" else 1
    number = value
    if isinstance(value, str) and value.strip().lstrip("-").isdigit():
        number = int(value)
    if isinstance(number, float) and number.is_integer():
        number = int(number)
    if isinstance(number, bool) or not isinstance(number, int) or number < least:
        span = "from 0" if name == "_offset" else f"1 to {most}"
        raise refusal(Code.BAD_INPUT, f"{name} is {json_text(value)[:40]}", f"{name} is a whole number {span}.")
    if name == "_limit" and number > most:
        notes.append(f"_limit {number} counts as {most}, the most there is")
        return most
    return number


def _flag(name: str, text: str) -> bool:
    if text.strip().lower() in _TRUE:
        return True
    if text.strip().lower() in _FALSE:
        return False
    raise refusal(Code.BAD_INPUT, f"{name} is {text[:40]!r}", f"{name} is true or false.")


def _decode(read: dict[str, Any]) -> None:
    """Objects and arrays that came as text, once."""
    for name in _OBJECTS:
        if isinstance(text := read.get(name), str):
            read[name] = _json(name, text) if text.strip() else {}
    if isinstance(text := read.get("actions"), str):
        read["actions"] = _json("actions", text)
    text = read.get("landmark_id")
    if isinstance(text, str) and text.lstrip().startswith("["):
        read["landmark_id"] = _json("landmark_id", text)
    for name in ("_select", "_filter"):
        if isinstance(text := read.get(name), str) and text.lstrip()[:1] in ("[", "{"):
            read[name] = _json(name, text)


def _json(name: str, text: str) -> Any:
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError as error:
        line, column = _place(text, str(error))
        raise refusal(
            Code.BAD_INPUT,
            f"{name} is a text that is no JSON: line {line}, column {column}",
            f"Send {name} as JSON, not as text.",
        ) from error


def _place(text: str, message: str) -> tuple[int, int]:
    """Where a parser stopped; it names a byte only where it did not run out of text."""
    digits = message.rpartition("(byte ")[2].rstrip(")")
    end = int(digits) if digits.isdigit() else len(text.encode())
    before = text.encode()[:end]
    return before.count(b"\n") + 1, len(before) - (before.rfind(b"\n") + 1) + 1


def ids_of(arguments: Mapping[str, Any]) -> list[str]:
    """What `landmark_id` asks for, one or several."""
    value = arguments.get("landmark_id", ())
    ids = [value] if isinstance(value, str) else list(value)
    return [str(one) for one in ids]
