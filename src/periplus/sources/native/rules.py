"""A site's own words about itself, without the rules of the protocol that every site prints."""

from __future__ import annotations

import re

_HEADING = re.compile(r"^#{1,6}[ \t]+(.*)$", re.MULTILINE)
_OURS = re.compile(r"PROTOCOL RULES|MEMORY RULES|MEMORY BANK|SEARCH RESULTS|LANDMARK TOPOLOGY|SECURE INTERFACE")


def own_words(instructions: str) -> str:
    """The sections that are not about how models use such sites: Periplus calls them in its own way."""
    kept: list[str] = []
    start, told = 0, True
    for heading in _HEADING.finditer(instructions):
        kept.append(instructions[start : heading.start()] if told else "")
        start, told = heading.start(), _OURS.search(heading[1]) is None
    kept.append(instructions[start:] if told else "")
    return "".join(kept).strip()
