"""How much of a result is wanted: filter, count, slice, select, in this order (H-58)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from periplus.core.shaping.filters import Condition, parse_filter
from periplus.core.shaping.paths import Tree, members_of, parse_select, pick, unknown_note
from periplus.core.shaping.table import Table, table_of
from periplus.model import Code, Problem

LIMIT_MAX = 10_000


class Shape(msgspec.Struct, frozen=True, kw_only=True):
    """What is wanted of a result, read and checked before anything is sent."""

    select: Tree | None = None
    conditions: tuple[Condition, ...] = ()
    limit: int | None = None
    offset: int = 0
    asked: str | tuple[str, ...] = ""  # the selection as it was written, for upstreams that select themselves

    @property
    def is_whole(self) -> bool:
        return self.select is None and not self.conditions and self.limit is None and not self.offset


WHOLE = Shape()


class Shaped(msgspec.Struct, frozen=True, kw_only=True):
    """The part that was asked for, and where it stands in the whole."""

    value: Any
    total: int | None = None  # rows that met the filter; characters of a text
    offset: int = 0
    shown: int | None = None
    notes: tuple[str, ...] = ()


def shape_of(
    select: str | Sequence[str] = "",
    filter: str | Mapping[str, Any] = "",  # noqa: A002 - the word every face has for it
    limit: int | None = None,
    offset: int = 0,
) -> Shape:
    """Read what is asked; what cannot be read is refused now, before a call is made."""
    if limit is not None and limit < 1:
        raise Problem(Code.BAD_INPUT, f"limit {limit} is less than 1")
    if offset < 0:
        raise Problem(Code.BAD_INPUT, f"offset {offset} is less than 0")
    return Shape(
        select=parse_select(select) if select else None,
        conditions=parse_filter(filter) if filter else (),
        limit=None if limit is None else min(limit, LIMIT_MAX),
        offset=offset,
        asked=select if isinstance(select, str) else tuple(select),
    )


def shaped(value: Any, shape: Shape) -> Shaped:
    """The part of a value that a shape asks for. A name nobody has is a note: the call is made already."""
    if shape.is_whole:
        return Shaped(value=value)
    if isinstance(value, str):
        return _sliced_text(value, shape)
    table = table_of(value)
    if table is None:
        return _picked(value, value, shape, _no_table(shape))
    notes = [f"filter: {_unknown(table, one)}" for one in shape.conditions if _nobody_has(table, one)]
    rows = [row for row in table.rows if all(one.holds(row) for one in shape.conditions)]
    end = None if shape.limit is None else shape.offset + shape.limit
    part = rows[shape.offset : end]
    made = _picked(table.replaced(value, part), part, shape, notes, table)
    return msgspec.structs.replace(made, total=len(rows), offset=shape.offset, shown=len(part))


def _picked(value: Any, rows: Any, shape: Shape, notes: list[str], table: Table | None = None) -> Shaped:
    """Members of the rows; of the value itself where it has no rows, or where only it has the first of them."""
    if shape.select is None:
        return Shaped(value=value, notes=tuple(notes))
    unknown: set[str] = set()
    if table is not None and table.path and isinstance(value, dict) and _names_the_whole(shape.select, value, rows):
        rows, table = value, None
    chosen = pick(rows, shape.select, unknown)
    if unknown:
        notes.append(f"select: {unknown_note(unknown, members_of(rows))}")
    return Shaped(value=chosen if table is None else table.replaced(value, chosen), notes=tuple(notes))


def _names_the_whole(select: Tree, value: dict[str, Any], rows: Any) -> bool:
    """Whether a selection starts at the value and not at its rows: `items.id,total`."""
    row_names = {name for row in rows[:50] if isinstance(row, dict) for name in row}
    return not any(name in row_names for name in select) and any(name in value for name in select)


def _sliced_text(text: str, shape: Shape) -> Shaped:
    end = None if shape.limit is None else shape.offset + shape.limit
    part = text[shape.offset : end]
    notes = ("the result is a text: nothing to filter or select",) if shape.select or shape.conditions else ()
    return Shaped(value=part, total=len(text), offset=shape.offset, shown=len(part), notes=notes)


def _no_table(shape: Shape) -> list[str]:
    asked = shape.conditions or shape.limit is not None or shape.offset
    return ["the result has no list of rows: filter, limit and offset do nothing"] if asked else []


def _nobody_has(table: Table, condition: Condition) -> bool:
    return bool(table.rows) and not any(condition.is_known(row) for row in table.rows)


def _unknown(table: Table, condition: Condition) -> str:
    return unknown_note({condition.name}, members_of(table.rows))
