"""Arguments with references in them: parsed once, filled in as their values come to be known (H-63, H-64)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from periplus.core.sequence.references import Known, Reference, read_text

Value = Callable[[Reference], Any]
"""What a reference means; raises a problem where it leads nowhere."""


class Text(msgspec.Struct, frozen=True):
    """A text with references inside, each put in as text."""

    pieces: tuple[Any, ...]  # texts and references


class Template(msgspec.Struct, frozen=True):
    """A JSON value in which references are `Reference` and `Text`. What came out of a result is never parsed."""

    tree: Any

    @property
    def references(self) -> list[Reference]:
        """All that is still open, in order."""
        return [one for _, found in self.open() for one in found]

    def open(self) -> Iterator[tuple[str, tuple[Reference, ...]]]:
        """Each place with something open, as a JSON pointer."""
        return _open(self.tree, "")

    def filled(self, value: Value, wanted: Callable[[Reference], bool] = lambda _: True) -> Template:
        """The same with those references that are wanted replaced by what they mean, once."""
        return Template(_filled(self.tree, value, wanted))

    @property
    def is_settled(self) -> bool:
        """Whether nothing is open any more."""
        return next(self.open(), None) is None

    @property
    def value(self) -> Any:
        """The plain value; what is still open as it would be written."""
        return _plain(self.tree)


def template(value: Any, known: Known) -> Template:
    """Parse the values of an argument, never the names of members.

    A name that nothing has stays text inside a longer one; where it is the whole text, it is left open.
    """
    return Template(_parsed(value, known))


def _parsed(value: Any, known: Known) -> Any:
    if isinstance(value, str):
        return _text(value, known) if "$" in value else value
    if isinstance(value, dict):
        return {name: _parsed(item, known) for name, item in value.items()}
    return [_parsed(item, known) for item in value] if isinstance(value, list | tuple) else value


def _text(text: str, known: Known) -> Any:
    if text != text.strip() and isinstance(alone := _text(text.strip(), known), Reference):
        return alone
    pieces = read_text(text, known)
    if len(pieces) == 1 and isinstance(pieces[0], Reference):
        return pieces[0]
    if not any(isinstance(piece, Reference) for piece in pieces):
        return "".join(map(str, pieces))
    return Text(pieces)


def _open(tree: Any, pointer: str) -> Iterator[tuple[str, tuple[Reference, ...]]]:
    if isinstance(tree, Reference):
        yield pointer, (tree,)
    elif isinstance(tree, Text):
        yield pointer, tuple(piece for piece in tree.pieces if isinstance(piece, Reference))
    elif isinstance(tree, dict):
        for name, item in tree.items():
            yield from _open(item, inside(pointer, name))
    elif isinstance(tree, list):
        for place, item in enumerate(tree):
            yield from _open(item, inside(pointer, place))


def _filled(tree: Any, value: Value, wanted: Callable[[Reference], bool]) -> Any:
    if isinstance(tree, Reference):
        return value(tree) if wanted(tree) else tree
    if isinstance(tree, Text):
        pieces = [
            _as_piece(value(piece)) if isinstance(piece, Reference) and wanted(piece) else piece
            for piece in tree.pieces
        ]
        texts = [piece for piece in pieces if isinstance(piece, str)]
        return "".join(texts) if len(texts) == len(pieces) else Text(tuple(pieces))
    if isinstance(tree, dict):
        return {name: _filled(item, value, wanted) for name, item in tree.items()}
    return [_filled(item, value, wanted) for item in tree] if isinstance(tree, list) else tree


def _as_piece(value: Any) -> str | Reference:
    return value if isinstance(value, Reference) else as_text(value)


def _plain(tree: Any) -> Any:
    if isinstance(tree, Reference):
        return tree.text
    if isinstance(tree, Text):
        return "".join(piece if isinstance(piece, str) else piece.text for piece in tree.pieces)
    if isinstance(tree, dict):
        return {name: _plain(item) for name, item in tree.items()}
    return [_plain(item) for item in tree] if isinstance(tree, list) else tree


def inside(pointer: str, name: str | int) -> str:
    """The place of a member or an item, as a JSON pointer."""
    return f"{pointer}/{str(name).replace('~', '~0').replace('/', '~1')}"


def as_text(value: Any) -> str:
    """A value inside a text: a text as it is, anything else as compact JSON."""
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()
