"""Looking for garbage less often while a source is taken in.

What a read makes goes by itself, when the last reference to it does; only what refers to itself in a circle waits for
a collection, and of that there is next to nothing. Collected as often as usual, a large source is looked at thousands
of times for it, which is a tenth of its cost.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Generator
from contextlib import contextmanager

_MADE = 50_000  # values that outlive their makers before somebody looks: some megabytes


class _Reads:
    """How many sources are taken in right now; the last one sets back what the first one changed."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._count = 0
        self._usual = gc.get_threshold()

    def begin(self) -> None:
        with self._lock:
            self._count += 1
            if self._count == 1:
                self._usual = gc.get_threshold()
                if 0 < self._usual[0] < _MADE:  # 0: whoever runs this process wants no collections at all
                    gc.set_threshold(_MADE, *self._usual[1:])

    def end(self) -> None:
        with self._lock:
            self._count -= 1
            if self._count == 0:
                gc.set_threshold(*self._usual)


_reads = _Reads()


@contextmanager
def collected_rarely() -> Generator[None]:
    """While this lasts, in any thread, garbage is looked for less often."""
    _reads.begin()
    try:
        yield
    finally:
        _reads.end()
