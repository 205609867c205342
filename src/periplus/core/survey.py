"""One place of the catalog as one sequence: its nodes and tools in their order, or by what they are worth to a goal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from periplus.core.browse import find_node, visible_part
from periplus.core.cursor import Cursors
from periplus.core.evidence import Goal, weighed
from periplus.core.searching import Likely, Searching
from periplus.model import OWN_TREE, Code, Node, Placed, Principal, Problem, Scope, ToolLine, ToolRef
from periplus.ports import Store

LIMIT_MAX = 50
COUNTED = 1000  # beyond this nobody counts
_DEPTH_MAX = 3
_NODE_TAGS = 5


class View(msgspec.Struct, frozen=True, kw_only=True):
    """What of a place is asked for."""

    path: str = ""
    goal: str = ""
    tags: tuple[str, ...] = ()
    any_tag: bool = False  # one of the tags is enough
    depth: int = 1  # levels of nodes, where there is no goal
    recursive: bool = False  # the tools of the whole subtree, where there is no goal
    nodes: bool = True
    tools: bool = True
    floor: float = 0.0  # less likely than this is not shown
    cursor_s: float = 3600.0  # how long a cursor is good for
    tree: str = ""  # a tree of its own beside the sources, in which `path` lies

    @property
    def place(self) -> str:
        """The whole path."""
        return "/".join(piece for piece in (self.tree, self.path) if piece)


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """A node or a tool of the sequence, under the place where it was met."""

    place: str
    node: Node | None = None
    line: ToolLine | None = None
    tags: tuple[str, ...] = ()
    chance: float | None = None  # that it serves the goal; None without one

    @property
    def id(self) -> str:
        return str(self.line.ref) if self.line else self.place


class Page(msgspec.Struct, frozen=True, kw_only=True):
    """A part of the sequence, and how long all of it is (counted up to `COUNTED`)."""

    node: Node
    entries: tuple[Entry, ...]
    total: int
    next_cursor: str | None = None


class Surveys:
    """Surveys of one gateway's catalog."""

    def __init__(self, store: Store, cursors: Cursors, searching: Searching) -> None:
        self._store = store
        self._cursors = cursors
        self._searching = searching

    async def page(self, view: View, scope: Scope, principal: Principal, limit: int, cursor: str | None) -> Page:
        """A page; its cursor holds what was last shown, so pages of any size make up the same sequence."""
        _check(view, limit)
        shown = scope.tagged(view.tags, one_is_enough=view.any_tag) if view.tags else scope
        node = await find_node(self._store, view.place, scope, top=view.tree)
        view = msgspec.structs.replace(view, path=node.path.removeprefix(view.tree).strip("/"))
        if view.goal:
            likely = await self._searching.chances(view.goal, scope, principal)
            return await self._ranked(view, node, shown, principal, (limit, cursor), likely)
        return await self._ordered(view, node, shown, principal, (limit, cursor))

    # --- by place -----------------------------------------------------------------------------------------------

    async def _ordered(
        self, view: View, node: Node, scope: Scope, principal: Principal, part: tuple[int, str | None]
    ) -> Page:
        limit, cursor = part
        revision = await self._store.revision()
        asked = _asked(view, principal)
        stage, after = self._cursors.read(cursor, asked, revision) or ("nodes", "")
        nodes: Sequence[Node] = ()
        if stage == "nodes":
            nodes = await self._nodes(view, scope, after, limit + 1)
            after = ""
        lines: Sequence[ToolLine] = ()
        if len(nodes) <= limit:
            lines = await self._tools(view, scope, after, limit + 1 - len(nodes))
        entries = [*await self._of_nodes(nodes[:limit], scope), *await self._of_tools(view, lines, scope)]
        more = len(entries) + (len(nodes) > limit) > limit
        entries = entries[:limit]
        following = (
            self._cursors.make(asked, revision, _after(entries[-1]), view.cursor_s) if more and entries else None
        )
        return Page(
            node=node, entries=tuple(entries), next_cursor=following, total=await self._total(view, node, scope)
        )

    async def _nodes(self, view: View, scope: Scope, after: str, limit: int) -> Sequence[Node]:
        if not view.nodes:
            return ()
        depth = 0 if view.tags else view.depth
        return await self._store.children(view.place, scope, after, limit, depth=depth)

    async def _tools(self, view: View, scope: Scope, after: str, limit: int) -> Sequence[ToolLine]:
        if not view.tools:
            return ()
        deep = view.recursive or bool(view.tags)
        return await self._store.tools(view.place, scope, after, limit, deep=deep)

    async def _total(self, view: View, node: Node, scope: Scope) -> int:
        """Counted in one look where it is small, which it nearly always is."""
        nodes = node.areas if view.nodes and view.depth == 1 and not view.tags else None
        if nodes is None:
            nodes = len(await self._nodes(view, scope, "", COUNTED))
        return min(nodes + len(await self._tools(view, scope, "", COUNTED)), COUNTED)

    # --- by worth -----------------------------------------------------------------------------------------------

    async def _ranked(
        self,
        view: View,
        node: Node,
        scope: Scope,
        principal: Principal,
        part: tuple[int, str | None],
        likely: Likely,
    ) -> Page:
        limit, cursor = part
        revision = likely.revision
        shown = [one for one in likely.chances if round(one[1], 2) >= view.floor]
        chances = await self._inside(view, scope, shown)
        asked = _asked(view, principal)
        ranks: list[Rank] = []
        if view.tools:
            ranks += [(-round(chance, 2), 1, str(ref)) for ref, chance in chances]
        if view.nodes:
            ranks += await self._node_ranks(view, likely, scope)
        ranks.sort()
        last = self._cursors.read(cursor, asked, revision)
        start = next((at for at, rank in enumerate(ranks) if rank > tuple(last)), len(ranks)) if last else 0
        page = ranks[start : start + limit]
        more = start + limit < len(ranks)
        return Page(
            node=node,
            entries=tuple(await self._of_ranks(view, page, scope)),
            total=min(len(ranks), COUNTED),
            next_cursor=self._cursors.make(asked, revision, page[-1], view.cursor_s) if more and page else None,
        )

    async def _inside(
        self, view: View, scope: Scope, chances: Sequence[tuple[ToolRef, float]]
    ) -> Sequence[tuple[ToolRef, float]]:
        """Those that stand in the asked subtree and have the asked tags; what they are worth stays the same."""
        if not (view.place or view.tags):
            return chances
        placed = await self._store.placed([ref for ref, _ in chances], scope)
        standing = {ref for ref, one in placed.items() if any(_is_inside(place, view.place) for place in one.places)}
        return [one for one in chances if one[0] in standing]

    async def _node_ranks(self, view: View, likely: Likely, scope: Scope) -> list[Rank]:
        goal = Goal(text=view.goal, chances=likely.chances, floor=view.floor)
        found = await weighed(self._store, goal, view.place, scope, likely.together)
        return [(-chance, 0, path) for path, chance in found.items() if chance >= view.floor]

    async def _of_ranks(self, view: View, ranks: Sequence[Rank], scope: Scope) -> list[Entry]:
        nodes = await self._store.nodes_at([path for _, kind, path in ranks if not kind], scope)
        by_path = {entry.place: entry for entry in await self._of_nodes(nodes, scope)}
        refs = [_ref(text) for _, kind, text in ranks if kind]
        tools = {str(ref): _met(one, view) for ref, one in (await self._store.placed(refs, scope)).items()}
        made = ((score, (tools if kind else by_path).get(id_)) for score, kind, id_ in ranks)
        return [msgspec.structs.replace(entry, chance=-score) for score, entry in made if entry]

    # --- as they are shown --------------------------------------------------------------------------------------

    async def _of_nodes(self, nodes: Sequence[Node], scope: Scope) -> list[Entry]:
        if not nodes:
            return []
        tags = await self._store.tags([node.path for node in nodes], scope, _NODE_TAGS)
        nodes = await visible_part(self._store, nodes, scope)
        return [Entry(place=node.path, node=node, tags=tags.get(node.path, ())) for node in nodes]

    async def _of_tools(self, view: View, lines: Sequence[ToolLine], scope: Scope) -> list[Entry]:
        if not lines:
            return []
        if not (view.recursive or view.tags):
            return [Entry(place=view.place, line=line, tags=_tags(line)) for line in lines]
        placed = await self._store.placed([line.ref for line in lines], scope)
        return [_met(placed[line.ref], view) for line in lines if line.ref in placed]


