"""Every step looked at before the first one runs: its tool, its arguments, what the policy says (H-65)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import msgspec

from periplus.core.calls.leave import Wanted
from periplus.core.calls.several import Seen, Several
from periplus.core.mending.lenient import Leniency
from periplus.core.policy import Judge
from periplus.core.sequence.plan import INDEX, ITEM, Planned, Stage, at_step, walked
from periplus.core.sequence.references import All, Reference
from periplus.core.sequence.running import Checked
from periplus.core.sequence.templates import Template
from periplus.core.sequence.walking import value_at
from periplus.model import Problem, SourceRecord


class Looked(msgspec.Struct, frozen=True, kw_only=True):
    """What was found: for each step by its number, and the calls as a person would be asked for them."""

    stages: tuple[Stage, ...]
    checked: dict[int, Checked]
    seen: tuple[Seen, ...]


class Checking:
    """Looks at sequences with the eyes of a principal."""

    def __init__(self, several: Several, judge: Judge, sources: Sequence[SourceRecord], leniency: Leniency) -> None:
        self._several = several
        self._judge = judge
        self._sources = sources
        self._leniency = leniency

    async def look(
        self, stages: Sequence[Stage], values: Mapping[str, Any], own: Collection[str], ran: Collection[int]
    ) -> Looked:
        """Refuse a sequence that cannot be run; a step after which the others go on keeps its fault to itself.

        `values` are known already, and put in for their names; `own` are no calls of tools; `ran` ended before.
        """
        settled = tuple(tuple(_with(planned, values) for planned in stage) for stage in stages)
        checked: dict[int, Checked] = {}
        seen: list[Seen] = []
        for planned in walked(settled):
            number = planned.number
            try:
                found = await self._found(planned, own)
            except Problem as problem:
                fault = at_step(number, problem)
                if not planned.step.goes_on and number not in ran:
                    raise fault from problem
                checked[number] = Checked(fault=fault)
                continue
            checked[number] = Checked(tool=found[0].tool if found else None)
            seen += found if number not in ran else []
        return Looked(stages=settled, checked=checked, seen=tuple(seen))

    async def _found(self, planned: Planned, own: Collection[str]) -> list[Seen]:
        """The calls that a step makes, as far as they are known: one for each item where the items are."""
        if planned.step.fault is not None:
            raise planned.step.fault
        if planned.step.tool in own:
            return []
        found: list[Seen] = []
        faults: list[Problem] = []
        for wanted in _wanted(planned):
            try:
                found.append(await self._several.one(wanted, self._judge, self._sources, self._leniency))
            except Problem as problem:
                faults.append(problem)
        if faults and not (found and planned.step.goes_on):  # else the others of its items go on without it
            raise faults[0]
        return found


def _with(planned: Planned, values: Mapping[str, Any]) -> Planned:
    """The step with what is known put in: that is what is judged, shown to a person and sent."""

    def value(reference: Reference) -> Any:
        return value_at(reference, values[reference.name])

    def is_known(reference: Reference) -> bool:
        return reference.name in values

    try:
        return msgspec.structs.replace(
            planned,
            arguments=planned.arguments.filled(value, is_known),
            each=planned.each.filled(value, is_known) if planned.each else None,
        )
    except Problem as problem:
        fault = at_step(planned.number, problem)
        return msgspec.structs.replace(planned, step=msgspec.structs.replace(planned.step, fault=fault))


def _wanted(planned: Planned) -> list[Wanted]:
    tool = planned.step.tool
    if planned.each is None:
        return [Wanted(tool=tool, arguments=planned.arguments)]
    if planned.each.is_settled and isinstance(items := planned.each.value, list) and items:
        return [Wanted(tool=tool, arguments=_of_item(planned.arguments, item, n)) for n, item in enumerate(items)]
    return [_repeated(planned, tool)]


def _of_item(arguments: Template, item: Any, place: int) -> Template:
    own = {ITEM: item, INDEX: place}
    return arguments.filled(lambda one: value_at(one, own[one.name]), lambda one: one.name in own)


def _repeated(planned: Planned, tool: str) -> Wanted:
    """A step whose items are not known yet, shown with where they come from: `$free[*].id` for `$item.id`."""
    each = planned.each.value if planned.each else []
    source = planned.each.tree if planned.each else None

    def shown(reference: Reference) -> Any:
        if not isinstance(source, Reference):
            return reference
        return Reference(name=source.name, path=(*source.path, All(), *reference.path))

    return Wanted(
        tool=tool,
        arguments=planned.arguments.filled(shown, lambda one: one.name == ITEM and isinstance(source, Reference)),
        each=each if isinstance(each, str) else "each item of a list",
    )
