"""The tree as a scope shows it: nodes that lead to a visible tool, counts of visible tools, lines of them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

import msgspec

from periplus.model import OWN_TREE, Effect, Node, Placed, Scope, ToolLine, ToolRef
from periplus.stores.sqlite.entries import to_json
from periplus.stores.sqlite.memo import Memo
from periplus.stores.sqlite.queries import queries
from periplus.stores.sqlite.read import revision, to_ref
from periplus.stores.sqlite.scope import compile_scope
from periplus.stores.sqlite.tally import Tally

_texts = msgspec.json.Decoder(tuple[str, ...]).decode
_SAMPLE = 400  # a node with as many tools has too many tags to tell the frequent ones
_LARGE = 2000  # tools in an area; about the root of (tools of a source times a page)


class Browser:
    """Counting inside a scope means looking at every tool once, so what it gave is kept for its revision."""

    def __init__(self) -> None:
        self._tallies: Memo[tuple[int, Scope], Tally] = Memo(64)
        self._listed: Memo[tuple[int, str, Scope], list[str]] = Memo(16)

    def node(self, connection: sqlite3.Connection, path: str, scope: Scope) -> Node | None:
        values = {"path": path}
        if scope.is_everything:
            rows = connection.execute(queries("browse.sql")["node_stored"], values)
            return next((_node(row[:4], *row[4:]) for row in rows), None)
        rows = connection.execute(queries("browse.sql")["node"], values)
        return next(_visible(rows, self._tally(connection, scope)), None)

    def nodes_at(self, connection: sqlite3.Connection, paths: Sequence[str], scope: Scope) -> list[Node]:
        found = (self.node(connection, path, scope) for path in paths)
        return [node for node in found if node]

    def children(
        self, connection: sqlite3.Connection, path: str, scope: Scope, after: str, limit: int, *, depth: int = 1
    ) -> list[Node]:
        values: dict[str, Any] = {"path": path, "after": after, "limit": limit}
        kind = "children" if depth == 1 else "below"
        if depth != 1:
            first, last = _span(path, path)
            values |= {"first": first, "last": last, "slashes": depth and path.count("/") + bool(path) + depth - 1}
        if scope.is_everything:
            rows = connection.execute(queries("browse.sql")[f"{kind}_stored"], values)
            return [_node(row[:4], *row[4:]) for row in rows]
        rows = connection.execute(queries("browse.sql")[kind], values)
        return list(islice(_visible(rows, self._tally(connection, scope)), limit))

    def nodes(self, connection: sqlite3.Connection, path: str, scope: Scope) -> list[Node]:
        if scope.is_everything:
            return [
                _node(row[:4], *row[4:])
                for row in connection.execute(queries("browse.sql")["nodes_stored"], {"path": path})
            ]
        rows = connection.execute(queries("browse.sql")["nodes"], {"path": path})
        return list(_visible(rows, self._tally(connection, scope)))

    def tools_from(
        self, connection: sqlite3.Connection, path: str, scope: Scope, offset: int, limit: int
    ) -> tuple[list[ToolRef], int]:
        """The order of a node's tools is kept for its revision: a page in the middle costs no sorting."""
        key = (revision(connection), path, scope)
        refs = self._listed.get(key, lambda: _refs_here(connection, path, scope))
        return [to_ref(ref) for ref in refs[offset : offset + limit]], len(refs)

    def _tally(self, connection: sqlite3.Connection, scope: Scope) -> Tally:
        return self._tallies.get((revision(connection), scope), lambda: _tally(connection, scope))


def tools(
    connection: sqlite3.Connection, path: str, scope: Scope, after: str, limit: int, *, deep: bool
) -> list[ToolLine]:
    condition = compile_scope(scope)
    first, last = _span("" if path.startswith(OWN_TREE) else path, path.partition("/")[0])
    values = {
        "path": path,
        "first": first,
        "last": last,
        "after": after,
        "limit": limit,
        **condition.values,
    }
    query = _deep(connection, path) if deep else "tools_here"
    sql = queries("browse.sql")[query].replace("$scope", condition.sql)
    return [_line(row) for row in connection.execute(sql, values)]


