"""Work that nobody waits for: it lives as long as the gateway is open, and ends before what it works with."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import Self

import anyio


class Background:
    """A task group that lets an error of the block around it through as it is, unwrapped."""

    def __init__(self) -> None:
        self._tasks = anyio.create_task_group()

    def start(self, work: Callable[[], Awaitable[None]]) -> None:
        """Begin it now; it is cancelled when the block ends."""
        self._tasks.start_soon(_run, work)

    async def __aenter__(self) -> Self:
        await self._tasks.__aenter__()
        return self

    async def __aexit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _traceback: TracebackType | None
    ) -> None:
        self._tasks.cancel_scope.cancel()
        await self._tasks.__aexit__(None, None, None)


async def _run(work: Callable[[], Awaitable[None]]) -> None:
    await work()