Rank = tuple[float, int, str]
"""Where an entry stands: its chance, negative; nodes before tools; its name."""


def _met(placed: Placed, view: View) -> Entry:
    """A tool under the first of its places that lies inside what was asked for."""
    inside = [place for place in placed.places if _is_inside(place, view.place)]
    return Entry(place=(inside or placed.places)[0], line=placed.line, tags=_tags(placed.line))


def _is_inside(place: str, path: str) -> bool:
    if not path:
        return not place.startswith(OWN_TREE)
    return place == path or place.startswith(f"{path}/")


def _tags(line: ToolLine) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*line.tags, line.effect.word)))


def _after(entry: Entry) -> tuple[str, str]:
    return ("tools", str(entry.line.ref)) if entry.line else ("nodes", entry.place)


def _asked(view: View, principal: Principal) -> tuple[Any, ...]:
    return ("survey", msgspec.to_builtins(view), principal.id, principal.tenant)


def _ref(text: str) -> ToolRef:
    source, _, path = text.partition("/")
    return ToolRef(source, path)


def _check(view: View, limit: int) -> None:
    if not 1 <= limit <= LIMIT_MAX:
        raise Problem(Code.BAD_INPUT, f"limit {limit} is outside 1 to {LIMIT_MAX}", hints=("use 10",))
    if not 1 <= view.depth <= _DEPTH_MAX:
        raise Problem(Code.BAD_INPUT, f"depth {view.depth} is outside 1 to {_DEPTH_MAX}", hints=("use 1",))
