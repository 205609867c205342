"""A selection that cannot be sent, said at the argument it stands in."""

from __future__ import annotations

from collections.abc import Collection
from difflib import get_close_matches

from periplus.model import Code, Problem

_NEAR, _SHOWN = 3, 12


def refused(argument: str, what: str, *hints: str) -> Problem:
    """The refusal of a selection."""
    return Problem(Code.INVALID_ARGS, f"/{argument}: {what}", hints=hints, where=f"/{argument}")


def near(name: str, known: Collection[str]) -> tuple[str, ...]:
    """What may have been meant, else what there is."""
    if found := get_close_matches(name, known, _NEAR, 0.6):
        return (f"did you mean {' or '.join(map(repr, found))}?",)
    more = ", ..." if len(known) > _SHOWN else ""
    return (f"there are {', '.join(list(known)[:_SHOWN])}{more}",) if known else ()
