"""From a value along a path to the one that is meant; where the path ends, what could have followed (H-68)."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import Any

from periplus.core.sequence.outline import outline
from periplus.core.sequence.references import All, Field, Index, Piece, Reference, Slice
from periplus.model import Code, Problem

_SHOWN = 12
_PART = ("data",)  # members that name the value itself where it has none of that name
_NOTHING = object()


class _LostError(Exception):
    """The path does not go on from here."""

    def __init__(self, why: str, *hints: str) -> None:
        super().__init__(why)
        self.hints = hints


def value_at(reference: Reference, value: Any) -> Any:
    """What a reference means, its name's value given."""
    path = reference.path
    if path and isinstance(path[0], Field) and path[0].name in _PART and not _has(value, path[0].name):
        path = path[1:]
    try:
        return _walk(value, path)
    except _LostError as lost:
        raise Problem(
            Code.REFERENCE_UNRESOLVED,
            f"{reference.text} leads nowhere: {lost}",
            hints=tuple(f"${reference.name}{hint}" if hint[:1] in ".[" else hint for hint in lost.hints),
            details={"reference": reference.text},
        ) from lost


def _has(value: Any, name: str) -> bool:
    return isinstance(value, dict) and name in value


def _walk(value: Any, path: Sequence[Piece]) -> Any:
    for place, piece in enumerate(path):
        rest = path[place + 1 :]
        if isinstance(piece, All):
            return _mapped(_items(value), rest)
        if isinstance(piece, Slice) and rest and isinstance(rest[0], Field):
            return _mapped(_sliced(value, piece), rest)
        value = _step(value, piece)
    return value


def _mapped(items: list[Any], path: Sequence[Piece]) -> list[Any]:
    """The rest of a path for each item: one that lacks it gives null, unless all do; a further `[*]` flattens."""
    depth = next((place for place, piece in enumerate(path) if isinstance(piece, All)), None)
    if depth is None:
        return _each(items, path)
    inner = _each(items, path[:depth])
    flat = [item for one in inner if one is not None for item in _items(one)]
    return _mapped(flat, path[depth + 1 :])


def _each(items: list[Any], path: Sequence[Piece]) -> list[Any]:
    if not path:
        return items
    found: list[Any] = []
    lost: _LostError | None = None
    for item in items:
        try:
            found.append(_walk(item, path))
        except _LostError as error:
            lost = lost or error
            found.append(_NOTHING)
    if lost is not None and all(one is _NOTHING for one in found):
        raise lost
    return [None if one is _NOTHING else one for one in found]


def _items(value: Any) -> list[Any]:
    if isinstance(value, list):
        return value
    if isinstance(value, dict):
        return list(value.values())
    raise _LostError(f"[*] needs a list or an object, and this is: {outline(value)}")


def _sliced(value: Any, piece: Slice) -> list[Any]:
    if not isinstance(value, list):
        raise _LostError(f"{_shown(piece)} needs a list, and this is: {outline(value)}")
    return value[piece.start : piece.end]


def _step(value: Any, piece: Piece) -> Any:
    match piece:
        case Field(name):
            return _member(value, name)
        case Index(at):
            return _item(value, at)
        case Slice():
            return _sliced(value, piece)
        case All():
            return _items(value)


def _member(value: Any, name: str) -> Any:
    if isinstance(value, list):
        if len(value) == 1:
            return _member(value[0], name)
        shown = f".{name}"
        raise _LostError(f"this is: {outline(value)}; a list has no member {name!r}", f"[0]{shown}", f"[*]{shown}")
    if not isinstance(value, dict):
        raise _LostError(f"this is: {outline(value)}; it has no member {name!r}")
    if name in value:
        return value[name]
    near = difflib.get_close_matches(name, value, n=1, cutoff=0.6)
    there = ", ".join(list(value)[:_SHOWN]) + (f", +{len(value) - _SHOWN}" if len(value) > _SHOWN else "")
    guess = (f"did you mean {near[0]!r}?",) if near else ()
    raise _LostError(f"there is no member {name!r}; there are: {there or 'none'}", *guess)


def _item(value: Any, at: int) -> Any:
    if not isinstance(value, list):
        hints = ("[*]",) if isinstance(value, dict) else ()
        raise _LostError(f"[{at}] needs a list, and this is: {outline(value)}", *hints)
    if -len(value) <= at < len(value):
        return value[at]
    raise _LostError(f"[{at}] is outside of a list of {len(value)}")


def _shown(piece: Slice) -> str:
    return f"[{'' if piece.start is None else piece.start}:{'' if piece.end is None else piece.end}]"
