"""A page of a longer sequence."""

from __future__ import annotations

from typing import Generic, TypeVar

import msgspec

Item = TypeVar("Item")


class Page(msgspec.Struct, Generic[Item], frozen=True, kw_only=True):
    """Some items, where the next ones start, and how many there are in all where that is known."""

    items: tuple[Item, ...]
    next_cursor: str | None = None
    total: int | None = None
