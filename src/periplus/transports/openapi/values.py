"""Values as text: what a parameter, a form member or a part carries (S-50)."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from periplus.model import Code, Problem

_LARGEST_WHOLE: Final = 1e21  # from here on a float's digits say more than it knows

as_json: Final = msgspec.json.Encoder(decimal_format="number").encode


def text_of(value: Any) -> str:
    """One value as text; what has members becomes JSON."""
    if isinstance(value, str):
        return value
    if value is True:
        return "true"
    if value is False:
        return "false"
    if isinstance(value, float) and value.is_integer() and abs(value) < _LARGEST_WHOLE:
        return str(int(value))  # 3.0 is an integer to a schema, and to nobody who reads a query
    return as_json(value).decode()


def unicode_json(value: Any) -> str:
    """JSON as text."""
    return as_json(value).decode()


def is_whole(value: Any) -> bool:
    """Whether a value is one text, not several."""
    return not isinstance(value, list | dict)


def ascii_json(value: Any) -> str:
    """JSON for places that carry no other letters."""
    text = as_json(value).decode()
    return text if text.isascii() else "".join(map(_escaped, text))


def _escaped(letter: str) -> str:
    if letter.isascii():
        return letter
    units = letter.encode("utf-16-be")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))


def refuse(argument: str, what: str, *hints: str) -> Problem:
    """An argument that cannot be said on the wire, with a pointer to it."""
    pointer = "/" + argument.replace("~", "~0").replace("/", "~1")
    return Problem(Code.INVALID_ARGS, f"{argument}: {what}", hints=hints, where=pointer)
