"""A run that waits for a person in its middle: what was done is kept, and is not done again when it goes on."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from periplus.core.calls.leave import Leave
from periplus.core.calls.results import Results
from periplus.documents.canonical import canonical
from periplus.model import Code, Outcome, Principal, Problem, Step, StepState, Together


class Pause(msgspec.Struct, frozen=True, kw_only=True):
    """A run up to the step that a person is asked about."""

    digest: str  # of its steps as they were written
    approval: str
    number: int
    place: int  # which of the step's items
    done: tuple[dict[str, Any], ...]
    leave: Leave | None = None

    @property
    def outcomes(self) -> list[Outcome]:
        return [_thawed(one) for one in self.done]


def digest_of(sequence: Sequence[Step | Together]) -> str:
    """The same for the same steps, another for any others."""
    return hashlib.sha256(canonical([_written(one) for one in sequence])).hexdigest()


def _written(one: Step | Together) -> Any:
    if isinstance(one, Together):
        return [_written(step) for step in one.steps]
    said: dict[str, Any] = msgspec.to_builtins(msgspec.structs.replace(one, fault=None))
    return said


def paused(digest: str, outcomes: Sequence[Outcome], leave: Leave | None) -> Pause | None:
    """The pause that a run ended in; None where it waits for nobody."""
    for outcome in outcomes:
        if (found := _asked(outcome)) is None:
            continue
        place, approval = found
        before = tuple(_frozen(one) for one in outcomes if _counts(one, outcome.number))
        return Pause(digest=digest, approval=approval, number=outcome.number, place=place, done=before, leave=leave)
    return None


def _asked(outcome: Outcome) -> tuple[int, str] | None:
    for place, one in enumerate(outcome.items or (outcome,)):
        problem = one.problem
        if problem is not None and problem.code is Code.APPROVAL_REQUIRED and outcome.state is not StepState.OK:
            return place, str(problem.details.get("approval", ""))
    return None


def _counts(outcome: Outcome, at: int) -> bool:
    """Whether a step need not be looked at again: it ended, or some of its items did."""
    if outcome.number == at:
        return bool(outcome.items)
    return outcome.state is not StepState.NOT_RUN and _asked(outcome) is None


async def keep_pause(results: Results, principal: Principal, pause: Pause) -> None:
    """Keep it for whoever comes back with the answer."""
    kept = msgspec.to_builtins(pause)
    await results.keep(_name(pause.approval), principal, "run", kept, {}, stays=True)


async def find_pause(results: Results, principal: Principal, approval: str, digest: str) -> Pause | None:
    """The run that waits for this approval; an approval for other steps is a conflict."""
    found = await results.find(_name(approval), principal) if approval else None
    if found is None:
        return None
    pause = msgspec.convert(found.value, Pause)
    if pause.digest != digest:
        raise Problem(
            Code.CONFLICT,
            f"approval {approval} was asked for by other steps",
            hints=("run the same steps again with it",),
        )
    return pause


def _name(approval: str) -> str:
    return f"run_{approval}"


def _frozen(outcome: Outcome) -> dict[str, Any]:
    said: Mapping[str, Any] = {
        "number": outcome.number,
        "tool": outcome.tool,
        "name": outcome.name,
        "state": outcome.state.value,
        "value": outcome.value,
        "attempts": outcome.attempts,
        "ms": outcome.ms,
        "items": [_frozen(one) for one in outcome.items],
    }
    problem = outcome.problem
    told = {"code": problem.code.value, "message": problem.message, "hints": problem.hints} if problem else None
    return {**said, "problem": told}


def _thawed(said: dict[str, Any]) -> Outcome:
    told = said["problem"]
    problem = Problem(Code(told["code"]), told["message"], hints=tuple(told["hints"])) if told else None
    plain = {name: said[name] for name in ("number", "tool", "name", "value", "attempts", "ms")}
    items = tuple(_thawed(one) for one in said["items"])
    return Outcome(**plain, state=StepState(said["state"]), problem=problem, items=items)
