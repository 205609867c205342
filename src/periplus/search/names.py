"""Tools by name: the exact ones in any case and separator style, else the nearest visible ones."""

from difflib import SequenceMatcher

import numpy as np

from periplus.search.lexical import View
from periplus.search.segment import key_of
from periplus.search.text import name_key

_ALIKE = 0.6


def exact(view: View, name: str) -> list[int]:
    """Places of the visible tools that have this name, alias or ref, in order of ref."""
    if not name_key(name):
        return []
    key = np.uint64(key_of(name))
    found: list[tuple[str, int]] = []
    start = 0
    for segment, shown in zip(view.segments, view.shown, strict=True):
        low, high = np.searchsorted(segment.name_keys, key, "left"), np.searchsorted(segment.name_keys, key, "right")
        mine = [int(tool) for tool in segment.name_tools[low:high] if shown is None or shown[tool]]
        found += [(segment.refs[tool], start + tool) for tool in mine]
        start += segment.count
    return [place for _, place in sorted(found)]


def by_likeness(name: str, refs: list[str], most: int) -> list[str]:
    """The refs whose ends are spelled most like the name, nearest first."""
    wanted = name_key(name)
    measured: list[tuple[float, str]] = []
    for ref in refs:
        pieces = ref.split("/")
        tails = (pieces[-1], "".join(pieces[-2:]), "".join(pieces[1:]))
        alike = max(SequenceMatcher(None, wanted, name_key(tail)).ratio() for tail in tails)
        if alike >= _ALIKE:
            measured.append((-round(alike, 6), ref))
    return [ref for _, ref in sorted(measured)[:most]]
