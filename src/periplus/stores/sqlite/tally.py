"""Counting tools in a tree where one tool stands in several places but counts once in each subtree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

import msgspec

ROOT = 0
_nodes = msgspec.json.Decoder(tuple[int, ...]).decode


class Tally:
    """Tools in each node's subtree, and child nodes that lead to any; the rest of the tree does not exist."""

    def __init__(self, parents: Mapping[int, int | None], groups: Iterable[tuple[str, int]]) -> None:
        """`groups`: how many tools stand at each set of nodes (JSON). Sets are few, however many tools there are."""
        self.tools: Counter[int] = Counter()
        above: dict[int, frozenset[int]] = {ROOT: frozenset((ROOT,))}
        for places, count in groups:
            reached: set[int] = set()
            for node in _nodes(places):
                reached |= _above(node, parents, above)
            for node in reached:
                self.tools[node] += count
        self.areas = Counter(parents[node] for node in self.tools if node != ROOT)


def _above(node: int, parents: Mapping[int, int | None], known: dict[int, frozenset[int]]) -> frozenset[int]:
    if node not in known:
        parent = parents[node]  # none above the root of a tree of its own
        known[node] = frozenset((node,)) if parent is None else _above(parent, parents, known) | {node}
    return known[node]
