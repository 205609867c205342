"""Bodies as values: exact integers, no NaN, items one by one."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from math import isfinite
from typing import Any

import msgspec

from periplus.answers.media import Form

Redact = Callable[[str], str]

_DECODER = msgspec.json.Decoder()
_LONE = re.compile("[\ud800-\udfff]")
_MOST_DIGITS = 4300  # what Python converts without complaint; a longer integer stays text
NO_NUMBER = "NaN and Infinity, which JSON does not have, are null"


def json_value(text: str) -> tuple[Any, tuple[str, ...]]:
    """The value of JSON text, and what was bent to read it; `ValueError` where it is none."""
    try:
        return _DECODER.decode(text), ()
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return _lenient(text)


def _lenient(text: str) -> tuple[Any, tuple[str, ...]]:
    odd: list[str] = []

    def constant(_word: str) -> None:
        odd.append(NO_NUMBER)

    def real(digits: str) -> float | None:
        value = float(digits)
        if not isfinite(value):
            odd.append(NO_NUMBER)
            return None
        return value

    try:
        value = json.loads(
            text.removeprefix("\ufeff"), strict=False, parse_constant=constant, parse_float=real, parse_int=_integer
        )
    except RecursionError as error:
        raise ValueError("it is nested deeper than can be read") from error
    return mapped(value, lambda each: _LONE.sub("\ufffd", each)), tuple(dict.fromkeys(odd))


def _integer(digits: str) -> int | str:
    return int(digits) if len(digits) <= _MOST_DIGITS else digits


def mapped(value: Any, change: Callable[[str], str], *, numbers: bool = False) -> Any:
    """The value with every text in it changed, names of members too; with `numbers`, those whose digits change."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        return [mapped(item, change, numbers=numbers) for item in value]
    if isinstance(value, dict):
        return {change(name): mapped(item, change, numbers=numbers) for name, item in value.items()}
    if numbers and isinstance(value, int | float) and not isinstance(value, bool):
        digits = str(value)
        return value if change(digits) == digits else change(digits)
    return value


def items(text: str, form: Form, *, cut: bool) -> tuple[list[Any], tuple[str, ...]]:
    """The items of a stream; one that is no JSON stays text with a note, one cut in half is left out."""
    found: list[Any] = []
    notes: dict[str, None] = {}
    if cut:
        text = text[: max(text.rfind(end) + len(end) if end in text else 0 for end in _ENDS[form])]
    for number, piece in enumerate(_PIECES[form](text), 1):
        if form is Form.EVENTS:
            found.append(_event(piece))
            continue
        try:
            value, odd = json_value(piece)
        except ValueError:
            value, odd = piece, (f"item {number} is not JSON and stays text",)
        found.append(value)
        notes |= dict.fromkeys(odd)
    return found, tuple(notes)


def _lines(text: str) -> Iterator[str]:
    return (line.strip() for line in text.split("\n") if line.strip())


def _records(text: str) -> Iterator[str]:
    return (record.strip() for record in text.split("\x1e") if record.strip())


def _blocks(text: str) -> Iterator[str]:
    """Server-sent events that carry data; comments and lone retry lines are how a connection is kept alive."""
    unified = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    return (block for block in unified.split("\n\n") if re.search(r"^data(:|$)", block, re.MULTILINE))


_PIECES: dict[Form, Callable[[str], Iterator[str]]] = {
    Form.LINES: _lines,
    Form.SEQUENCE: _records,
    Form.EVENTS: _blocks,
}
_ENDS: dict[Form, tuple[str, ...]] = {
    Form.LINES: ("\n",),
    Form.SEQUENCE: ("\n",),
    Form.EVENTS: ("\n\n", "\r\r", "\r\n\r\n"),
}


def _event(block: str) -> dict[str, Any]:
    """One event: its name and id where it has them, and its data, as a value if that is JSON."""
    fields: dict[str, list[str]] = {}
    for line in block.split("\n"):
        name, _, text = line.partition(":")
        if name in {"event", "id", "data"}:
            fields.setdefault(name, []).append(text.removeprefix(" "))
    data = "\n".join(fields.get("data", []))
    try:
        value: Any = json_value(data)[0]
    except ValueError:
        value = data
    return {name: fields[name][-1] for name in ("event", "id") if name in fields} | {"data": value}
