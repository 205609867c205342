"""Running a function: the asynchronous are awaited, the others have one of so many threads (S-103)."""

from __future__ import annotations

import inspect
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from typing import Any, TypeVar

import anyio
import anyio.from_thread
import anyio.to_thread
from anyio.lowlevel import RunVar, current_token

from periplus.provider.foreign import Fault, attempt, attempt_async
from periplus.provider.giving import ITEMS_MAX, Given, given
from periplus.provider.work import Called, Work

THREADS = 40
Made = TypeVar("Made")
_bench: RunVar[anyio.CapacityLimiter] = RunVar("_bench")


async def run(work: Work, called: Called) -> Given | Fault:
    """What the function gives, or what it raised instead."""

    def made() -> Any:
        return work.function(*called.positional, **called.named)

    if work.is_async:
        return await attempt_async(lambda: _told(made()))
    found = await in_thread(lambda: attempt(lambda: _unless_awaited(made())))
    if isinstance(found, Fault | Given):
        return found
    return await attempt_async(lambda: _told(found))


def run_alone(work: Work, called: Called) -> Given | Fault:
    """The same where nothing else runs, in a process of its own."""

    async def told() -> Given:
        return await _told(work.function(*called.positional, **called.named))

    return attempt(lambda: anyio.run(told))


async def _told(result: Any) -> Given:
    """A result that is there, is awaited, or comes item by item."""
    while inspect.isawaitable(result):
        result = await result
    if isinstance(result, AsyncIterator):
        result = await _items(result)
    return given(result)


async def _items(result: AsyncIterator[Any]) -> Any:
    items: list[Any] = []
    async for item in result:
        items.append(item)
        if len(items) > ITEMS_MAX:
            break  # the one too many says that there are more
    return iter(items)


def _unless_awaited(result: Any) -> Any:
    """The result told, in the thread that made it; what has to be awaited goes back as it is."""
    return result if inspect.isawaitable(result) or isinstance(result, AsyncIterator) else given(result)


async def in_thread(job: Callable[[], Made]) -> Made:
    """Have a thread do it. When nobody waits any more it goes on, and keeps its place until it has ended."""
    bench = _bench.get(None)
    if bench is None:
        bench = anyio.CapacityLimiter(THREADS)
        _bench.set(bench)
    place = _Place(bench)
    await bench.acquire_on_behalf_of(place)
    try:
        return await anyio.to_thread.run_sync(
            lambda: place.during(job), abandon_on_cancel=True, limiter=anyio.CapacityLimiter(1)
        )
    finally:
        place.leave()


class _Place:
    """A place on the bench, given back by whoever is last to need it: the waiting call or the working thread."""

    def __init__(self, bench: anyio.CapacityLimiter) -> None:
        self._bench = bench
        self._token = current_token()
        self._lock = threading.Lock()
        self._working = False
        self._left = False

    def during(self, job: Callable[[], Made]) -> Made:
        with self._lock:
            self._working = True
        try:
            return job()
        finally:
            with self._lock:
                self._working = False
                left = self._left
            if left:
                with suppress(RuntimeError):  # the gateway has ended meanwhile
                    anyio.from_thread.run_sync(self._release, token=self._token)

    def leave(self) -> None:
        with self._lock:
            self._left = True
            working = self._working
        if not working:
            self._release()

    def _release(self) -> None:
        self._bench.release_on_behalf_of(self)
