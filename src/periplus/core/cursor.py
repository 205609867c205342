"""Where the next page starts, sealed to this query and this catalog revision."""

from __future__ import annotations

import hashlib
from typing import Any

import msgspec

from periplus.core.seal import Seal
from periplus.model import Code, Problem

_PURPOSE = "cursor"


class Cursors:
    """Makes and reads cursors of one gateway."""

    def __init__(self, seal: Seal) -> None:
        self._seal = seal

    def make(self, query: tuple[Any, ...], revision: int, position: Any, ttl_s: float | None = None) -> str:
        """A cursor that only the same query at the same revision accepts, and only for so long."""
        return self._seal.seal(_PURPOSE, (_digest(query), revision, position), ttl_s)

    def read(self, cursor: str | None, query: tuple[Any, ...], revision: int) -> Any:
        """The position a cursor stands for; None at the start."""
        if cursor is None:
            return None
        try:
            digest, at, position = self._seal.open(_PURPOSE, cursor)
        except Problem as problem:
            has_expired = "expired" in problem.message
            why = "the cursor has expired" if has_expired else "the cursor is not one of this gateway's"
            raise _invalid(why) from problem
        if digest != _digest(query):
            raise _invalid("the cursor belongs to another query")
        if at != revision:
            raise _invalid("the catalog has changed since this cursor was made")
        return position


def _digest(query: tuple[Any, ...]) -> bytes:
    return hashlib.sha256(msgspec.msgpack.encode(query)).digest()[:16]


def _invalid(message: str) -> Problem:
    return Problem(Code.INVALID_CURSOR, message, hints=("start again without a cursor",))
