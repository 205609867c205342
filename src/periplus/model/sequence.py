"""Several calls as one: steps whose arguments may refer to what earlier ones gave, and what became of each."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

import msgspec

from periplus.model.call import Result
from periplus.model.problem import Problem

MAX_ITEMS, ITEMS_AT_ONCE, ATTEMPTS = 500, 8, 10


class Retry(msgspec.Struct, frozen=True, kw_only=True):
    """How often a step that failed is tried again, and after which failures."""

    times: int = 1
    codes: tuple[str | int, ...] = ()  # problem codes or HTTP statuses; empty: those that pass by themselves
    delay_s: float = 0.5  # the first pause, at most; each further one may be twice as long


class Each(msgspec.Struct, frozen=True, kw_only=True):
    """A step done once for every item, which it knows as `$item`, its place as `$index`."""

    items: Any  # a list, or a reference to one
    most: int = 50  # a longer list is refused before its first item
    at_once: int = 1


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """One call of a sequence."""

    tool: str
    arguments: dict[str, Any] = {}
    name: str = ""  # what later steps and calls may call its value, beside `stepN`
    select: str | tuple[str, ...] = ""
    filter: str | dict[str, Any] = ""
    limit: int | None = None
    offset: int = 0
    condition: str = ""  # skipped where it does not hold
    each: Each | None = None
    retry: Retry | None = None
    goes_on: bool = False  # whether later steps run although this one failed
    fault: Problem | None = None  # what its reader found wrong with it, as if its check had


class Together(msgspec.Struct, frozen=True, kw_only=True):
    """Steps that run at the same time, and cannot refer to each other."""

    steps: tuple[Step, ...]


class StepState(StrEnum):
    """What became of a step."""

    OK = "ok"
    ERROR = "error"
    SKIPPED = "skipped"  # its condition did not hold
    NOT_RUN = "not_run"  # the sequence ended before it


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """A step that was done, for one item or for all of them."""

    number: int
    tool: str
    name: str
    state: StepState
    value: Any = None
    problem: Problem | None = None
    result: Result | None = None  # what its call answered, where it was a single one
    items: tuple[Outcome, ...] = ()  # of a step that was done for each
    attempts: int = 0
    ms: float = 0.0


class Ran(msgspec.Struct, frozen=True, kw_only=True):
    """A sequence that has ended: every step of it, in order."""

    steps: tuple[Outcome, ...]
    problem: Problem | None = None  # why it ended before its last step, where that was not by a plan
    notes: tuple[str, ...] = ()
    trace: str = ""

    @property
    def failed(self) -> bool:
        """Whether it was stopped, or nothing of it went well though something was tried."""
        tried = [one for one in self.steps if one.state in (StepState.OK, StepState.ERROR)]
        return self.problem is not None or (bool(tried) and all(one.state is StepState.ERROR for one in tried))
