"""Tools by name: the exact ones in any case and separator style, else the nearest visible ones."""

from difflib import SequenceMatcher

import numpy as np

from periplus.search.lexical import View
from periplus.search.tables import key_of
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
    matcher = SequenceMatcher(None, "", name_key(name), autojunk=False)
    best: list[tuple[float, str]] = []
    for ref in refs:
        least = max(_ALIKE, -best[-1][0]) if len(best) == most else _ALIKE
        if (alike := max(_likeness(matcher, tail, least) for tail in _tails(ref))) >= least:
            best = sorted([*best, (-round(alike, 6), ref)])[:most]
    return [ref for _, ref in best]


def _tails(ref: str) -> set[str]:
    """What may stand for a tool: its name, with the area before it, with all areas before it."""
    pieces = ref.split("/")
    return {name_key(tail) for tail in (pieces[-1], "".join(pieces[-2:]), "".join(pieces[1:]))}


def _likeness(matcher: SequenceMatcher[str], tail: str, least: float) -> float:
    """How like the name a text is; 0 as soon as it is sure to be less than `least`."""
    matcher.set_seq1(tail)
    if matcher.real_quick_ratio() < least or matcher.quick_ratio() < least:
        return 0.0
    return matcher.ratio()
