"""What was read lately, so that shared parts of a document are read once."""

from __future__ import annotations

from typing import Final, TypeVar

K = TypeVar("K")
V = TypeVar("V")

_MOST: Final = 4096


class Memory(dict[K, V]):
    """Forgets everything when full: shared parts come again soon, and holding all would hold the document."""

    def __setitem__(self, key: K, value: V) -> None:
        if len(self) >= _MOST:
            self.clear()
        super().__setitem__(key, value)
