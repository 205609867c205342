"""What a condition is made of."""

from __future__ import annotations

from typing import Any

import msgspec

OPERATORS = ("==", "!=", ">=", "<=", ">", "<", "exists", "notExists")


class Name(msgspec.Struct, frozen=True):
    """Something to look up, as it was written."""

    text: str


class Simple(msgspec.Struct, frozen=True, kw_only=True):
    """One comparison; `value` is plain, or a `Name` to look up as well."""

    name: str
    operator: str
    value: Any = None


class Every(msgspec.Struct, frozen=True):
    """All of them."""

    terms: tuple[Condition, ...]


class Either(msgspec.Struct, frozen=True):
    """At least one of them."""

    terms: tuple[Condition, ...]


class Opposite(msgspec.Struct, frozen=True):
    """Not that."""

    term: Condition


Condition = Simple | Every | Either | Opposite


def names_in(condition: Condition) -> list[str]:
    """Everything it looks up, in the order it is written."""
    match condition:
        case Simple():
            return [condition.name, *([condition.value.text] if isinstance(condition.value, Name) else [])]
        case Opposite():
            return names_in(condition.term)
        case Every() | Either():
            return [name for term in condition.terms for name in names_in(term)]
