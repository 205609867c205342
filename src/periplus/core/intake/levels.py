"""Names on one level of the tree, told apart by more than case and punctuation (E-5)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator
from itertools import chain, count, islice

from periplus.core.intake.areas import ancestors
from periplus.model import OWN_TREE, fold


def told_apart(
    source: str, paths: Iterable[str], *, fixed: Collection[str] = (), held: Collection[str] = ()
) -> dict[str, str]:
    """The nodes that cannot be called as they are told, those below them too, and what they are called.

    Of names that fold alike one that is fixed stays, then one that is held already, then the first in order; the
    others get their source behind them. So it depends on no order of reading, and a newcomer moves nobody.
    """
    nodes = {node for path in chain(paths, fixed) for node in ancestors(path)}
    if len({_folded(node) for node in nodes}) == len(nodes):
        return {}
    below: defaultdict[str, list[str]] = defaultdict(list)
    for node in nodes:
        below[node.rpartition("/")[0]].append(node)
    first, second = _with_above(fixed), _with_above(held)
    called: dict[str, str] = {}
    for above in sorted(below, key=lambda path: (path != "", path.count("/"))):
        start = f"{called[above]}/" if above else ""
        wishes = {f"{start}{node.rpartition('/')[2]}": node for node in below[above]}
        settled = _level(source, wishes, first, second)
        called |= {node: settled[wish] for wish, node in wishes.items()}
    return {node: path for node, path in called.items() if node != path}


def _level(source: str, wishes: Collection[str], first: Collection[str], second: Collection[str]) -> dict[str, str]:
    """What the nodes of one level become."""
    alike = Counter(map(_folded, wishes))
    had = {
        wish: next((form for form in islice(_forms(wish, source), len(wishes) + 1) if form in second), "")
        for wish in wishes
        if alike[_folded(wish)] > 1 and wish not in first
    }

    def turn(wish: str) -> tuple[bool, bool, bool, bool, str]:
        return (wish not in first, wish not in second, not had.get(wish), wish in had, wish)

    settled: dict[str, str] = {}
    taken: set[str] = set()
    for wish in sorted(wishes, key=turn):
        forms = chain(filter(None, [had.get(wish, "")]), _forms(wish, source))
        settled[wish] = next(form for form in forms if _folded(form) not in taken)
        taken.add(_folded(settled[wish]))
    return settled


def _forms(wish: str, source: str) -> Iterator[str]:
    """What a node may become, in the order in which it is tried."""
    whose = source if fold(wish.rpartition("/")[2]) != fold(source) else "source"
    return chain((wish, f"{wish}_{whose}"), (f"{wish}_{whose}_{number}" for number in count(2)))


def _folded(path: str) -> str:
    """The normal form of each name; a tree of its own is none of the areas."""
    return "/".join(name if name.startswith(OWN_TREE) else fold(name) for name in path.split("/"))


def _with_above(paths: Iterable[str]) -> set[str]:
    return {node for path in paths for node in ancestors(path)}
