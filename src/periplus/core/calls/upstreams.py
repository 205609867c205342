"""Each upstream's share: how many calls it gets at once, and whether it is left alone for a while (T-32)."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import anyio

from periplus.core.calls.seats import seated
from periplus.model import CallRules, Code, Problem
from periplus.ports import Clock

_KNOWN = 4096
_DOWN_STATUS = frozenset({500, 502, 503, 504})


class _Upstream:
    """How one upstream has answered lately."""

    def __init__(self, seats: int) -> None:
        self.seats = anyio.CapacityLimiter(seats)
        self.failures = 0
        self.closed_until = 0.0
        self.trying = False


class Upstreams:
    """All upstreams of this process. What one does is nothing to the others."""

    def __init__(self, rules: CallRules, clock: Clock) -> None:
        self._rules = rules
        self._clock = clock
        self._known: OrderedDict[str, _Upstream] = OrderedDict()

    @asynccontextmanager
    async def seat(self, origin: str) -> AsyncGenerator[None]:
        """A place among the calls to an upstream; others wait for one. What goes wrong inside is remembered."""
        upstream = self._of(origin)
        async with seated(upstream.seats):
            trial = self._enter(origin, upstream)
            try:
                yield
            except Problem as problem:
                self._note(upstream, problem)
                raise
            else:
                upstream.failures = 0
                upstream.closed_until = 0.0
            finally:
                upstream.trying = upstream.trying and not trial

    def _enter(self, origin: str, upstream: _Upstream) -> bool:
        """Whether this call is the one that finds out if a failing upstream is back."""
        if not upstream.closed_until:
            return False
        left = upstream.closed_until - self._clock.now()
        if left > 0 or upstream.trying:
            wait = max(left, 1.0)
            raise Problem(
                Code.UNAVAILABLE,
                f"{origin} failed {upstream.failures} times in a row; it is left alone for {wait:.0f} s more",
                hints=("try again later",),
                retryable=True,
                details={"retry_after": round(wait, 1), "not_processed": True, "left_alone": True},
            )
        upstream.trying = True
        return True

    def _note(self, upstream: _Upstream, problem: Problem) -> None:
        if not _is_down(problem):
            if "http_status" in problem.details:  # it answers: the fault is the call's
                upstream.failures, upstream.closed_until = 0, 0.0
            return
        upstream.failures += 1
        if upstream.failures >= self._rules.breaker_failures:
            upstream.closed_until = self._clock.now() + self._rules.breaker_seconds

    def _of(self, origin: str) -> _Upstream:
        found = self._known.get(origin)
        if found is None:
            found = self._known[origin] = _Upstream(self._rules.upstream_concurrency)
            if len(self._known) > _KNOWN:
                self._known.popitem(last=False)
        else:
            self._known.move_to_end(origin)
        return found


def _is_down(problem: Problem) -> bool:
    """Whether a failure says that the upstream is not well. 429 says that it is, and busy."""
    if problem.details.get("asked"):
        return False  # it is there, and wants more than a call has
    if problem.code is Code.UPSTREAM_ERROR:
        return problem.details.get("http_status") in _DOWN_STATUS
    return problem.code in (Code.UNAVAILABLE, Code.TIMEOUT)
