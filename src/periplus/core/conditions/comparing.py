"""Whether two conditions say the same."""

from __future__ import annotations

from typing import Any

from periplus.core.conditions.terms import Condition, Either, Every, Name, Opposite, Simple


def canonical(condition: Condition) -> Any:
    """A form in which two conditions are equal when they differ only in quotes and in the order of operands."""
    match condition:
        case Simple():
            return ("is", condition.name, condition.operator, *_plain(condition))
        case Opposite():
            return ("not", canonical(condition.term))
        case Every() | Either():
            return (type(condition).__name__, *sorted((canonical(term) for term in _flat(condition)), key=repr))


def _plain(simple: Simple) -> tuple[str, Any]:
    """The type and the value; numbers are of one type, and a bare word is a text without quotes."""
    value = None if simple.operator in ("exists", "notExists") else simple.value
    if isinstance(value, Name):
        value = value.text
    elif isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    return type(value).__name__, value


def _flat(condition: Every | Either) -> list[Condition]:
    """Operands, those of operands of the same kind among them."""
    flat: list[Condition] = []
    for term in condition.terms:
        flat.extend(_flat(term) if isinstance(term, Every | Either) and type(term) is type(condition) else [term])
    return flat
