"""The place of one server among all: its current session, what is remembered of it, when to try it again."""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any

import anyio
from anyio.abc import TaskGroup

from periplus.model import Code, Problem, SourceSpec
from periplus.net.mcp.journal import Journal
from periplus.net.mcp.timing import Timing
from periplus.net.mcp.watching import Watches

if TYPE_CHECKING:
    from periplus.net.mcp.link import Link
    from periplus.net.mcp.wires import Way

Hear = Callable[[str, Mapping[str, Any]], None]
Make = Callable[[SourceSpec, Journal, Hear], Awaitable["Link"]]


class Seat:
    """One server, from its first use to its removal; links come and go."""

    def __init__(self, spec: SourceSpec, make: Make, tasks: TaskGroup, timing: Timing) -> None:
        self.spec = spec
        self.journal = Journal()
        self._make = make
        self._tasks = tasks
        self._timing = timing
        self._lock = anyio.Lock()
        self._link: Link | None = None
        self._way: Way | None = None
        self._failures = 0
        self._not_before = 0.0
        self._fresh_until = math.inf
        self.watches = Watches(self.link, tasks, timing)

    @property
    def is_stale(self) -> bool:
        """Whether what was listed is older than its server lets it become; told once for each listing (S-93)."""
        stale = anyio.current_time() > self._fresh_until
        if stale:
            self._fresh_until = math.inf
        return stale

    def listed(self, fresh_seconds: float | None) -> None:
        """A listing was read that is good for that long; None: until told otherwise."""
        hello = self._link.hello if self._link else None
        if fresh_seconds is None or (hello is not None and hello.tells_changes):
            self._fresh_until = math.inf
        else:
            self._fresh_until = anyio.current_time() + max(fresh_seconds, self._timing.fresh_least_seconds)

    async def link(self) -> tuple[Link, bool]:
        """The open session, begun if there is none; and whether it was open already."""
        async with self._lock:
            link = self._link
            if link is not None and link.is_open:
                return link, True
            if link is None or link.is_used_up:
                link = await self._begin(link)
            await link.settled.wait()
        if not link.is_open:
            raise link.failure or Problem(
                Code.UNAVAILABLE, f"source {self.spec.id!r}: the session ended at once", retryable=True
            )
        return link, False

    def leave(self) -> None:
        """Let the session end."""
        self.watches.end()
        if self._link is not None:
            self._link.leave()

    async def gone(self) -> None:
        """Wait until nothing of the session is left."""
        if self._link is not None:
            await self._link.ended.wait()

    async def _begin(self, last: Link | None) -> Link:
        if last is not None:
            await last.ended.wait()
            await self._hold_off(last)
        link = self._link = await self._make(self.spec, self.journal, self.watches.hear)
        self._tasks.start_soon(self._keep, link)
        return link

    async def _hold_off(self, last: Link) -> None:
        """Leave a failing server alone for a while; a caller who cannot wait that long is told so."""
        delay = self._not_before - anyio.current_time()
        if delay <= 0:
            return
        if anyio.current_time() + delay > anyio.current_effective_deadline():
            why = f" ({last.failure.message})" if last.failure else ""
            raise Problem(
                Code.UNAVAILABLE,
                f"source {self.spec.id!r} failed {self._failures} times and is tried again in {delay:.1f} s{why}",
                retryable=True,
                details={"retry_after": round(delay, 1), "not_processed": True, "left_alone": True},
            )
        await anyio.sleep(delay)

    async def _keep(self, link: Link) -> None:
        await link.run(self._way, self.spec.idle_seconds)
        self._way = link.way or self._way
        if link.failure is None or link.served:
            self._failures, self._not_before = 0, 0.0
        else:
            self._failures += 1
            self._not_before = anyio.current_time() + self._timing.retry_after(self._failures)
            self._way = None  # perhaps what was remembered is what failed
