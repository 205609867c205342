"""Memory that large work has left behind goes back to the system instead of being kept for more of it."""

from __future__ import annotations

import ctypes
import sys
from functools import cache
from typing import Any

import anyio.to_thread


async def give_back() -> None:
    """After very much was read: what the C library holds free among what is in use. Nothing where it cannot."""
    trim = _trim()
    if trim is not None:
        await anyio.to_thread.run_sync(trim, 0)


@cache
def _trim() -> Any:  # a function of the C library has no type
    if not sys.platform.startswith("linux"):
        return None
    return getattr(ctypes.CDLL(None), "malloc_trim", None)  # musl has none: it keeps nothing
