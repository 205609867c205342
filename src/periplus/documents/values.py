"""What decoding takes and gives: limits in, a value with its format and notes out."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import msgspec

from periplus.model import Code, FindingCode, Problem

_MOST_NOTES = 100


class DecodeLimits(msgspec.Struct, frozen=True, kw_only=True):
    """How large a described thing may be: the `[limits]` keys of the same names (S-6)."""

    document_bytes: int = 128 * 1024 * 1024
    nesting: int = 200
    nodes: int = 20_000_000  # keys, values and containers, each alias counted as what it stands for

    def exceeded(self, key: Literal["document_bytes", "nesting", "nodes"], found: str, where: str) -> Problem:
        """The refusal of a document that is larger than one limit allows."""
        limit: int = getattr(self, key)
        return Problem(
            Code.OVER_LIMIT,
            f"{where} has {found}; the limit {key} is {limit}",
            hints=(f"raise {key} under [limits] if the document is what you expect",),
            where=where,
        )


DEFAULT_LIMITS = DecodeLimits()


class Place(NamedTuple):
    """A place in a text as an editor shows it, line and column both from 1."""

    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.line}:{self.column}"


class Note(NamedTuple):
    """One thing that was read leniently: what a load report turns into a finding."""

    code: FindingCode
    message: str
    where: str


class Notes:
    """Notes of one document, the first hundred in full and the rest as a number."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._kept: list[Note] = []
        self._more = 0

    def lenient(self, message: str, place: Place | None = None) -> None:
        """Remember something that was read, though the document should not say it so."""
        if len(self._kept) < _MOST_NOTES:
            where = self._name if place is None else f"{self._name}:{place}"
            self._kept.append(Note(FindingCode.PARSE_LENIENT, message, where))
        else:
            self._more += 1

    def extend(self, others: Notes) -> None:
        """Take over the notes of a part of the same document."""
        room = _MOST_NOTES - len(self._kept)
        self._kept += others._kept[:room]
        self._more += others._more + len(others._kept[room:])

    def all(self) -> tuple[Note, ...]:
        if not self._more:
            return tuple(self._kept)
        rest = Note(FindingCode.PARSE_LENIENT, f"{self._more} more places were read leniently", self._name)
        return (*self._kept, rest)


class Decoded(msgspec.Struct, frozen=True, kw_only=True):
    """A document as plain values. Parts that YAML aliases share are one object, so nobody writes into them."""

    value: Any
    format: Literal["json", "yaml"]
    notes: tuple[Note, ...] = ()
