"""A condition as a text that reads the same again."""

from __future__ import annotations

import msgspec

from periplus.core.conditions.terms import Condition, Either, Every, Name, Opposite, Simple


def condition_text(condition: Condition) -> str:
    """`pipeline == "smart" AND (n > 3 OR force == true)`."""
    match condition:
        case Opposite():
            return f"NOT ({condition_text(condition.term)})"
        case Every():
            return " AND ".join(_inner(term) for term in condition.terms)
        case Either():
            return " OR ".join(_inner(term) for term in condition.terms)
        case Simple(operator="exists" | "notExists"):
            return f"{condition.name} {condition.operator}"
        case Simple():
            value = condition.value
            shown = value.text if isinstance(value, Name) else msgspec.json.encode(value).decode()
            return f"{condition.name} {condition.operator} {shown}"


def _inner(term: Condition) -> str:
    return f"({condition_text(term)})" if isinstance(term, Every | Either) else condition_text(term)
