"""A checked sequence being run: stage by stage, item by item, within its time and its number of calls."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

import anyio
import msgspec

from periplus.core.calls.seats import seated
from periplus.core.sequence.memory import Memory
from periplus.core.sequence.plan import INDEX, ITEM, Bounds, Planned, Stage, at_step, items_of, walked
from periplus.core.sequence.retrying import pause
from periplus.core.shaping.shape import shaped
from periplus.model import Code, Each, Outcome, Problem, Result, StepState, Tool
from periplus.ports import Clock

Do = Callable[[Planned, dict[str, Any], int], Awaitable[Any]]
"""Make the call of a step with these arguments for an item: a `Result`, or the value of what is no call."""
Told = Callable[[int, Planned], Awaitable[None]]
"""Hear that so many steps have ended, this one last."""


class Checked(msgspec.Struct, frozen=True, kw_only=True):
    """What the check of a step found: its tool, or why it cannot be run."""

    tool: Tool | None = None
    fault: Problem | None = None


class Running:
    """One run. What was done can be read at any moment, also when it is given up."""

    def __init__(
        self,
        stages: Sequence[Stage],
        checked: Mapping[int, Checked],
        memory: Memory,
        bounds: Bounds,
        clock: Clock,
        told: Told,
    ) -> None:
        self._stages = stages
        self._checked = checked
        self._memory = memory
        self._bounds = bounds
        self._clock = clock
        self._calls = 0
        self._done: dict[int, Outcome] = {}
        self._items: dict[int, dict[int, Outcome]] = {}
        self._told = told
        self._began: dict[int, float] = {}

    @property
    def planned(self) -> tuple[Planned, ...]:
        """The steps in order."""
        return tuple(walked(self._stages))

    def tool_of(self, outcome: Outcome) -> str:
        """The tool behind the name that a step gave it."""
        tool = self._checked[outcome.number].tool
        return str(tool.ref) if tool else outcome.tool

    def resume(self, outcomes: Sequence[Outcome]) -> None:
        """Take what was done before as done: whole steps, or items of one."""
        for outcome in outcomes:
            if outcome.state is StepState.ERROR and outcome.items:
                done = {place: one for place, one in enumerate(outcome.items) if one.state is StepState.OK}
                self._items[outcome.number] = done
            else:
                self._done[outcome.number] = outcome

    async def run(self, do: Do, seconds: float) -> Problem | None:
        """Run all there is to run; why it ended early, if it did."""
        with anyio.move_on_after(seconds) as scope:
            for stage in self._stages:
                await self._stage(stage, do)
                if stopper := next((one for one in stage if self._stops(one)), None):
                    return self._done[stopper.number].problem
        if not scope.cancelled_caught:
            return None
        done = sum(one.state is StepState.OK for one in self._done.values())
        return Problem(
            Code.TIMEOUT,
            f"the sequence did not end within {seconds:g} s; {done} of its {len(self.planned)} steps did",
            hints=("what was running may have been done all the same: look before you repeat it",),
        )

    def outcomes(self, ended: Problem | None) -> tuple[Outcome, ...]:
        """Every step: as it ended, as it was cut off, or not run."""
        return tuple(self._outcome(planned, ended) for planned in self.planned)

    def _outcome(self, planned: Planned, ended: Problem | None) -> Outcome:
        if found := self._done.get(planned.number):
            return found
        if planned.number not in self._began:
            return _bare(planned, StepState.NOT_RUN)
        items = tuple(one for _, one in sorted(self._items.get(planned.number, {}).items()))
        cut_off = ended or Problem(Code.CANCELLED, "the caller gave up")
        return _bare(planned, StepState.ERROR, problem=cut_off, items=items, ms=self._ms(planned))

    def _stops(self, planned: Planned) -> bool:
        return not planned.step.goes_on and self._done[planned.number].state is StepState.ERROR

    async def _stage(self, stage: Stage, do: Do) -> None:
        waiting = [planned for planned in stage if planned.number not in self._done]
        if len(waiting) == 1:
            await self._step(waiting[0], do)
        else:
            async with anyio.create_task_group() as together:
                for planned in waiting:
                    together.start_soon(self._step, planned, do)
        for planned in stage:
            self._memory.learn(planned, self._done[planned.number])

    async def _step(self, planned: Planned, do: Do) -> None:
        self._began[planned.number] = anyio.current_time()
        checked = self._checked[planned.number]
        if checked.fault is not None:
            outcome = _bare(planned, StepState.ERROR, problem=checked.fault)
        elif planned.condition is not None and not self._memory.holds(planned.condition, {}):
            outcome = _bare(planned, StepState.SKIPPED)
        elif planned.step.each is not None:
            outcome = await self._each(planned, planned.step.each, do)
        else:
            outcome = await self._once(planned, {}, do)
        self._done[planned.number] = msgspec.structs.replace(outcome, ms=self._ms(planned))
        await self._told(len(self._done), planned)

    async def _each(self, planned: Planned, each: Each, do: Do) -> Outcome:
        try:
            items = self._wanted(planned, each)
        except Problem as problem:
            return _bare(planned, StepState.ERROR, problem=at_step(planned.number, problem))
        done = self._items.setdefault(planned.number, {})
        seats = anyio.CapacityLimiter(each.at_once)
        failed = anyio.Event()

        async def one(place: int, item: Any) -> None:
            async with seated(seats):
                if place in done or (failed.is_set() and not planned.step.goes_on):
                    return
                done[place] = await self._once(planned, {ITEM: item, INDEX: place}, do)
                if done[place].state is StepState.ERROR:
                    failed.set()

        if each.at_once == 1:
            for place, item in enumerate(items):
                await one(place, item)
        else:
            async with anyio.create_task_group() as together:
                for place, item in enumerate(items):
                    together.start_soon(one, place, item)
        return _gathered(planned, [done[place] for place in sorted(done)])

    def _wanted(self, planned: Planned, each: Each) -> list[Any]:
        items = planned.each
        value = items.filled(lambda one: self._memory.value(one, {})).value if items else each.items
        return items_of(value, each.most)

    async def _once(self, planned: Planned, own: Mapping[str, Any], do: Do) -> Outcome:
        attempt = 0
        began = anyio.current_time()
        try:
            arguments = planned.arguments.filled(lambda one: self._memory.value(one, own)).value
            while True:
                attempt += 1
                try:
                    self._count()
                    answered = await do(planned, arguments, own.get(INDEX, 0))
                    break
                except Problem as problem:
                    wait = pause(planned, self._checked[planned.number].tool, problem, attempt, self._jitter())
                    if wait is None:
                        raise
                await anyio.sleep(wait)
        except Problem as problem:
            failed = at_step(planned.number, problem)
            return _bare(planned, StepState.ERROR, problem=failed, attempts=attempt, ms=_since(began))
        return _succeeded(planned, answered, attempt, _since(began))

    def _count(self) -> None:
        if self._calls >= self._bounds.calls:
            raise Problem(
                Code.OVER_LIMIT,
                f"the sequence has made {self._calls:,} calls, which is the most",
                hints=("do the rest in another sequence",),
            )
        self._calls += 1

    def _jitter(self) -> float:
        return int.from_bytes(self._clock.token(2), "big") / 65_535

    def _ms(self, planned: Planned) -> float:
        return _since(self._began[planned.number])


def _since(began: float) -> float:
    return round((anyio.current_time() - began) * 1000, 1)


def _bare(planned: Planned, state: StepState, **more: Any) -> Outcome:
    return Outcome(number=planned.number, tool=planned.step.tool, name=planned.name, state=state, **more)


def _succeeded(planned: Planned, answered: Any, attempts: int, ms: float) -> Outcome:
    """What a step gave: a call has shaped its value itself, anything else is shaped now."""
    if isinstance(answered, Result):
        return _bare(planned, StepState.OK, value=answered.value, result=answered, attempts=attempts, ms=ms)
    value = shaped(answered, planned.shape).value
    return _bare(planned, StepState.OK, value=value, attempts=attempts, ms=ms)


def _gathered(planned: Planned, items: list[Outcome]) -> Outcome:
    """All items of a step; it went well where it may go on and one of them did, or all did."""
    failed = [one for one in items if one.state is StepState.ERROR]
    is_error = bool(failed) and (not planned.step.goes_on or len(failed) == len(items))
    return _bare(
        planned,
        StepState.ERROR if is_error else StepState.OK,
        value=[_item_value(one) for one in items],
        problem=failed[0].problem if is_error else None,
        items=tuple(items),
        attempts=max((one.attempts for one in items), default=0),
    )


def _item_value(item: Outcome) -> Any:
    return (
        item.value
        if item.problem is None
        else {"error": {"code": item.problem.code.value, "message": item.problem.message}}
    )
