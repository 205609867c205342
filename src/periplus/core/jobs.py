"""Work that may take longer than its asker waits: it goes on by itself, and whoever asks again gets what came of it."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Hashable
from typing import Any, Generic, TypeVar

import anyio

from periplus.model import Problem
from periplus.ports import no_progress
from periplus.ports.transports import Progress

_T = TypeVar("_T")
_log = logging.getLogger("periplus.core")
_SAY_S = 0.5  # how often whoever waits is told
Tell = Callable[[str, int, int | None], None]
"""How far it is: the stage, what is done, and of how much where that is known."""
Start = Callable[[Callable[[], Awaitable[None]]], None]
"""Starts work that lives as long as the gateway is open."""


class Job(Generic[_T]):
    """One piece of work that has been started."""

    def __init__(self, work: Callable[[Tell], Awaitable[_T]]) -> None:
        self._work = work
        self._over = anyio.Event()
        self._latest: tuple[str, int, int | None] | None = None
        self._made: list[_T] = []
        self._error: Exception | None = None

    async def run(self) -> None:
        """Do the work; what it raises waits for those who ask."""
        try:
            self._made.append(await self._work(self._tell))
        except Exception as error:  # noqa: BLE001 - the outermost frame of work that nobody may be waiting for
            self._error = error
            if not isinstance(error, Problem):  # a refusal is for whoever asks; a fault has to be known if nobody does
                _log.error("work that went on by itself has failed", exc_info=error)
        finally:
            self._over.set()

    @property
    def is_over(self) -> bool:
        return self._over.is_set()

    def _tell(self, stage: str, done: int, total: int | None) -> None:
        self._latest = (stage, done, total)  # from whichever thread the work is in

    async def result(self, wait_s: float, told: Progress = no_progress) -> _T | None:
        """What came of it, or its failure; None when it takes longer than that. Who waits is told how far it is."""
        with anyio.move_on_after(wait_s):
            await self._watch(told)
        if not self.is_over:
            return None
        if self._error is not None:
            raise self._error
        return self._made[0] if self._made else None

    async def _watch(self, told: Progress) -> None:
        said = None
        while not self.is_over:
            with anyio.move_on_after(_SAY_S):
                await self._over.wait()
            if not self.is_over and self._latest and self._latest != said:
                said = stage, done, total = self._latest
                await told(done, total, stage)


class Jobs:
    """The jobs of this process, by what they are about: the same work is never done twice at once."""

    def __init__(self, start: Start) -> None:
        self._start = start
        self._running: dict[Hashable, Job[Any]] = {}

    def of(self, key: Hashable, work: Callable[[Tell], Awaitable[_T]]) -> Job[_T]:
        """The job about this, started now unless it is running."""
        job = self._running.get(key)
        if job is None or job.is_over:
            self._running = {name: one for name, one in self._running.items() if not one.is_over}
            job = self._running[key] = Job(work)
            self._start(job.run)
        return job

    def running(self, key: Hashable) -> Job[Any] | None:
        """The job about this, running or over."""
        return self._running.get(key)
