"""Walking the tree: a node, what stands below it and the tools it lists, in pages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import msgspec

from periplus.core.cursor import Cursors
from periplus.core.intake.areas import is_rolled_up, nouns_of, rolled_up
from periplus.model import Code, Node, Page, Problem, Scope, ToolLine, check_node_path, fold
from periplus.ports import Store

LIMIT_MAX = 1000
_NEAR = 5
_TOLD = 4  # names in a sentence about a node
_LOOKED_AT = 20  # tools whose names such a sentence is made from


class Listing(msgspec.Struct, frozen=True, kw_only=True):
    """One page of a node: its child nodes first, then its tools, under one budget."""

    node: Node
    nodes: tuple[Node, ...]
    tools: tuple[ToolLine, ...]
    next_cursor: str | None = None
    revision: int = 0

    @property
    def page(self) -> Page[Node | ToolLine]:
        return Page(items=(*self.nodes, *self.tools), next_cursor=self.next_cursor)


class Ask(msgspec.Struct, frozen=True, kw_only=True):
    """What is browsed. `deep` lists the tools of the whole subtree instead of child nodes."""

    path: str = ""
    limit: int = 50
    cursor: str | None = None
    deep: bool = False


async def browse(store: Store, cursors: Cursors, ask: Ask, scope: Scope) -> Listing:
    """A page; its cursor goes on where it ends, at this revision only."""
    if not 1 <= ask.limit <= LIMIT_MAX:
        raise Problem(Code.BAD_INPUT, f"limit {ask.limit} is outside 1 to {LIMIT_MAX}")
    revision = await store.revision()
    (node,) = await visible_part(store, [await find_node(store, ask.path, scope)], scope)
    query = ("browse", node.path, ask.deep, msgspec.to_builtins(scope, order="deterministic"))
    stage, after = cursors.read(ask.cursor, query, revision) or ("tools" if ask.deep else "nodes", "")
    nodes: tuple[Node, ...] = ()
    if stage == "nodes":
        children = await store.children(node.path, scope, after, ask.limit + 1)
        nodes = tuple(await visible_part(store, children, scope))
        if len(nodes) > ask.limit:
            nodes = nodes[: ask.limit]
            following = cursors.make(query, revision, ("nodes", nodes[-1].path))
            return Listing(node=node, nodes=nodes, tools=(), next_cursor=following, revision=revision)
        after = ""
    room = ask.limit - len(nodes)
    tools = tuple(await store.tools(node.path, scope, after, room + 1, deep=ask.deep))
    cursor: str | None = None
    if len(tools) > room:
        tools = tools[:room]
        cursor = cursors.make(query, revision, ("tools", str(tools[-1].ref) if tools else after))
    return Listing(node=node, nodes=nodes, tools=tools, next_cursor=cursor, revision=revision)


async def find_node(store: Store, text: str, scope: Scope, *, top: str = "") -> Node:
    """A node by its path; else by its normal form, if that is unique (E-10). `top`: the tree in which it stands."""
    separated = text.replace(" > ", "/").replace(">", "/") if ">" in text else text
    path = _as_path(separated.removeprefix(top))
    whole = _joined(top, path or "")
    if path is not None and (node := await store.node(whole, scope)):
        return node
    if path == "":
        return Node(path=whole, title="", summary="an empty catalog")
    return await _folded(store, separated.removeprefix(top), scope, top)


def _joined(top: str, path: str) -> str:
    return "/".join(piece for piece in (top, path) if piece)


async def visible_part(store: Store, nodes: Sequence[Node], scope: Scope) -> list[Node]:
    """The nodes, those that were told by a count of their tools told by what of them is visible (E-9)."""
    if scope.is_everything:
        return list(nodes)
    return [await _told(store, node, scope) if is_rolled_up(node.summary) else node for node in nodes]


async def _told(store: Store, node: Node, scope: Scope) -> Node:
    names = [child.name for child in await store.children(node.path, scope, "", _TOLD)]
    lines = () if names else await store.tools(node.path, scope, "", _LOOKED_AT)
    nouns = Counter(word for line in lines for word in nouns_of(line.ref.leaf))
    return msgspec.structs.replace(node, summary=rolled_up(node.tools, names, nouns))


def _as_path(text: str) -> str | None:
    try:
        return check_node_path(text)
    except Problem:
        return None


async def _folded(store: Store, text: str, scope: Scope, top: str) -> Node:
    here = await store.node(top, scope)
    for name in [piece for piece in text.strip().strip("/").split("/") if piece.strip()]:
        children = await _all_children(store, here.path if here else top, scope)
        same = _called(children, name)
        if len(same) != 1:
            raise _unknown(text, here.path if here else top, same or children, top)
        here = same[0]
    if here is None:
        raise _unknown(text, top, (), top)
    return here


def _called(children: Sequence[Node], name: str) -> Sequence[Node]:
    """The children that a name means: as their source writes it, else by the normal form of name, then of title."""
    wanted = fold(name)
    return (
        [child for child in children if child.title == name]
        or [child for child in children if fold(child.name) == wanted]
        or [child for child in children if fold(child.title) == wanted]
    )


async def _all_children(store: Store, path: str, scope: Scope) -> list[Node]:
    children: list[Node] = []
    while page := await store.children(path, scope, children[-1].path if children else "", LIMIT_MAX):
        children += page
    return children


def _unknown(text: str, under: str, near: Sequence[Node], top: str) -> Problem:
    from difflib import get_close_matches  # noqa: PLC0415 - only on the way to a refusal

    wanted = text.strip().strip("/")
    names = {node.path.removeprefix(top).strip("/"): node for node in near}
    close = get_close_matches(wanted, list(names), n=_NEAR, cutoff=0.4) or list(names)[:_NEAR]
    prefix = under.removeprefix(top).strip("/")
    return Problem(
        Code.UNKNOWN_PATH,
        f"no node is called {wanted[:120]!r}",
        hints=tuple(close) or ("browse without a path lists the sources",),
        next_action={"op": "browse", "args": {"path": prefix}},
        details={"prefix": prefix, "near": close},
    )
