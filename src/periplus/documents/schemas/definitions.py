"""The definitions all tools of a listing share, each under a name made of what it says.

A name depends on nothing else in the listing: adding a tool never renames what another refers to.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from periplus.documents import canonical
from periplus.model import Schema, segment

_NAME_MAX = 60
_MANY = 500


class Definitions:
    """Grows while drafts are made; `schemas` is what the reading gives away."""

    def __init__(self) -> None:
        self.schemas: dict[str, Schema] = {}
        self._digests: dict[str, str] = {}

    def name(self, wish: str, digest: str) -> str:
        """The name of what has this digest: the wish and as much of the digest as tells it apart."""
        for digits in (6, 12):
            name = f"{segment(wish)[:_NAME_MAX]}_{digest[:digits]}"
            if self._digests.setdefault(name, digest) == digest:
                return name
        return f"{segment(wish)[:_NAME_MAX]}_{digest}"


def digests(schemas: Mapping[str, Schema | bool], refers: Mapping[str, frozenset[str]]) -> dict[str, str]:
    """Of each schema, over its name, itself and all it reaches."""
    own = {name: hashlib.sha256(canonical(schema)).hexdigest() for name, schema in schemas.items()}
    everything = frozenset(own)
    found: dict[str, str] = {}
    for name in own:
        # Closures of very many definitions cost their square; taking all of them instead only shares less.
        reached = _reached(name, refers) if len(own) <= _MANY else everything
        pieces = [name, *(f"{other}={own[other]}" for other in sorted(reached))]
        found[name] = hashlib.sha256("\n".join(pieces).encode()).hexdigest()
    return found


def _reached(name: str, refers: Mapping[str, frozenset[str]]) -> set[str]:
    seen: set[str] = set()
    todo = {name}
    while todo:
        seen |= todo
        todo = {other for each in todo for other in refers[each]} - seen
    return seen
