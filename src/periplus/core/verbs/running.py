"""The verb run: several calls as one, looked at together before the first of them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

import anyio
import msgspec

from periplus.core.audit import Note
from periplus.core.calls.approvals import waiting
from periplus.core.calls.asked import Asked
from periplus.core.calls.leave import Leave
from periplus.core.mending.lenient import STRICT, Leniency
from periplus.core.sequence.checking import Checking, Looked
from periplus.core.sequence.memory import Memory
from periplus.core.sequence.pausing import Pause, digest_of, find_pause, keep_pause, paused
from periplus.core.sequence.plan import Bounds, Planned, Stage, plan, walked
from periplus.core.sequence.running import Running
from periplus.core.sequence.shelf import LAST
from periplus.core.sequence.values import New
from periplus.core.wired import Wired
from periplus.model import (
    LOCAL,
    Approval,
    Principal,
    Problem,
    Ran,
    Step,
    StepState,
    Together,
)
from periplus.ports import Listener, no_progress
from periplus.ports.transports import Progress

_WHOLE = 1 << 62
Own = Callable[[dict[str, Any]], Awaitable[Any]]
"""Something beside tools that a protocol lets its sequences do."""


class _Asks(msgspec.Struct, frozen=True, kw_only=True):
    """Who runs a sequence, and how."""

    principal: Principal
    session: str
    leniency: Leniency
    own: Mapping[str, Own]
    presented: dict[str, str]
    listener: Listener | None
    leave: Leave | None = None
    pause: Pause | None = None
    again: list[Leave]  # for the call that the pause was about, once its approval is spent: it may be tried again


class RunVerbs(Wired):
    """Sequences."""

    async def run(  # noqa: PLR0913 - each says one thing about a run
        self,
        steps: Sequence[Step | Together],
        *,
        principal: Principal = LOCAL,
        session: str = "",
        approval: str = "",
        values: Mapping[str, Any] | None = None,
        own: Mapping[str, Own] | None = None,
        leniency: Leniency = STRICT,
        bounds: Bounds = Bounds(),  # noqa: B008 - frozen
        timeout_s: float | None = None,
        presented: Mapping[str, str] | None = None,
        progress: Progress = no_progress,
        listener: Listener | None = None,
    ) -> Ran:
        """Run steps in their order, each through `call`, after all of them were looked at.

        Arguments may refer to what is known: `$step0.id`, a step's own name, `values`, and what the `session` keeps.
        Where a person has to agree nothing runs; the same steps with the granted `approval` do, once. A question that
        arises only from a value pauses the run: with its approval the same steps go on from there. What a step gave
        stays in the session. `own` are steps that are no calls of tools.
        """
        async with self._audit.event("run", principal, _titles(steps), session=session) as note:
            shelf = (await self._values.shelf(principal, session)).without_steps()
            given = dict(values or {})
            stages = plan(steps, {*shelf.names, *([LAST] if shelf.last else []), *given}, bounds)
            needed = [one.name for planned in walked(stages) for one in planned.references if one.name not in given]
            given = await self._values.read(principal, shelf, needed) | given
            digest = digest_of(steps)
            pause = await find_pause(self._calls.results, principal, approval, digest)
            asks = _Asks(
                principal=principal,
                session=session,
                leniency=leniency,
                own=own or {},
                presented={name.lower(): text for name, text in (presented or {}).items()},
                listener=listener,
                leave=pause.leave if pause else None,
                pause=pause,
                again=[],
            )
            looked = await self._looked(stages, given, asks)
            if pause is None:
                asks = msgspec.structs.replace(asks, leave=await self._permitted(looked, asks, approval))
            running = Running(
                looked.stages, looked.checked, Memory(given), bounds, self.clock, _teller(stages, progress)
            )
            running.resume(pause.outcomes if pause else [])
            seconds = min(bounds.seconds if timeout_s is None else timeout_s, bounds.seconds)
            return await self._ran(running, asks, digest, seconds, note)

    async def _looked(self, stages: tuple[Stage, ...], values: Mapping[str, Any], asks: _Asks) -> Looked:
        judge, sources = await self._standing.judge_and_sources(asks.principal)
        checking = Checking(self._calls.several, judge, sources, asks.leniency)
        ran = {one.number for one in asks.pause.outcomes} if asks.pause else set[int]()
        return await checking.look(stages, values, asks.own, ran)

    async def _permitted(self, looked: Looked, asks: _Asks, approval: str) -> Leave | None:
        """The leave for all that needs one; without it the question is put and the run refused."""
        judge = await self._standing.judge(asks.principal)
        if approval:
            return await self._calls.several.leave(approval, looked.seen, judge)
        question = await self._calls.several.ask(looked.seen, judge)
        if question is not None:
            raise _waiting(question)
        return None

    async def _ran(self, running: Running, asks: _Asks, digest: str, seconds: float, note: Note) -> Ran:
        ended: Problem | None = None
        try:
            ended = await running.run(lambda planned, args, place: self._step(planned, args, place, asks), seconds)
        except anyio.get_cancelled_exc_class():
            with anyio.CancelScope(shield=True):  # what was done is remembered, whoever gave up waiting
                await self._settled(running, None, asks, note)
            raise
        notes = await self._settled(running, ended, asks, note)
        outcomes = running.outcomes(ended)
        pause = paused(digest, outcomes, asks.leave)
        if pause is not None:
            await keep_pause(self._calls.results, asks.principal, pause)
        if ended is not None:
            note.ended(ended.code.value)
        return Ran(steps=outcomes, problem=ended, notes=notes, trace=note.trace)

    async def _settled(self, running: Running, ended: Problem | None, asks: _Asks, note: Note) -> tuple[str, ...]:
        """Remember what the steps gave, and write down how each ended."""
        outcomes = running.outcomes(ended)
        note.add(steps=[f"{one.number} {one.tool}: {one.state.value}" for one in outcomes])
        names = {planned.number: planned.names for planned in running.planned}
        news = [
            New(tool=running.tool_of(one), value=one.value, names=names[one.number])
            for one in outcomes
            if one.state is StepState.OK
        ]
        return (await self._values.remember(asks.principal, asks.session, news, afresh=True)).notes

    async def _step(self, planned: Planned, arguments: dict[str, Any], place: int, asks: _Asks) -> Any:
        """The call of a step; what is no call is done by whoever brought it."""
        step = planned.step
        if step.tool in asks.own:
            return await asks.own[step.tool](arguments)
        pause = asks.pause
        waited = pause is not None and (pause.number, pause.place) == (planned.number, place)
        asked = Asked(
            tool=step.tool,
            arguments=arguments,
            principal=asks.principal,
            session=asks.session,
            approval=pause.approval if pause is not None and waited and not asks.again else "",
            leave=asks.again[0] if waited and asks.again else asks.leave,
            used=asks.again.append if waited else None,
            shape=planned.shape,
            budget=_WHOLE,
            leniency=asks.leniency,
            presented=asks.presented,
            listener=asks.listener,
        )
        judge, sources = await self._standing.judge_and_sources(asks.principal)
        return await self._calls.call(asked, judge, sources)


def _titles(steps: Sequence[Step | Together]) -> str:
    flat = [step for one in steps for step in (one.steps if isinstance(one, Together) else (one,))]
    return ", ".join(step.tool for step in flat)


def _waiting(question: Approval) -> Problem:
    """The refusal of a whole sequence."""
    problem = waiting(question)
    return Problem(
        problem.code,
        problem.message.replace("approve this call", "approve this sequence"),
        hints=(problem.hints[0], f"then run the same steps with approval={question.id!r}; they run once"),
        next_action={"op": "run", "args": {"approval": question.id}},
        retryable=True,
        details=problem.details,
    )


def _teller(stages: tuple[Stage, ...], progress: Progress) -> Callable[[int, Planned], Awaitable[None]]:
    total = sum(map(len, stages))

    async def told(done: int, planned: Planned) -> None:
        await progress(float(done), float(total), f"step {planned.number}: {planned.step.tool}")

    return told
