"""What the tools below a node say for it: how likely one that serves a goal stands there (E-18)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence

import msgspec

from periplus.core.intake.areas import is_rolled_up
from periplus.core.words import words
from periplus.model import OWN_TREE, Node, Scope, ToolRef
from periplus.ports import Store

_LOOKED_AT = 100  # tools, and all that are likely enough to be shown
_TOLD = 0.5  # how much nearer the node's own text brings what was not found, where it says the whole goal
_BEHIND = 0.01  # a parent that adds no tool to what its only child has
_SHORT = 2

Together = Callable[[Sequence[float], float, float], float]
"""That one of several tools is right, from their own chances, the one that all that were found miss, and a share."""


class Goal(msgspec.Struct, frozen=True, kw_only=True):
    """What is looked for: its text, every tool that serves it with its probability, and from where one is shown."""

    text: str
    chances: Sequence[tuple[ToolRef, float]]
    floor: float = 0.0


class _Weighed(msgspec.Struct):
    tools: set[str]
    chances: list[float]
    value: float = 0.0


async def weighed(store: Store, goal: Goal, place: str, scope: Scope, together: Together) -> dict[str, float]:
    """The nodes below a place with tools for a goal, each with the probability that a right one stands there.

    Those that were found speak by their own probabilities. What was not found may stand anywhere: the more tools a
    node has, and the more of the goal its own text says, the likelier there.
    """
    looked_at = max(_LOOKED_AT, sum(_shown(chance, goal) for _, chance in goal.chances))
    best = dict(goal.chances[:looked_at])
    found = await _found(store, goal, best, place, scope)
    missed = math.prod(1 - chance for chance in best.values())
    root = await store.node(place.partition("/")[0] if place.startswith(OWN_TREE) else "", scope)
    wanted = _content(words(goal.text))
    for told in await store.nodes_at(sorted(found), scope):
        size = min(told.tools / root.tools, 1.0) if root and root.tools else 0.0
        share = size ** (1 - _TOLD * _said(wanted, told))
        found[told.path].value = round(together(found[told.path].chances, missed, share), 2)
    return _settled(found)


async def _found(
    store: Store, goal: Goal, best: Mapping[ToolRef, float], place: str, scope: Scope
) -> dict[str, _Weighed]:
    """What was found below each node that holds something to show."""
    placed = await store.placed(list(best), scope)
    found: dict[str, _Weighed] = {}
    for ref, chance in best.items():
        for path in _above(placed[ref].places if ref in placed else (), place):
            node = found.setdefault(path, _Weighed(set(), []))
            node.chances.append(chance)
            if _shown(chance, goal):
                node.tools.add(str(ref))
    return {path: node for path, node in found.items() if node.tools}


def _shown(chance: float, goal: Goal) -> bool:
    return round(chance, 2) >= goal.floor


def _above(places: Iterable[str], place: str) -> set[str]:
    """The nodes strictly below `place` that lead to any of these places; of the sources' tree where it is the root."""
    start = f"{place}/" if place else ""
    reached: set[str] = set()
    for path in places:
        if not path.startswith(start) or (not place and path.startswith(OWN_TREE)):
            continue
        names = path[len(start) :].split("/")
        reached |= {start + "/".join(names[:end]) for end in range(1, len(names) + 1)}
    return reached


def _said(wanted: frozenset[str], node: Node) -> float:
    """How much of the goal the node's own text says; what was made from its tools may tell of hidden ones."""
    own = "" if is_rolled_up(node.summary) else node.summary
    has = _content(words(f"{node.name} {node.title} {own}"))
    return len(wanted & has) / len(wanted) if wanted else 0.0


def _content(found: Iterable[str]) -> frozenset[str]:
    return frozenset(word.removesuffix("s") for word in found if len(word) > _SHORT)


def _settled(found: Mapping[str, _Weighed]) -> dict[str, float]:
    """Deepest first, so that a parent knows its children: one whose evidence is all in one child stays behind it."""
    values: dict[str, float] = {}
    only: dict[str, float] = {}
    for path in sorted(found, key=lambda one: -one.count("/")):
        node = found[path]
        values[path] = min(node.value, only.get(path, node.value))
        parent = path.rpartition("/")[0]
        if parent in found and found[parent].tools == node.tools:
            only[parent] = max(only.get(parent, 0.0), round(values[path] - _BEHIND, 2))
    return {path: value for path, value in values.items() if value}
