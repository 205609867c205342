"""A sequence read and checked as far as it can be without looking at a tool: numbers, names, references, bounds."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any

import msgspec

from periplus.core.conditions.reading import read_condition
from periplus.core.conditions.terms import Condition, names_in
from periplus.core.sequence.names import STEP, check_name
from periplus.core.sequence.outline import outline
from periplus.core.sequence.references import Known, Reference, read_path
from periplus.core.sequence.templates import Template, template
from periplus.core.shaping.shape import WHOLE, Shape, shape_of
from periplus.model import Code, Each, Problem, Retry, Step, Together
from periplus.model.sequence import ATTEMPTS, ITEMS_AT_ONCE, MAX_ITEMS

ITEM, INDEX = "item", "index"
_TOGETHER = 16


class Bounds(msgspec.Struct, frozen=True, kw_only=True):
    """How large a sequence may be."""

    steps: int = 50
    calls: int = 1000
    seconds: float = 300.0


class Planned(msgspec.Struct, frozen=True, kw_only=True):
    """A step that can be run: everything in it is read."""

    number: int
    step: Step
    arguments: Template
    shape: Shape = WHOLE
    condition: Condition | None = None
    each: Template | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """What its value is called."""
        return (f"step{self.number}", *([self.step.name] if self.step.name else []))

    @property
    def name(self) -> str:
        return self.names[-1]

    @property
    def references(self) -> list[Reference]:
        """Every value it needs."""
        found = [*self.arguments.references, *(self.each.references if self.each else [])]
        return found + [
            one for text in (names_in(self.condition) if self.condition else ()) if (one := read_path(text))
        ]


Stage = tuple[Planned, ...]
"""Steps that run at the same time; mostly one."""


def plan(sequence: Sequence[Step | Together], known: Collection[str], bounds: Bounds) -> tuple[Stage, ...]:
    """The stages of a sequence, in order; the first thing that is wrong with it is refused, naming the step.

    `known` are the names of values that are there already.
    """
    stages = [one.steps if isinstance(one, Together) else (one,) for one in sequence]
    total = sum(map(len, stages))
    if not 1 <= total <= bounds.steps:
        raise Problem(Code.BAD_INPUT, f"a sequence has 1 to {bounds.steps} steps, not {total}")
    names = _names([step for stage in stages for step in stage])
    made: list[Stage] = []
    first = 0
    for one, stage in zip(sequence, stages, strict=True):
        with_number = [(first + place, step) for place, step in enumerate(stage)]
        if isinstance(one, Together) and not 2 <= len(stage) <= _TOGETHER:
            raise at_step(first, Problem(Code.BAD_INPUT, f"2 to {_TOGETHER} steps run at once, not {len(stage)}"))
        made.append(tuple(_planned(number, step, names, first, known) for number, step in with_number))
        first += len(stage)
    return tuple(made)


def _names(steps: Sequence[Step]) -> dict[str, int]:
    """Which step a name belongs to."""
    found = {f"step{number}": number for number in range(len(steps))}
    for number, step in enumerate(steps):
        if not step.name:
            continue
        try:
            check_name(step.name)
        except Problem as problem:
            raise at_step(number, problem) from problem
        if step.name in found:
            message = f"step {found[step.name]} has the name {step.name!r} as well"
            raise at_step(number, Problem(Code.BAD_INPUT, message, hints=("give each step a name of its own",)))
        found[step.name] = number
    return found


def _planned(number: int, step: Step, names: dict[str, int], first: int, known: Collection[str]) -> Planned:
    try:
        made = _read(number, step, names, known)
        for reference in made.references:
            _check_order(reference, number, names, first, known)
    except Problem as problem:
        raise at_step(number, problem) from problem
    return made


def _read(number: int, step: Step, names: dict[str, int], known: Collection[str]) -> Planned:
    own = {ITEM, INDEX} if step.each else set[str]()

    def is_known(name: str) -> bool:
        return name in names or name in known or name in own

    if not step.tool and step.fault is None:
        raise Problem(Code.BAD_INPUT, "it names no tool")
    _check_retry(step.retry)
    planned = Planned(
        number=number,
        step=step,
        arguments=template(step.arguments, is_known),
        shape=shape_of(step.select, step.filter, step.limit, step.offset),
        condition=_condition(step.condition, is_known) if step.condition.strip() else None,
        each=_each(step.each, is_known) if step.each else None,
    )
    if unknown := [one for one in planned.arguments.references if not is_known(one.name)]:
        raise nobody(unknown[0], sorted({*names, *known, *own}))
    return planned


def _condition(text: str, is_known: Known) -> Condition:
    condition = read_condition(text)
    for name in names_in(condition):
        reference = read_path(name)
        if reference is None or (not name.startswith("$") and not is_known(reference.name)):
            raise Problem(
                Code.BAD_INPUT,
                f"condition: {name!r} is no reference",
                hints=(f"write ${name} for the value of a step or a stored result",),
            )
    return condition


def _each(each: Each, is_known: Known) -> Template:
    if not 1 <= each.most <= MAX_ITEMS:
        raise Problem(Code.BAD_INPUT, f"a step is done for 1 to {MAX_ITEMS} items, not {each.most}")
    if not 1 <= each.at_once <= ITEMS_AT_ONCE:
        raise Problem(Code.BAD_INPUT, f"1 to {ITEMS_AT_ONCE} items are worked on at once, not {each.at_once}")
    items = template(each.items, is_known)
    if not isinstance(items.tree, Reference):
        items_of(items.tree, each.most)
    unknown = [one for one in items.references if not is_known(one.name) or one.name in (ITEM, INDEX)]
    if unknown:
        raise Problem(Code.BAD_INPUT, f"{unknown[0].text} is nothing that a step can be done for each of")
    return items


def items_of(value: Any, most: int) -> list[Any]:
    """The items a step is done for; nothing is cut silently."""
    if not isinstance(value, list):
        hints = ("append [*] for the values of an object",) if isinstance(value, dict) else ("give a list",)
        raise Problem(
            Code.BAD_INPUT, f"a step is done for each item of a list, and this is: {outline(value)}", hints=hints
        )
    if len(value) > most:
        raise Problem(
            Code.OVER_LIMIT,
            f"the list has {len(value)} items, and at most {most} are wanted",
            hints=(f"allow more, {MAX_ITEMS} at most, or take a part: [0:{most}]",),
        )
    return value


def _check_retry(retry: Retry | None) -> None:
    if retry is not None and not (0 <= retry.times <= ATTEMPTS and retry.delay_s >= 0):
        raise Problem(Code.BAD_INPUT, f"a step is tried again 0 to {ATTEMPTS} times, after a pause of 0 s or more")


def _check_order(reference: Reference, number: int, names: dict[str, int], first: int, known: Collection[str]) -> None:
    """A step looks back only; beside it stands what runs at the same time."""
    found = names.get(reference.name)
    if found is None or found < first or (reference.name in known and not STEP.fullmatch(reference.name)):
        return
    which = "itself" if found == number else f"step {found}, which {'runs beside it' if found < number else 'is later'}"
    raise Problem(
        Code.BAD_INPUT,
        f"{reference.text} refers to {which}",
        hints=("a step can refer to what ended before it began",),
    )


def nobody(reference: Reference, there: Sequence[str]) -> Problem:
    """The refusal of a reference by a name that nothing has; such a text is never sent."""
    listed = ", ".join(f"${name}" for name in there[:20]) or "no names yet"
    return Problem(
        Code.PLACEHOLDER,
        f"{reference.text}: nothing is called {reference.name!r}",
        hints=(f"there are: {listed}", "write $$ for a dollar sign"),
        details={"names": list(there[:50]), "reference": reference.text},
    )


def at_step(number: int, problem: Problem) -> Problem:
    """A problem that says which step it is about."""
    if "step" in problem.details:
        return problem
    return Problem(
        problem.code,
        f"step {number}: {problem.message}",
        hints=problem.hints,
        next_action=problem.next_action,
        where=problem.where,
        retryable=problem.retryable,
        details=problem.details | {"step": number},
    )


def walked(stages: Sequence[Stage]) -> Iterator[Planned]:
    """All steps in the order of their numbers."""
    return (planned for stage in stages for planned in stage)