def placed(connection: sqlite3.Connection, refs: Sequence[ToolRef], scope: Scope) -> dict[ToolRef, Placed]:
    condition = compile_scope(scope)
    sql = queries("browse.sql")["placed"].replace("$scope", condition.sql)
    rows = connection.execute(sql, {"refs": to_json([str(ref) for ref in refs]), **condition.values})
    lines = {line.ref: (line, places) for *row, places in rows if (line := _line(row))}
    return {ref: Placed(line=line, places=_own_first(ref, _texts(places))) for ref, (line, places) in lines.items()}


def tags(connection: sqlite3.Connection, paths: Sequence[str], scope: Scope, limit: int) -> dict[str, tuple[str, ...]]:
    condition = compile_scope(scope)
    sql = queries("browse.sql")["tags"].replace("$scope", condition.sql)
    found: dict[str, tuple[str, ...]] = {}
    for path in paths:
        first, last = _span(path, path)
        values = {"path": path, "first": first, "last": last, "sample": _SAMPLE, "limit": limit, **condition.values}
        found[path] = tuple(tag for (tag,) in connection.execute(sql, values))
    return found


def _span(path: str, top: str) -> tuple[str, str]:
    """Between which texts all lies that stands below `top`; the root's ends before trees of their own begin."""
    return (f"{top}/", f"{top}0") if path else ("", "{")


def _own_first(ref: ToolRef, places: Sequence[str]) -> tuple[str, ...]:
    """The area of the ref, or what it was divided into, before other places."""
    area = str(ref).rpartition("/")[0]
    return tuple(sorted(places, key=lambda place: (place != area and not place.startswith(f"{area}/"), place)))


def _line(row: Sequence[Any]) -> ToolLine:
    ref, summary, effect, tags, deprecated, approval = row
    return ToolLine(
        ref=to_ref(ref),
        summary=summary,
        effect=Effect(effect),
        tags=_texts(tags),
        deprecated=bool(deprecated),
        requires_approval=bool(approval),
    )


def standing(connection: sqlite3.Connection, path: str, scope: Scope) -> dict[str, int]:
    condition = compile_scope(scope)
    sql = queries("browse.sql")["standing"].replace("$scope", condition.sql)
    return dict(connection.execute(sql, {"path": path, **condition.values}))


def _refs_here(connection: sqlite3.Connection, path: str, scope: Scope) -> list[str]:
    condition = compile_scope(scope)
    sql = queries("browse.sql")["refs_here"].replace("$scope", condition.sql)
    return [ref for (ref,) in connection.execute(sql, {"path": path, **condition.values})]


def _deep(connection: sqlite3.Connection, path: str) -> str:
    """The query that reads least: whole sources stand together, small areas are sorted, large ones picked out."""
    if "/" not in path and not path.startswith(OWN_TREE):
        return "tools_between"
    stored = connection.execute(queries("browse.sql")["node_stored"], {"path": path}).fetchone()
    return "tools_among" if stored and stored[4] > _LARGE else "tools_inside"


def _tally(connection: sqlite3.Connection, scope: Scope) -> Tally:
    condition = compile_scope(scope)
    sql = queries("browse.sql")["tally"].replace("$scope", condition.sql)
    parents = dict(connection.execute(queries("browse.sql")["parents"]))
    return Tally(parents, connection.execute(sql, condition.values))


def _visible(rows: Iterable[tuple[int, str, str, str, int]], tally: Tally) -> Iterator[Node]:
    for key, path, title, summary, place in rows:
        if key in tally.tools:
            yield _node((path, title, summary, place), tally.tools[key], tally.areas[key])


def _node(row: tuple[str, str, str, int], tools: int, areas: int) -> Node:
    path, title, summary, place = row
    return Node(path=path, title=title, summary=summary, place=place, tools=tools, areas=areas)
