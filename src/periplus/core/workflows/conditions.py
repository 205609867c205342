"""Conditions: what they are, and whether they hold when not everything is known (Kleene's three values)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal

import msgspec

Operator = Literal["==", "!=", ">", "<", ">=", "<=", "exists", "notExists"]
_NUMERIC = re.compile(r"\s*[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?\s*")
MISSING: Any = object()
"""What a name stands for that leads nowhere in something known."""


class Simple(msgspec.Struct, frozen=True, kw_only=True, tag="simple", tag_field="type"):
    """One variable against one value."""

    variable: Annotated[str, msgspec.Meta(min_length=1)]
    operator: Operator
    value: str | int | float | bool | None = None


class And(msgspec.Struct, frozen=True, kw_only=True, tag="and", tag_field="type"):
    """All of them."""

    conditions: Annotated[tuple[Condition, ...], msgspec.Meta(min_length=2)]


class Or(msgspec.Struct, frozen=True, kw_only=True, tag="or", tag_field="type"):
    """At least one of them."""

    conditions: Annotated[tuple[Condition, ...], msgspec.Meta(min_length=2)]


class Not(msgspec.Struct, frozen=True, kw_only=True, tag="not", tag_field="type"):
    """The opposite."""

    condition: Condition


Condition = Simple | And | Or | Not
Lookup = Callable[[str], tuple[bool, Any]]
"""Whether the value of a top-level name is known, and what it is (`MISSING`: known not to be there)."""


def holds(condition: Condition, lookup: Lookup) -> bool | None:
    """True, False, or None where that depends on something nobody knows."""
    match condition:
        case Simple():
            return _compared(condition, lookup)
        case Not():
            inner = holds(condition.condition, lookup)
            return None if inner is None else not inner
        case And():
            return conjunction(holds(one, lookup) for one in condition.conditions)
        case Or():
            return disjunction(holds(one, lookup) for one in condition.conditions)


def conjunction(values: Any) -> bool | None:
    """Kleene's and."""
    all_known = True
    for value in values:
        if value is False:
            return False
        all_known &= value is not None
    return True if all_known else None


def disjunction(values: Any) -> bool | None:
    """Kleene's or."""
    inner = conjunction(None if value is None else not value for value in values)
    return None if inner is None else not inner


def variables_of(condition: Condition) -> tuple[str, ...]:
    """The names a condition asks for, in order."""
    match condition:
        case Simple():
            return (condition.variable,)
        case Not():
            return variables_of(condition.condition)
        case And() | Or():
            return tuple(dict.fromkeys(name for one in condition.conditions for name in variables_of(one)))


def resolve(name: str, lookup: Lookup) -> tuple[bool, Any]:
    """A name as a whole, then as a dotted path into a value (W-31)."""
    known, value = lookup(name)
    if known and value is not MISSING:
        return True, value
    head, dot, rest = name.partition(".")
    while dot:
        inside, found = lookup(head)
        if inside and found is not MISSING:
            return True, _step_into(found, rest.split("."))
        more, dot, rest = rest.partition(".")
        head = f"{head}.{more}"
    return known, value


def _step_into(value: Any, path: list[str]) -> Any:
    for part in path:
        if isinstance(value, Mapping) and part in value:
            value = value[part]
        elif isinstance(value, list | tuple) and part.isdecimal() and int(part) < len(value):
            value = value[int(part)]
        else:
            return MISSING
    return value


def _compared(condition: Simple, lookup: Lookup) -> bool | None:
    known, value = resolve(condition.variable, lookup)
    if not known:
        return None
    match condition.operator:
        case "exists":
            return value is not MISSING and value is not None
        case "notExists":
            return value is MISSING or value is None
        case "==":
            return same(value, condition.value)
        case "!=":
            return not same(value, condition.value)
        case _:
            left, right = _number(value), _number(condition.value)
            return left is not None and right is not None and _ordered(condition.operator, left, right)


def _ordered(operator: str, left: float, right: float) -> bool:
    match operator:
        case ">":
            return left > right
        case "<":
            return left < right
        case ">=":
            return left >= right
        case _:
            return left <= right


def same(left: Any, right: Any) -> bool:
    """Equal in type and value: 5 is not "5", true is not 1; 1 and 1.0 are both the number one."""
    if left is MISSING:
        return False
    if isinstance(left, bool) or isinstance(right, bool):
        return isinstance(left, bool) and isinstance(right, bool) and left == right
    if isinstance(left, int | float) and isinstance(right, int | float):
        return left == right
    return type(left) is type(right) and bool(left == right)


def _number(value: Any) -> float | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return value
    return float(value) if isinstance(value, str) and _NUMERIC.fullmatch(value) else None
