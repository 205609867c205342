"""The nodes of one source while it changes: made where tools stand, dropped with the last of them, counted."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from periplus.model import OWN_TREE, Node, place_of
from periplus.stores.sqlite.queries import queries
from periplus.stores.sqlite.tally import ROOT, Tally


@dataclass
class _Stored:
    id: int
    parent: int | None
    title: str = ""
    summary: str = ""
    place: int = 0
    tools: int = 0
    areas: int = 0


class Tree:
    """Paths inside are whole: the source's own node is its name. Callers say them from the source's root."""

    def __init__(self, connection: sqlite3.Connection, source: str) -> None:
        self._connection = connection
        self._sql = queries("write.sql")
        self._source = source
        rows = connection.execute(self._sql["nodes"], {"source": source})
        self._nodes = {path: _Stored(key, parent, *rest) for key, parent, path, *rest in rows}
        self._places: dict[tuple[str, ...], list[int]] = {}
        (self._next,) = connection.execute(self._sql["next_node"]).fetchone()

    def places(self, paths: tuple[str, ...]) -> list[int]:
        """The nodes of a tool, made if need be; a tool that names none stands at the source."""
        if paths not in self._places:
            self._places[paths] = sorted({self._make(self._whole(path)).id for path in (paths or ("",))})
        return self._places[paths]

    def entitle(self, title: str) -> None:
        """Name the source's own node."""
        self._entitle(self._source, title, self._make(self._source).summary, 0)

    def write(self, nodes: Sequence[Node]) -> None:
        """Titles and summaries as given, where they differ; a node nobody lists goes with its last tool."""
        listed = {self._whole(node.path): node for node in nodes}
        for path, node in listed.items():
            self._make(path)
            self._entitle(path, node.title, node.summary, node.place)
        self._drop(self._nodes.keys() - listed.keys() - {self._source})

    def drop(self) -> None:
        """The source is gone, and its tools before it."""
        self._drop(self._nodes.keys())
        self._count(self._tally_of_own_trees())
        self._connection.execute(self._sql["count_all"])

    def count(self, source: int) -> None:
        """Make the stored counts true again: hidden tools are not in them."""
        groups = self._connection.execute(self._sql["tally"], {"source": source})
        tally = Tally({node.id: node.parent for node in self._nodes.values()}, groups)
        mine = {path: node for path, node in self._nodes.items() if not path.startswith(OWN_TREE)}
        self._count({node.id: (tally.tools[node.id], tally.areas[node.id]) for node in mine.values()})
        self._count(self._tally_of_own_trees())
        self._connection.execute(self._sql["count_all"])

    def _tally_of_own_trees(self) -> dict[int, tuple[int, int]]:
        """Counts of the nodes that tools of any source may stand at; few catalogs have such."""
        shared = [node for path, node in self._nodes.items() if path.startswith(OWN_TREE)]
        if not shared:
            return {}
        parents = dict(self._connection.execute(self._sql["parents"]))
        tally = Tally(parents, self._connection.execute(self._sql["tally_all"]))
        return {node.id: (tally.tools[node.id], tally.areas[node.id]) for node in shared}

    def _count(self, counts: Mapping[int, tuple[int, int]]) -> None:
        changed = [
            {"id": node.id, "tools": counts[node.id][0], "areas": counts[node.id][1]}
            for node in self._nodes.values()
            if node.id in counts and (node.tools, node.areas) != counts[node.id]
        ]
        self._connection.executemany(self._sql["count_node"], changed)

    def _whole(self, path: str) -> str:
        return place_of(self._source, path)

    def _make(self, path: str) -> _Stored:
        if path not in self._nodes:
            above = path.rpartition("/")[0]
            root = None if path.startswith(OWN_TREE) else ROOT
            parent = self._make(above).id if above else root
            node = _Stored(self._next, parent)
            self._next += 1
            values = {"id": node.id, "parent": node.parent, "path": path}
            self._connection.execute(self._sql["add_node"], values)
            self._nodes[path] = node
        return self._nodes[path]

    def _entitle(self, path: str, title: str, summary: str, place: int) -> None:
        node = self._nodes[path]
        if (node.title, node.summary, node.place) != (title, summary, place):
            node.title, node.summary, node.place = title, summary, place
            values = {"id": node.id, "title": title, "summary": summary, "place": place}
            self._connection.execute(self._sql["entitle_node"], values)

    def _drop(self, paths: Iterable[str]) -> None:
        # Longest first: a node goes after the nodes below it.
        for path in sorted(paths, key=len, reverse=True):
            cursor = self._connection.execute(self._sql["delete_bare_node"], {"id": self._nodes[path].id})
            if cursor.rowcount:
                del self._nodes[path]
