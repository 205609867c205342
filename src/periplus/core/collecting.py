"""How often a process looks for garbage while it makes very much that stays."""

from __future__ import annotations

import gc
from collections.abc import Generator
from contextlib import contextmanager
from threading import Lock

_OBJECTS = 200_000
_lock = Lock()
_before: list[tuple[int, int, int]] = []  # what held before each block that is running


@contextmanager
def collecting_rarely() -> Generator[None]:
    """Look for garbage after very many new objects only, until the last such block ends.

    Everything that stays is looked through again and again otherwise: a quarter of the time that an index takes.
    """
    with _lock:
        _before.append(gc.get_threshold())
        gc.set_threshold(_before[0][0] and max(_OBJECTS, _before[0][0]), *_before[0][1:])
    try:
        yield
    finally:
        with _lock:
            first = _before[0]
            _before.pop()
            if not _before:
                gc.set_threshold(*first)
