"""Whether a condition holds: true, false, or None where what it asks about is not known (Kleene's three values)."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from enum import Enum
from operator import ge, gt, le, lt
from typing import Any

from periplus.core.conditions.terms import Condition, Either, Every, Name, Opposite, Simple


class Lack(Enum):
    """Why there is no value: it is known that there is none, or nothing is known."""

    MISSING = "missing"
    UNKNOWN = "unknown"


_NUMERIC = re.compile(r"\s*[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?\s*")
_ORDERED: dict[str, Callable[[float, float], bool]] = {">": gt, ">=": ge, "<": lt, "<=": le}

Lookup = Callable[[str], Any]
"""The value of a name as it is written in a condition, or a `Lack`."""


def holds(condition: Condition, lookup: Lookup) -> bool | None:
    """Whether it is so, as far as the names are known."""
    match condition:
        case Opposite():
            inner = holds(condition.term, lookup)
            return None if inner is None else not inner
        case Every():
            return joined([holds(term, lookup) for term in condition.terms], decides=False)
        case Either():
            return joined([holds(term, lookup) for term in condition.terms], decides=True)
        case Simple():
            return _compared(condition, lookup)


def joined(answers: Collection[bool | None], *, decides: bool) -> bool | None:
    """One answer that decides (for AND a false one, for OR a true one) is enough; else an open one leaves all open."""
    if decides in answers:
        return decides
    return None if None in answers else not decides


def _compared(simple: Simple, lookup: Lookup) -> bool | None:
    found = lookup(simple.name)
    wanted = lookup(simple.value.text) if isinstance(simple.value, Name) else simple.value
    if Lack.UNKNOWN in (found, wanted):
        return None
    match simple.operator:
        case "exists":
            return found is not Lack.MISSING and found is not None
        case "notExists":
            return found is Lack.MISSING or found is None
        case "==":
            return same(found, wanted)
        case "!=":
            return not same(found, wanted)
        case operator:
            one, other = _number(found), _number(wanted)
            return one is not None and other is not None and _ORDERED[operator](one, other)


def same(one: Any, other: Any) -> bool:
    """Equal in type and value: `5` is not `"5"`, `true` is not `1`, but `1` is `1.0`."""
    if isinstance(one, Lack) or isinstance(other, Lack):
        return False
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(item, other[name]) for name, item in one.items())
    return bool(one == other)


def _number(value: Any) -> float | None:
    """A number, or a text that says one."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return value
    return float(value) if isinstance(value, str) and _NUMERIC.fullmatch(value) else None
