"""Tools on their way into the file, in batches, so that a source of any size passes through."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple, TypeVar

import msgspec

from periplus.model import Code, Problem, fold
from periplus.ports import Row
from periplus.stores.sqlite.queries import queries
from periplus.stores.sqlite.tree import Tree
from periplus.stores.sqlite.words import name_words

BATCH = 2000
_T = TypeVar("_T")
_encode = msgspec.json.encode


class _Stored(NamedTuple):
    """A tool as it stands, as far as erasing it needs to know."""

    id: int
    key: str
    ref: str
    places: str  # JSON, as `names`
    names: str


class Target(NamedTuple):
    """The source whose tools change, and when."""

    connection: sqlite3.Connection
    id: int
    name: str
    at: float
    tree: Tree


class Rows:
    """Writes and erases the tools of one source inside somebody else's transaction."""

    def __init__(self, target: Target, pause: Callable[[], None]) -> None:
        self._target = target
        self._connection = target.connection
        self._sql = queries("write.sql")
        self._pause = pause  # between batches: raises when nobody waits for the result any more
        self._next: int = self._value("next_tool")
        self._first_new = self._next
        self._fresh = not self._value("has_tools", source=target.id)
        self._has_former: bool = bool(self._value("has_former", source=target.name))

    def write(self, rows: Iterable[Row]) -> None:
        """New ones are added, known ones replaced whole; both keep or get their integer for good."""
        for batch in _batches(rows):
            self._pause()
            try:
                self._write(batch)
            except sqlite3.IntegrityError as error:
                raise self._twice("path or key", str(error)) from error
        self._settle()

    def remove(self, keys: Iterable[str]) -> None:
        for batch in _batches(keys):
            self._pause()
            gone = self._stored(batch)
            self._erase(gone)
            if self._has_former:
                values = {"at": self._target.at, "source": self._target.name, "keys": _json(batch)}
                self._connection.execute(self._sql["renew_formers"], values)
            self._give_up((tool.key, self._path(tool.ref)) for tool in gone)

    def remove_all(self) -> None:
        values = {"source": self._target.id, "limit": BATCH}
        while keys := [key for (key,) in self._connection.execute(self._sql["some_keys"], values)]:
            self.remove(keys)

    def _write(self, batch: Sequence[Row]) -> None:
        ids, moved = self._make_room(batch)
        former = self._former(batch, moved)
        places = [self._target.tree.places(row.paths) for row in batch]
        tools = [self._columns(row, ids[row.key], nodes) for row, nodes in zip(batch, places, strict=True)]
        names = [_names(row, self._target.name, former.get(row.key, ())) for row in batch]
        numbered = [(ids[row.key], row) for row in batch]
        write, sql = self._connection.executemany, self._sql
        write(sql["add_tool"], tools)
        write(
            sql["add_packed"],
            (
                (key, _json(own), _json(row.definitions), row.body)
                for (key, row), own in zip(numbered, names, strict=True)
            ),
        )
        # In the order of the tree they go into, which is twice as quick.
        placements = [(node, key) for (key, _), nodes in zip(numbered, places, strict=True) for node in nodes]
        write(sql["add_placement"], sorted(placements))
        aliases = [(name, key) for (key, _), own in zip(numbered, names, strict=True) for name in own]
        write(sql["add_alias"], sorted(aliases))
        words = [(word, key) for key, row in numbered for word in name_words(row.path)]
        write(sql["add_word"], sorted(words))

    def _make_room(self, batch: Sequence[Row]) -> tuple[dict[str, int], list[tuple[str, str]]]:
        """Each key's integer, old versions out of the way; and the paths that their tools left."""
        paths = {row.key: row.path for row in batch}
        stored = () if self._fresh else self._stored(list(paths))
        again = [tool.key for tool in stored if tool.id >= self._first_new] + _repeated(row.key for row in batch)
        if again:
            raise self._twice("key", again[0])
        if same := _repeated(row.path for row in batch):
            raise self._twice("path", same[0])
        self._erase(stored)
        if not self._fresh:
            refs = [f"{self._target.name}/{row.path}" for row in batch]
            self._connection.execute(self._sql["park"], {"refs": _json(refs)})
        ids = {tool.key: tool.id for tool in stored}
        for key in paths:
            if key not in ids:
                ids[key], self._next = self._next, self._next + 1
        left = ((tool.key, self._path(tool.ref)) for tool in stored)
        return ids, [(key, path) for key, path in left if path != paths[key]]

    def _former(self, batch: Sequence[Row], moved: Sequence[tuple[str, str]]) -> dict[str, list[str]]:
        """The paths these tools had before, for good (S-21)."""
        self._give_up([*moved, *((row.key, path) for row in batch for path in row.former)])
        former: dict[str, list[str]] = {}
        if self._has_former:
            values = {"source": self._target.name, "keys": _json([row.key for row in batch])}
            for key, path in self._connection.execute(self._sql["formers"], values):
                former.setdefault(key, []).append(path)
        return former

    def _give_up(self, paths: Iterable[tuple[str, str]]) -> None:
        rows = [(self._target.name, path, key, self._target.at) for key, path in paths]
        if rows:
            self._has_former = True
            self._connection.executemany(self._sql["add_former"], rows)

    def _erase(self, tools: Sequence[_Stored]) -> None:
        if not tools:
            return
        ids = [(tool.id,) for tool in tools]
        erase, sql = self._connection.executemany, self._sql
        names = ((name, tool.id) for tool in tools for name in msgspec.json.decode(tool.names, type=list[str]))
        erase(sql["delete_alias"], names)
        words = ((word, tool.id) for tool in tools for word in name_words(self._path(tool.ref)))
        erase(sql["delete_word"], words)
        nodes = ((node, tool.id) for tool in tools for node in msgspec.json.decode(tool.places, type=list[int]))
        erase(sql["delete_placement"], nodes)
        erase(sql["delete_packed"], ids)
        erase(sql["delete_tool"], ids)

    def _settle(self) -> None:
        """After the last row nobody may still wait for a path, and a path in use is nobody's former one."""
        parked = self._connection.execute(self._sql["parked"]).fetchone()
        if parked:
            raise self._twice("path", parked[0].lstrip("?"))
        if self._has_former:
            self._connection.execute(self._sql["delete_taken"], {"source": self._target.name})

    def _columns(self, row: Row, key: int, places: list[int]) -> tuple[Any, ...]:
        return (
            key,
            self._target.id,
            row.key,
            f"{self._target.name}/{row.path}",
            row.fingerprint,
            row.version,
            row.summary,
            int(row.effect),
            row.hidden,
            bool(row.deprecated),
            row.requires_approval,
            _json(row.tags),
            _json(places),
        )

    def _stored(self, keys: Sequence[str]) -> list[_Stored]:
        values = {"keys": _json(keys), "source": self._target.id}
        return [_Stored(*found) for found in self._connection.execute(self._sql["stored"], values)]

    def _path(self, ref: str) -> str:
        return ref.lstrip("?")[len(self._target.name) + 1 :]

    def _value(self, query: str, **values: Any) -> Any:
        return self._connection.execute(self._sql[query], values).fetchone()[0]

    def _twice(self, what: str, value: str) -> Problem:
        return Problem(
            Code.CONFLICT,
            f"two tools of {self._target.name} have one {what}: {value!r}",
            hints=("nothing was changed; this is a fault of whoever named them, please report it",),
        )


def _names(row: Row, source: str, former: Iterable[str]) -> tuple[str, ...]:
    if not former:
        return tuple(dict.fromkeys(row.names))
    old = (name for path in former for name in (fold(path), fold(f"{source}/{path}")))
    return tuple(dict.fromkeys((*row.names, *old)))


def _repeated(names: Iterable[str]) -> list[str]:
    return [name for name, times in Counter(names).items() if times > 1]


def _json(value: object) -> str:
    return _encode(value).decode()


def _batches(items: Iterable[_T]) -> Iterator[list[_T]]:
    stream = iter(items)
    while batch := list(islice(stream, BATCH)):
        yield batch
