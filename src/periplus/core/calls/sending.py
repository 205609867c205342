"""Sending a prepared call: within its deadline, and again where that can do no harm (S-69)."""

from __future__ import annotations

import anyio
import msgspec

from periplus.core.calls.asked import Ready
from periplus.core.calls.upstreams import Upstreams
from periplus.model import Answer, CallRules, Code, Effect, Problem
from periplus.ports import CallWires, Clock, Transport

_AGAIN_STATUS = frozenset({408, 425, 429, 502, 503, 504})
_BASE_S, _MOST_S = 0.2, 5.0
_GRACE_S = 0.25  # a transport keeps the deadline itself, and says more about it than we could


class Sent(msgspec.Struct, frozen=True, kw_only=True):
    """An answer, and how often it was asked for."""

    answer: Answer
    attempts: int


class Sender:
    """Sends calls; a call that may not be repeated is sent at most once."""

    def __init__(self, rules: CallRules, clock: Clock, wires: CallWires) -> None:
        self._rules = rules
        self._clock = clock
        self._wires = wires
        self._upstreams = Upstreams(rules, clock)

    async def send(self, transport: Transport, ready: Ready) -> Sent:
        """The answer of the first attempt that gets one."""
        limit = ready.calling.timeout_s
        began = anyio.current_time()
        ends = began + limit
        attempt = 0
        try:
            with anyio.fail_after(limit + _GRACE_S):
                while True:
                    attempt += 1
                    try:
                        answer = await self._once(transport, ready, ends - anyio.current_time())
                        return Sent(answer=_timed(answer, anyio.current_time() - began), attempts=attempt)
                    except Problem as problem:
                        pause = self._pause(ready, problem, attempt)
                        if pause is None or anyio.current_time() + pause >= ends:
                            raise _counted(problem, attempt) from problem
                    await anyio.sleep(pause)
        except TimeoutError as error:
            raise Problem(
                Code.TIMEOUT,
                f"{ready.tool.ref} did not answer within {limit:g} s",
                hints=_timeout_hints(ready),
                retryable=_may_repeat(ready),
                details={"attempts": attempt},
            ) from error

    async def _once(self, transport: Transport, ready: Ready, left_s: float) -> Answer:
        calling = msgspec.structs.replace(ready.calling, timeout_s=max(left_s, 0.001))
        async with self._upstreams.seat(ready.prepared.origin):
            return await transport.send(ready.prepared, ready.tool, ready.site, calling, self._wires)

    def _pause(self, ready: Ready, problem: Problem, attempt: int) -> float | None:
        """How long to wait before the next attempt; None when there must be none."""
        if attempt >= self._rules.attempts or not _worth_repeating(problem):
            return None
        asked = _retry_after(problem)
        untouched = bool(problem.details.get("not_processed"))
        refused = problem.details.get("http_status") in {429, 503} and asked is not None
        if not (_may_repeat(ready) or untouched or refused):
            return None
        jitter = int.from_bytes(self._clock.token(2), "big") / 65_536
        longest = min(_MOST_S, _BASE_S * 2.0**attempt)
        return max(asked or 0.0, jitter * longest)


def _timed(answer: Answer, seconds: float) -> Answer:
    """The answer, and how long it was waited for, all attempts together (S-73)."""
    return msgspec.structs.replace(answer, meta=answer.meta | {"duration_ms": round(seconds * 1000, 1)})


def _worth_repeating(problem: Problem) -> bool:
    if problem.details.get("left_alone") or problem.details.get("asked"):
        return False
    if problem.details.get("http_status") is not None:
        return problem.details["http_status"] in _AGAIN_STATUS
    return problem.code is Code.UNAVAILABLE or (problem.code is Code.UPSTREAM_ERROR and problem.retryable)


def _may_repeat(ready: Ready) -> bool:
    """Whether sending it twice does what sending it once does."""
    return ready.tool.effect is Effect.READ or ready.tool.idempotent


def _retry_after(problem: Problem) -> float | None:
    asked = problem.details.get("retry_after")
    return float(asked) if isinstance(asked, int | float) and asked >= 0 else None


def _counted(problem: Problem, attempts: int) -> Problem:
    """The upstream's refusal, with the number of attempts where there were several."""
    if attempts > 1:
        problem.details["attempts"] = attempts
    return problem


def _timeout_hints(ready: Ready) -> tuple[str, ...]:
    if _may_repeat(ready):
        return ("make the same call again, or give it a longer timeout_s (300 at most)",)
    return ("it may have been done all the same: look before you repeat it", "give it a longer timeout_s (300 at most)")
