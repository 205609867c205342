"""What was read lately, so that shared parts of a document are read once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Generic, TypeVar

import msgspec

from periplus.model import Finding

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


class Counted:
    """Passes findings on and counts them."""

    def __init__(self, report: Callable[[Finding], None]) -> None:
        self._report = report
        self.count = 0

    def __call__(self, finding: Finding) -> None:
        self.count += 1
        self._report(finding)


class Readings(Generic[V]):
    """What pieces of a document were read as: equal texts are read once, unless something was wrong with them."""

    def __init__(self, report: Counted) -> None:
        self._report = report
        self._known = Memory[tuple[str, bytes], V]()

    def of(self, written: object, base: str, read: Callable[[], V], keep: Callable[[V], bool] = lambda _: True) -> V:
        """What was written, read; `base` is what its references are relative to. The caller says what to keep."""
        key = base, _encode(written)
        if key in self._known:
            return self._known[key]
        before = self._report.count
        found = read()
        if self._report.count == before and len(key[1]) <= _LONGEST and keep(found):
            self._known[key] = found
        return found
