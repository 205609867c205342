"""What was read lately, so that shared parts of a document are read once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Generic, TypeVar

import msgspec

K = TypeVar("K")
V = TypeVar("V")

_MOST: Final = 4096
_LONGEST: Final = 16 * 1024  # a longer text hardly comes twice
_encode = msgspec.json.Encoder(decimal_format="number").encode


class Memory(dict[K, V]):
    """Forgets everything when full: shared parts come again soon, and holding all would hold the document."""

    def __setitem__(self, key: K, value: V) -> None:
        if len(self) >= _MOST:
            self.clear()
        super().__setitem__(key, value)


class Readings(Generic[V]):
    """What pieces of a document were read as: equal texts are read once, unless something was wrong with them."""

    def __init__(self, reported: Callable[[], int]) -> None:
        self._reported = reported  # how many findings there are so far
        self._known = Memory[tuple[str, bytes], V]()

    def of(self, written: object, base: str, read: Callable[[], V], keep: Callable[[V], bool] = lambda _: True) -> V:
        """What was written, read; `base` is what its references are relative to. What is its writer's own is not kept."""
        key = base, _encode(written)
        if key in self._known:
            return self._known[key]
        before = self._reported()
        found = read()
        if self._reported() == before and len(key[1]) <= _LONGEST and keep(found):
            self._known[key] = found
        return found
