"""A place among so many: taken at once where there is one, else waited for."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import anyio


@asynccontextmanager
async def seated(seats: anyio.CapacityLimiter) -> AsyncGenerator[None]:
    """Have one of the seats while the block runs. A call made inside a call takes a second one."""
    holder = object()
    try:
        seats.acquire_on_behalf_of_nowait(holder)  # without the turn of the event loop that `async with` takes
    except anyio.WouldBlock:
        await seats.acquire_on_behalf_of(holder)
    try:
        yield
    finally:
        seats.release_on_behalf_of(holder)
