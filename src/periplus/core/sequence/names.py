"""Which names a value may be given."""

from __future__ import annotations

import re

from periplus.core.sequence.references import NAME
from periplus.model import Code, Problem

STEP = re.compile(r"step\d+")
NUMBERED = re.compile(r"r\d+")
_GIVEN = frozenset({"last", "item", "index"})
_LONGEST = 64


def check_name(name: str) -> str:
    """A name somebody chose; those that are given by themselves cannot be."""
    if len(name) > _LONGEST or not NAME.fullmatch(name) or name.endswith("-"):
        raise Problem(
            Code.BAD_INPUT,
            f"not a name for a value: {name[:80]!r}",
            hints=(f"use letters, digits, _ and -, a letter first, {_LONGEST} characters at most",),
        )
    if STEP.fullmatch(name) or NUMBERED.fullmatch(name) or name in _GIVEN:
        raise Problem(
            Code.BAD_INPUT, f"the name {name!r} cannot be chosen: it is given by itself", hints=("choose another",)
        )
    return name
