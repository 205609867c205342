"""The areas of each source as one scope shows them: read once for each revision, then every question is a look."""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, TypeVar

import msgspec

from periplus.core.words import words
from periplus.model import Node, Scope, Selector, SourceRecord, fold
from periplus.ports import Store

_KEPT = 256
Made = TypeVar("Made")


class Chart:
    """The visible areas of one source, each before those below it; neighbours as declared, then by name."""

    def __init__(self, nodes: Iterable[Node]) -> None:
        self.nodes: Sequence[Node] = _in_order(nodes)
        self.by_path: Mapping[str, Node] = {node.path: node for node in self.nodes}
        children: defaultdict[str, list[Node]] = defaultdict(list)
        folded: defaultdict[str, list[Node]] = defaultdict(list)
        for node in self.nodes[1:]:
            children[node.parent].append(node)
            folded[fold(node.path.partition("/")[2])].append(node)
        self._children: Mapping[str, Sequence[Node]] = children
        self._folded: Mapping[str, Sequence[Node]] = folded
        self._places = {node.path: place for place, node in enumerate(self.nodes)}
        self._made: dict[str, Any] = {}

    @property
    def root(self) -> Node | None:
        """The source itself; None where nothing of it is visible."""
        return self.nodes[0] if self.nodes else None

    def children(self, path: str) -> Sequence[Node]:
        """The areas right below one."""
        return self._children.get(path, ())

    def below(self, path: str) -> Sequence[Node]:
        """All areas below one, each before its own."""
        return self.nodes[self.span(path)]

    def span(self, path: str) -> slice:
        """Which of the nodes are below one."""
        place = self._places.get(path)
        if place is None:
            return slice(0, 0)
        start = f"{path}/"
        end = place + 1
        while end < len(self.nodes) and self.nodes[end].path.startswith(start):
            end += 1
        return slice(place + 1, end)

    def once(self, what: str, make: Callable[[], Made]) -> Made:
        """What is made of these areas, which never change: the first time, then kept with them."""
        if what not in self._made:
            self._made[what] = make()
        made: Made = self._made[what]
        return made

    def spelled(self, folded: str) -> Sequence[Node]:
        """The areas with this normal form."""
        return self._folded.get(folded, ())

    def near(self, text: str, limit: int) -> Sequence[Node]:
        """Areas that share words with a text, most of them first."""
        shared = Counter(place for word in set(words(text)) for place in self._by_word.get(word, ()))
        ranked = sorted(shared, key=lambda place: (-shared[place], self.nodes[place].path))
        return [self.nodes[place] for place in ranked[:limit]]

    @cached_property
    def _by_word(self) -> Mapping[str, Sequence[int]]:
        places: defaultdict[str, list[int]] = defaultdict(list)
        for place, node in enumerate(self.nodes[1:], 1):
            for word in set(words(node.path.partition("/")[2])):
                places[word].append(place)
        return dict(places)


class Charts:
    """Charts by source, its revision and what of it may be seen."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._known: OrderedDict[tuple[str, int, Scope], Chart] = OrderedDict()
        self._standing: OrderedDict[tuple[str, int, Scope], Mapping[str, int]] = OrderedDict()

    async def standing(self, record: SourceRecord, scope: Scope) -> Mapping[str, int]:
        """How many visible tools stand right at each node of a source."""
        own = about(record.id, scope)
        key = (record.id, record.revision, own)
        counts = self._standing.get(key)
        if counts is None:
            counts = self._standing[key] = await self._store.standing(record.id, own)
            while len(self._standing) > _KEPT:
                self._standing.popitem(last=False)
        return counts

    async def of(self, record: SourceRecord, scope: Scope) -> Chart:
        """The chart of one source; another source's change never makes it be drawn anew."""
        own = about(record.id, scope)
        key = (record.id, record.revision, own)
        chart = self._known.get(key)
        if chart is None:
            chart = self._known[key] = Chart(await self._store.nodes(record.id, own))
            while len(self._known) > _KEPT:
                self._known.popitem(last=False)
        else:
            self._known.move_to_end(key)
        return chart


def _in_order(nodes: Iterable[Node]) -> Sequence[Node]:
    every = tuple(nodes)
    last = len(every) + 1
    places = {node.path: node.place or last for node in every}

    def order(node: Node) -> list[tuple[int, str]]:
        pieces = node.path.split("/")
        return [(places.get("/".join(pieces[:end]), last), pieces[end - 1]) for end in range(1, len(pieces) + 1)]

    return tuple(sorted(every, key=order))


def about(source: str, scope: Scope) -> Scope:
    """The scope without what it says of other sources as a whole, which shows the same of this one."""
    others = tuple(one for one in scope.deny if not _closes_another(one, source))
    return scope if len(others) == len(scope.deny) else msgspec.structs.replace(scope, deny=others)


def _closes_another(selector: Selector, source: str) -> bool:
    closed, mark, rest = selector.ref.partition("/")
    plain = selector == Selector(ref=selector.ref) and mark == "/" and rest == "*"
    return plain and closed != source and "*" not in closed and "?" not in closed
