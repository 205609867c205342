"""Which rows: `status=open, length_m>=30`, or an object of members and their values (H-58)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from operator import ge, gt, le, lt
from typing import Any

import msgspec

from periplus.model import Code, Problem

_CONDITION = re.compile(
    r"\s*([^\s!<>=~,][^!<>=~,]*?)\s*(!=|>=|<=|==|=|>|<|~)\s*(\"(?:[^\"\\]|\\.)*\"|'[^']*'|[^,]*?)\s*(?:,|$)"
)
_MOST = 20
_LONGEST = 4000
_ABSENT = object()
_ORDERED: dict[str, Callable[[Any, Any], bool]] = {">": gt, ">=": ge, "<": lt, "<=": le}


class Condition(msgspec.Struct, frozen=True, kw_only=True):
    """One member and what it must be."""

    path: tuple[str, ...]
    sign: str
    value: Any

    @property
    def name(self) -> str:
        return ".".join(self.path)

    def holds(self, row: Any) -> bool:
        """Whether a row meets it; a list does when one of its items does. What is absent is null."""
        return any(_compare(self.sign, found, self.value) for found in _found(row, self.path))

    def is_known(self, row: Any) -> bool:
        return any(found is not _ABSENT for found in _found(row, self.path))


def parse_filter(given: str | Mapping[str, Any]) -> tuple[Condition, ...]:
    """The conditions, all of which have to hold."""
    found = _from_text(given) if isinstance(given, str) else tuple(_from_member(*pair) for pair in given.items())
    if not found or len(found) > _MOST:
        raise _wrong(str(given), f"there are {len(found)} conditions; 1 to {_MOST} can be given")
    return found


def _from_text(text: str) -> tuple[Condition, ...]:
    if len(text) > _LONGEST:
        raise _wrong(text, f"it has {len(text):,} characters, {_LONGEST:,} is the most")
    found: list[Condition] = []
    place = 0
    while place < len(text):
        match = _CONDITION.match(text, place)
        if match is None:
            raise _wrong(text, f"{text[place : place + 40]!r} is no condition")
        name, sign, value = match.groups()
        found.append(Condition(path=_path(name), sign="=" if sign == "==" else sign, value=_value(value)))
        place = match.end()
    return tuple(found)


def _from_member(name: str, value: Any) -> Condition:
    """`{"age": 3}`, or with the sign behind the name: `{"age>=": 3}`."""
    match = re.fullmatch(r"(.+?)\s*(!=|>=|<=|=|>|<|~)", name)
    sign, name = (match[2], match[1]) if match else ("=", name)
    return Condition(path=_path(name), sign=sign, value=value)


def _path(name: str) -> tuple[str, ...]:
    pieces = tuple(piece for piece in name.strip().strip('"').split(".") if piece)
    if not pieces:
        raise _wrong(name, "a condition has no name")
    return pieces


def _value(text: str) -> Any:
    """A text as JSON where it is some, else itself."""
    if text[:1] == text[-1:] == "'" and len(text) > 1:
        return text[1:-1]
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:
        return text


def _found(value: Any, path: tuple[str, ...]) -> list[Any]:
    values = [value]
    for piece in path:
        values = [inner for one in values for inner in _step(one, piece)]
    return [item for one in values for item in (one if isinstance(one, list) and one else [one])]


def _step(value: Any, piece: str) -> list[Any]:
    if isinstance(value, list):
        return [inner for item in value for inner in _step(item, piece)] or [_ABSENT]
    if isinstance(value, dict):
        return [value.get(piece, _ABSENT)]
    return [_ABSENT]


def _compare(sign: str, found: Any, wanted: Any) -> bool:
    found = None if found is _ABSENT else found
    if sign in ("=", "!="):
        return _same(found, wanted) is (sign == "=")
    if sign == "~":
        return found is not None and _text(wanted).casefold() in _text(found).casefold()
    return _ordered(sign, found, wanted)


def _same(found: Any, wanted: Any) -> bool:
    if isinstance(found, bool) or isinstance(wanted, bool) or found is None or wanted is None:
        return _text(found).casefold() == _text(wanted).casefold()
    if isinstance(found, str) != isinstance(wanted, str):
        return _text(found) == _text(wanted)
    return bool(found == wanted)


def _ordered(sign: str, found: Any, wanted: Any) -> bool:
    if found is None or wanted is None:
        return False
    if isinstance(found, str) or isinstance(wanted, str):
        pair = (_number(found), _number(wanted))
        if None in pair:
            return isinstance(found, str) and isinstance(wanted, str) and _ORDERED[sign](found, wanted)
        return _ORDERED[sign](*pair)
    try:
        return bool(_ORDERED[sign](found, wanted))
    except TypeError:
        return False


def _number(value: Any) -> float | int | None:
    if not isinstance(value, str):
        return value if isinstance(value, int | float) else None
    try:
        return float(value)
    except ValueError:
        return None


def _text(value: Any) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _wrong(text: str, why: str) -> Problem:
    return Problem(
        Code.BAD_INPUT,
        f"not a filter: {text[:80]!r}: {why}",
        hints=('write "status=open, length_m>=30"; signs are = != > >= < <= and ~ for "contains"',),
    )
