"""Schemas of drafts as readers see them; one that several tools have in common is looked at once (S-8, S-22)."""

from __future__ import annotations

from typing import Any

import msgspec

from periplus.core.intake.hashes import refers_to
from periplus.core.intake.texts import as_read, commands

_MOST = 1024


class Seen(msgspec.Struct, frozen=True):
    """One schema, and what is told of it."""

    written: Any  # as its source gave it: held, so that no other can be taken for it
    schema: Any
    text: bytes  # canonical
    refers: tuple[str, ...]
    phrase: str | None  # words in it that address a model


class Schemas:
    """Sources give neighbours one and the same schema: it is known again by being that object."""

    def __init__(self) -> None:
        self._known: dict[int, Seen] = {}

    def of(self, written: Any) -> Seen:
        """The schema cleaned, spelled and searched."""
        seen = self._known.get(id(written))
        if seen is None:
            if len(self._known) >= _MOST:
                self._known.clear()
            schema, text = as_read(written)
            seen = self._known[id(written)] = Seen(written, schema, text, refers_to(text), commands(text))
        return seen
