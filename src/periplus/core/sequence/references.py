"""References in texts: `$name`, then `.field`, `["odd key"]`, `[0]`, `[1:3]`, `[*]` in any number (H-63)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import msgspec

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_STEP = re.compile(r"step\d+")
_FIELD = re.compile(r"\.([^\W\d][\w@]*(?:-[\w@]+)*)")
_QUOTED = re.compile(r"""\[\s*("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')\s*\]""")
_INDEX = re.compile(r"\[\s*(-?\d{1,9})\s*\]")
_SLICE = re.compile(r"\[\s*(-?\d{1,9})?\s*:\s*(-?\d{1,9})?\s*\]")
_ALL = re.compile(r"\[\s*\*\s*\]|\.\*")

Known = Callable[[str], bool]
"""Whether something has this name."""


class Field(msgspec.Struct, frozen=True):
    """A member of an object."""

    name: str


class Index(msgspec.Struct, frozen=True):
    """An item of a list; from its end where it is negative."""

    at: int


class Slice(msgspec.Struct, frozen=True):
    """A stretch of a list."""

    start: int | None
    end: int | None


class All(msgspec.Struct, frozen=True):
    """Each item of a list, or each value of an object; what follows is done to each."""


Piece = Field | Index | Slice | All


class Reference(msgspec.Struct, frozen=True, kw_only=True):
    """A name and the way from its value to the one that is meant."""

    name: str
    path: tuple[Piece, ...] = ()

    @property
    def text(self) -> str:
        """As it is written."""
        return f"${self.name}{''.join(map(_written, self.path))}"


def read_text(text: str, known: Known) -> tuple[str | Reference, ...]:
    """What a text consists of: plain text with `$$` as a dollar, and references.

    A reference that is the whole text is one whatever its name. Inside a longer text a name that nothing has stays
    text, but for `$stepN`, which nobody writes by chance. Of `$a-b` the longest known name counts.
    """
    found = list(_scanned(text, known))
    only = [piece for piece, _ in found if piece != ""]
    if len(only) == 1 and isinstance(only[0], Reference):
        return (only[0],)
    made: list[str | Reference] = []
    for piece, raw in found:
        kept = piece if isinstance(piece, str) or known(piece.name) or _STEP.fullmatch(piece.name) else raw
        if isinstance(kept, str) and made and isinstance(made[-1], str):
            made[-1] += kept
        elif kept != "":
            made.append(kept)
    return tuple(made)


def read_path(text: str) -> Reference | None:
    """`recs[0:20].id`, with or without a dollar in front; None where it is no reference."""
    body = text.strip()
    body = body[2:-1] if body.startswith("${") and body.endswith("}") else body.removeprefix("$")
    found = NAME.match(body)
    if not found:
        return None
    path, end = _path(body, found.end())
    return Reference(name=found[0], path=path) if end == len(body) else None


def _scanned(text: str, known: Known) -> Iterator[tuple[str | Reference, str]]:
    """Each piece, and as what it was written."""
    place = 0
    while (dollar := text.find("$", place)) >= 0:
        yield text[place:dollar], text[place:dollar]
        piece, place = _at_dollar(text, dollar, known)
        yield piece, text[dollar:place]
    yield text[place:], text[place:]


def _at_dollar(text: str, dollar: int, known: Known) -> tuple[str | Reference, int]:
    """What stands at a dollar sign, and where it ends."""
    if text.startswith("$$", dollar):
        return "$", dollar + 2
    braced = text.startswith("${", dollar)
    found = NAME.match(text, dollar + 1 + braced)
    if not found:
        return "$", dollar + 1
    name = found[0] if braced else _longest(found[0], known)
    path, end = _path(text, found.start() + len(name))
    if not braced:
        return Reference(name=name, path=path), end
    return (Reference(name=name, path=path), end + 1) if text.startswith("}", end) else ("$", dollar + 1)


def _longest(written: str, known: Known) -> str:
    """A hyphen may belong to a name or stand behind it: `$from-$to`."""
    name = written
    while not known(name):
        shorter, hyphen, _ = name.rpartition("-")
        if not hyphen:
            return written.rstrip("-")
        name = shorter
    return name


def _path(text: str, at: int) -> tuple[tuple[Piece, ...], int]:
    pieces: list[Piece] = []
    while found := _piece(text, at):
        piece, at = found
        pieces.append(piece)
    return tuple(pieces), at


def _piece(text: str, at: int) -> tuple[Piece, int] | None:
    if found := _FIELD.match(text, at):
        return Field(found[1]), found.end()
    if found := _ALL.match(text, at):
        return All(), found.end()
    if found := _INDEX.match(text, at):
        return Index(int(found[1])), found.end()
    if found := _SLICE.match(text, at):
        start, end = (None if one is None else int(one) for one in found.groups())
        return Slice(start, end), found.end()
    if (found := _QUOTED.match(text, at)) and (name := _unquoted(found[1])) is not None:
        return Field(name), found.end()
    return None


def _unquoted(text: str) -> str | None:
    if text.startswith("'"):
        return re.sub(r"\\(.)", r"\1", text[1:-1])
    try:
        return msgspec.json.decode(text, type=str)
    except msgspec.DecodeError:
        return None


def _written(piece: Piece) -> str:
    match piece:
        case Field(name):
            return f".{name}" if _FIELD.fullmatch(f".{name}") else f"[{_quoted(name)}]"
        case Index(at):
            return f"[{at}]"
        case Slice(start, end):
            return f"[{'' if start is None else start}:{'' if end is None else end}]"
        case All():
            return "[*]"


def _quoted(value: Any) -> str:
    return msgspec.json.encode(value).decode()
