"""Doing something alone among all processes that share a store, without leaving others waiting for the dead (S-110)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TypeVar

import anyio

from periplus.model import Problem
from periplus.ports import Clock, Store

_T = TypeVar("_T")
# A killed holder keeps others waiting at most that long; a living one renews well before.
_LEASE_S, _RENEW_S, _ASK_S = 6.0, 2.0, 0.1


class Turns:
    """Gives turns in one store, by one clock."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    async def alone(self, name: str, work: Callable[[], Awaitable[_T]]) -> _T:
        """What `work` gives, done while nobody else does `name`."""
        holder = self._clock.token(12).hex()
        while not await self._take(name, holder):  # noqa: ASYNC110 - another process can set no event of ours
            await anyio.sleep(_ASK_S)
        try:
            return await self._held(name, holder, work)
        finally:
            with anyio.CancelScope(shield=True):
                await self._store.lease(name, holder, self._clock.now(), self._clock.now())

    async def _take(self, name: str, holder: str) -> bool:
        now = self._clock.now()
        return await self._store.lease(name, holder, now + _LEASE_S, now)

    async def _held(self, name: str, holder: str, work: Callable[[], Awaitable[_T]]) -> _T:
        done: list[_T] = []
        refused: list[Problem] = []
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._renew, name, holder)
            try:
                done.append(await work())
            except Problem as problem:  # out of the group as it is, not wrapped
                refused.append(problem)
            tasks.cancel_scope.cancel()
        if refused:
            raise refused[0]
        return done[0]

    async def _renew(self, name: str, holder: str) -> None:
        while True:
            await anyio.sleep(_RENEW_S)
            with suppress(Problem):  # a renewal that fails is not the failure of the work
                await self._take(name, holder)
