"""One request for many who want the same: a value with an end, fetched once, shared by all who wait."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable

import anyio
import msgspec

from periplus.model import Problem

_MOST = 10_000


class Fresh(msgspec.Struct, frozen=True, kw_only=True):
    """A secret value, and until when it is used."""

    value: str
    until: float
    refresh_token: str = ""  # what came with it, for the next one


class _Seat:
    """What is known under one key."""

    def __init__(self) -> None:
        self.lock = anyio.Lock()
        self.fresh: Fresh | None = None
        self.failure: Problem | None = None
        self.turn = 0  # grows with each attempt that ended
        self.waiting = 0


class Flights:
    """Values by key. Whoever comes while one is fetched waits for that one, and shares its failure too."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._seats: OrderedDict[Hashable, _Seat] = OrderedDict()

    async def get(self, key: Hashable, fetch: Callable[[Fresh | None], Awaitable[Fresh]], *, refused: str = "") -> str:
        """The value under a key; `refused` is one that is known to be good no longer."""
        seat = self._seat(key)
        if (value := self._usable(seat, refused)) is not None:
            return value
        turn = seat.turn
        seat.waiting += 1
        try:
            async with seat.lock:
                if (value := self._usable(seat, refused)) is not None:
                    return value
                if seat.turn != turn and seat.failure is not None:
                    raise _again(seat.failure)
                return await self._fetched(seat, fetch)
        finally:
            seat.waiting -= 1

    async def _fetched(self, seat: _Seat, fetch: Callable[[Fresh | None], Awaitable[Fresh]]) -> str:
        try:
            seat.fresh = await fetch(seat.fresh)
        except Problem as problem:
            seat.failure = problem
            seat.turn += 1
            raise
        seat.failure = None
        seat.turn += 1
        return seat.fresh.value

    def _usable(self, seat: _Seat, refused: str) -> str | None:
        fresh = seat.fresh
        return fresh.value if fresh and fresh.value != refused and self._now() < fresh.until else None

    def _seat(self, key: Hashable) -> _Seat:
        seat = self._seats.setdefault(key, _Seat())
        self._seats.move_to_end(key)
        if len(self._seats) > _MOST:
            oldest = next(iter(self._seats))
            if not self._seats[oldest].waiting:
                del self._seats[oldest]
        return seat


def _again(problem: Problem) -> Problem:
    """A copy for another caller: one exception object must not travel two ways at once."""
    return Problem(
        problem.code, problem.message, hints=problem.hints, retryable=problem.retryable, details=problem.details
    )
