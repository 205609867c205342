"""How often and how many at once: the limits of principals and tools (T-32)."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import AsyncGenerator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager

import anyio
import msgspec

from periplus.core.calls.seats import seated
from periplus.core.policy import is_meant
from periplus.core.policy.compiled import selector
from periplus.model import CallRules, Code, Limit, Principal, Problem, Rate, Selector, Tool
from periplus.ports import Clock, Ledger

_RATE = re.compile(r"\s*(\d+)\s*/\s*(s|sec|second|m|min|minute|h|hour|d|day)\s*", re.IGNORECASE)
_SECONDS = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0}
_KNOWN = 10_000


def rate(text: str) -> Rate:
    """`100/m` as a bucket: a hundred at once, and as many again in each minute."""
    found = _RATE.fullmatch(text)
    if found is None or int(found[1]) < 1:
        raise Problem(Code.BAD_SETTING, f"not a rate: {text[:40]!r}", hints=("write 10/s, 600/m, 100/h or 1000/d",))
    count = float(found[1])
    return Rate(capacity=count, per_second=count / _SECONDS[found[2][0].lower()])


class _Rule(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    limit: Limit
    selectors: tuple[Selector, ...]
    rates: tuple[Rate, ...]


class Limits:
    """The limits an operator set. Rates are kept in the ledger, for all replicas; places are this process's."""

    def __init__(self, rules: CallRules, ledger: Ledger, clock: Clock) -> None:
        self._ledger = ledger
        self._clock = clock
        self._rules = tuple(_ready(limit, number) for number, limit in enumerate(rules.limits, 1))
        self._most = rules.concurrency
        self._seats: OrderedDict[str, anyio.CapacityLimiter] = OrderedDict()

    def timeout_s(self, principal: Principal, tool: Tool) -> float:
        """The least that a limit allows; 0 when none says."""
        found = [one.limit.timeout_seconds for one in self._of(principal, tool) if one.limit.timeout_seconds > 0]
        return min(found, default=0.0)

    def response_bytes(self, principal: Principal, tool: Tool, default: int) -> int:
        found = [one.limit.response_bytes for one in self._of(principal, tool) if one.limit.response_bytes > 0]
        return min(found, default=default)

    async def draw(self, principal: Principal, tool: Tool) -> None:
        """Count this call against every rate that concerns it, or refuse it until there is room again."""
        for rule in self._of(principal, tool):
            for number, measure in enumerate(rule.rates):
                bucket = f"{rule.name}:{number}:{_measured(rule, principal, tool)}"
                wait = await self._ledger.draw(bucket, measure, self._clock.now())
                if wait > 0:
                    raise _too_often(rule, number, principal, wait)
        if declared := _declared(tool):
            wait = await self._ledger.draw(f"tool:{tool.ref}:{principal.tenant}", declared, self._clock.now())
            if wait > 0:
                raise _refused(f"{tool.ref} allows no more calls for now, as its source says", wait)

    @asynccontextmanager
    async def seat(self, principal: Principal, tool: Tool) -> AsyncGenerator[None]:
        """A place among the calls of a principal; a call over the limit waits for one."""
        async with AsyncExitStack() as stack:
            for name, size in self._places(principal, tool):
                await stack.enter_async_context(seated(self._limiter(name, size)))
            yield

    def _places(self, principal: Principal, tool: Tool) -> Iterator[tuple[str, int]]:
        yield f"all:{principal.tenant}/{principal.id}", self._most
        for rule in self._of(principal, tool):
            if rule.limit.concurrency > 0:
                yield f"{rule.name}:{_measured(rule, principal, tool)}", rule.limit.concurrency

    def _limiter(self, name: str, size: int) -> anyio.CapacityLimiter:
        found = self._seats.get(name)
        if found is None:
            found = self._seats[name] = anyio.CapacityLimiter(size)
            if len(self._seats) > _KNOWN:
                self._seats.popitem(last=False)
        else:
            self._seats.move_to_end(name)
        return found

    def _of(self, principal: Principal, tool: Tool) -> Iterator[_Rule]:
        for rule in self._rules:
            if is_meant(rule.limit.principal, principal) and any(one.admits(tool) for one in rule.selectors):
                yield rule


def _ready(limit: Limit, number: int) -> _Rule:
    return _Rule(
        name=f"limit {number}",
        limit=limit,
        selectors=tuple(selector(text) for text in limit.tools),
        rates=tuple(rate(text) for text in limit.rate),
    )


def _measured(rule: _Rule, principal: Principal, tool: Tool) -> str:
    who = f"{principal.tenant}/{principal.id}"
    return f"{who}:{tool.ref}" if rule.limit.each else who


def _declared(tool: Tool) -> Rate | None:
    """The rate a document states for its tool; one that cannot be read is nobody's."""
    said = tool.metadata.get("rate")
    return rate(said) if isinstance(said, str) and _RATE.fullmatch(said) else None


def _too_often(rule: _Rule, number: int, principal: Principal, wait: float) -> Problem:
    return _refused(f"{principal.id} has used up {rule.limit.rate[number]} of {rule.name}", wait)


def _refused(message: str, wait: float) -> Problem:
    return Problem(
        Code.RATE_LIMITED,
        f"{message}; there is room again in {max(1, round(wait))} s",
        hints=("wait, then make the same call",),
        retryable=True,
        details={"retry_after": round(wait, 1)},
    )
