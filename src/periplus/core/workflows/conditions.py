"""Conditions as definitions write them, what they mean, and where a session's values are found (W-30, W-31)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import msgspec

from periplus.core.conditions import terms, truth
from periplus.core.conditions.truth import Lack, Lookup

Operator = Literal["==", "!=", ">", "<", ">=", "<=", "exists", "notExists"]


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


def meaning(condition: Condition) -> terms.Condition:
    """What a definition's condition says, as conditions are judged, written and compared everywhere."""
    match condition:
        case Simple():
            return terms.Simple(name=condition.variable, operator=condition.operator, value=condition.value)
        case Not():
            return terms.Opposite(meaning(condition.condition))
        case And():
            return terms.Every(tuple(map(meaning, condition.conditions)))
        case Or():
            return terms.Either(tuple(map(meaning, condition.conditions)))


def holds(condition: Condition, lookup: Lookup) -> bool | None:
    """True, False, or None where that depends on something nobody knows."""
    return truth.holds(meaning(condition), lambda name: resolve(name, lookup))


def variables_of(condition: Condition) -> tuple[str, ...]:
    """The names a condition asks for, in order."""
    return tuple(dict.fromkeys(terms.names_in(meaning(condition))))


def resolve(name: str, lookup: Lookup) -> Any:
    """A name as a whole, then as a dotted path into a value; `lookup` knows names as they were set."""
    whole = lookup(name)
    if not isinstance(whole, Lack):
        return whole
    head, dot, rest = name.partition(".")
    while dot:
        found = lookup(head)
        if not isinstance(found, Lack):
            return _step_into(found, rest.split("."))
        more, dot, rest = rest.partition(".")
        head = f"{head}.{more}"
    return whole


def _step_into(value: Any, path: list[str]) -> Any:
    for part in path:
        if isinstance(value, Mapping) and part in value:
            value = value[part]
        elif isinstance(value, list | tuple) and part.isdecimal() and int(part) < len(value):
            value = value[int(part)]
        else:
            return Lack.MISSING
    return value
