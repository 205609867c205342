"""What the tools below a node say for it: how likely it holds what a goal wants (E-18)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from periplus.core.words import words
from periplus.model import OWN_TREE, Node, Scope, ToolRef
from periplus.ports import Store

_LOOKED_AT = 100  # tools; what is less likely says nothing for a node
_REST = 0.3  # what further tools add to the best one
_WORDS = 0.25  # what the node's own text adds
_ONLY = 0.98  # of its only child's: a parent that adds nothing stands behind it
_CERTAIN = 0.99
_SHORT = 2


class _Weighed(msgspec.Struct):
    tools: set[str]
    chances: list[float]
    value: float = 0.0


async def weighed(
    store: Store, goal: str, chances: Sequence[tuple[ToolRef, float]], place: str, scope: Scope
) -> dict[str, float]:
    """The nodes below a place that hold tools for a goal, each with the chance that it is the right one to open."""
    best = dict(chances[:_LOOKED_AT])
    placed = await store.placed(list(best), scope)
    found: dict[str, _Weighed] = {}
    for ref, chance in best.items():
        for path in _above(placed[ref].places if ref in placed else (), place):
            node = found.setdefault(path, _Weighed(set(), []))
            node.tools.add(str(ref))
            node.chances.append(chance)
    wanted = _content(words(goal))
    for told in await store.nodes_at(sorted(found), scope):
        found[told.path].value = _value(found[told.path].chances, _share(wanted, told))
    return _settled(found)


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


def _value(chances: Sequence[float], share: float) -> float:
    """From what its tools are worth (likeliest first) and how much of the goal its own text has."""
    missed = 1.0
    for chance in chances[1:]:
        missed *= 1 - min(chance, _CERTAIN)
    told = chances[0] + (1 - chances[0]) * _REST * (1 - missed)
    return min(told + (1 - told) * _WORDS * share, _CERTAIN)


def _share(wanted: frozenset[str], node: Node) -> float:
    has = _content(words(f"{node.name} {node.title} {node.summary}"))
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
            only[parent] = max(only.get(parent, 0.0), _ONLY * values[path])
    return {path: value for path, value in values.items() if value}
