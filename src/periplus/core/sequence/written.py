"""Steps as people write them in a file: YAML or JSON, one object for each."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import Any, Literal

import msgspec

from periplus.core.sequence.plan import at_step
from periplus.model import Code, Each, Problem, Retry, Step, Together


class _Retry(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    times: int = 1
    codes: tuple[str | int, ...] = ()
    delay_seconds: float = 0.5


class _Written(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One step; every member of the file's form."""

    tool: str
    arguments: dict[str, Any] = {}
    name: str = ""
    select: str | tuple[str, ...] = ""
    filter: str | dict[str, Any] = ""
    limit: int | None = None
    offset: int = 0
    condition: str = ""
    for_each: Any = msgspec.UNSET
    max_items: int = 50
    at_once: int = 1
    retry: int | _Retry | None = None
    on_error: Literal["stop", "continue"] = "stop"


def read_steps(value: Any) -> tuple[Step | Together, ...]:
    """The steps of a list, or of an object's `steps`; `together` holds those that run at the same time."""
    rows = value.get("steps") if isinstance(value, dict) else value
    if not isinstance(rows, list):
        raise Problem(
            Code.BAD_INPUT, "there is no list of steps", hints=("write steps: [{tool: ..., arguments: ...}]",)
        )
    made: list[Step | Together] = []
    number = 0
    for row in rows:
        group = row.get("together") if isinstance(row, dict) and len(row) == 1 else None
        if isinstance(group, list):
            made.append(Together(steps=_numbered(group, number)))
            number += len(group)
        else:
            made += _numbered([row], number)
            number += 1
    return tuple(made)


def _numbered(rows: Sequence[Any], first: int) -> tuple[Step, ...]:
    return tuple(_step(row, number) for number, row in enumerate(rows, first))


def _step(row: Any, number: int) -> Step:
    try:
        said = msgspec.convert(row, _Written)
    except msgspec.ValidationError as error:
        raise at_step(number, Problem(Code.BAD_INPUT, str(error), hints=(_near(row),))) from error
    each = None
    if said.for_each is not msgspec.UNSET:
        each = Each(items=said.for_each, most=said.max_items, at_once=said.at_once)
    return Step(
        tool=said.tool,
        arguments=said.arguments,
        name=said.name,
        select=said.select,
        filter=said.filter,
        limit=said.limit,
        offset=said.offset,
        condition=said.condition,
        each=each,
        retry=_retry(said.retry),
        goes_on=said.on_error == "continue",
    )


def _retry(said: int | _Retry | None) -> Retry | None:
    if isinstance(said, _Retry):
        return Retry(times=said.times, codes=said.codes, delay_s=said.delay_seconds)
    return None if said is None else Retry(times=said)


def _near(row: Any) -> str:
    """The member that an unknown one may have been meant for; else all there are."""
    known = _Written.__struct_fields__
    for name in row if isinstance(row, dict) else ():
        near = [] if name in known else difflib.get_close_matches(str(name), known, n=1, cutoff=0.5)
        if near:
            return f"did you mean {near[0]!r}?"
    return f"a step has {', '.join(known)}"
