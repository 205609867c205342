"""How much is forgiven of arguments before they are held against their schema, and what is never."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from periplus.core.mending.lossless import repaired
from periplus.core.mending.placeholders import refuse_placeholders
from periplus.core.mending.unknown import without_unknown
from periplus.model import Tool


class Leniency(msgspec.Struct, frozen=True, kw_only=True):
    """What a protocol wants done with arguments as models write them."""

    unknown: Literal["judge", "drop", "refuse"] = "judge"  # what the tool does not define; "judge": its schema does
    repair: bool = False  # read what can be read in one way only
    placeholders: tuple[str, ...] = ()  # words that stand for values nobody filled in; none: they are not looked for


STRICT = Leniency()
"""Arguments are what they are."""


def mended(tool: Tool, arguments: dict[str, Any], leniency: Leniency) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The arguments as they are held against the schema, and what was done to them. What is open is left alone."""
    notes: tuple[str, ...] = ()
    if leniency.unknown != "judge":
        arguments, notes = without_unknown(tool, arguments, refuse=leniency.unknown == "refuse")
    if leniency.placeholders:
        refuse_placeholders(tool, arguments, leniency.placeholders)
    if leniency.repair:
        arguments, done = repaired(tool, arguments)
        notes += done
    return arguments, notes
