"""Tools on their way into the file, in batches, so that a source of any size passes through."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple, TypeVar

from periplus.model import Code, Problem, fold
from periplus.ports import Row
from periplus.stores.sqlite.entries import Entries, Entry, Stored, to_json
from periplus.stores.sqlite.queries import queries
from periplus.stores.sqlite.tree import Tree

BATCH = 2000
_T = TypeVar("_T")


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
        self._entries = Entries(target.connection, target.id)
        self._pause = pause  # between batches: raises when nobody waits for the result any more
        self._next: int = self._value("next_tool")
        self._first_new = self._next
        self._fresh = not self._value("has_tools", source=target.id)
        self._has_former = bool(self._value("has_former", source=target.name))

    def write(self, rows: Iterable[Row]) -> None:
        """New ones are added, known ones replaced whole; each keeps its integer for good."""
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
            gone = self._entries.stored(batch)
            self._entries.erase(gone)
            if self._has_former:
                values = {"at": self._target.at, "source": self._target.name, "keys": to_json(batch)}
                self._connection.execute(self._sql["renew_formers"], values)
            self._give_up((tool.key, tool.path) for tool in gone)

    def remove_all(self) -> None:
        values = {"source": self._target.id, "limit": BATCH}
        while keys := [key for (key,) in self._connection.execute(self._sql["some_keys"], values)]:
            self.remove(keys)

    def _write(self, batch: Sequence[Row]) -> None:
        stored = {} if self._fresh else {tool.key: tool for tool in self._entries.stored([row.key for row in batch])}
        self._check_distinct(batch, stored)
        former = self._former(batch, stored)
        entries = [self._entry(row, stored.get(row.key), former.get(row.key, ())) for row in batch]
        moved = [entry for entry in entries if not entry.stays]
        self._entries.erase([entry.old for entry in moved if entry.old])
        if not self._fresh:
            # A path may be wanted before its owner has left it: then the owner waits under another name.
            self._connection.execute(self._sql["park"], {"refs": to_json([entry.ref for entry in moved])})
        self._entries.put(entries)
        self._entries.place(moved)

    def _entry(self, row: Row, old: Stored | None, former: Iterable[str]) -> Entry:
        if old is None:
            number, self._next = self._next, self._next + 1
        else:
            number = old.id
        source = self._target.name
        names = _names(row, source, former)
        return Entry(number, row, f"{source}/{row.path}", names, self._target.tree.places(row.paths), old)

    def _check_distinct(self, batch: Sequence[Row], stored: Mapping[str, Stored]) -> None:
        again = [tool.key for tool in stored.values() if tool.id >= self._first_new]
        if again := again + _repeated(row.key for row in batch):
            raise self._twice("key", again[0])
        if again := _repeated(row.path for row in batch):
            raise self._twice("path", again[0])

    def _former(self, batch: Sequence[Row], stored: Mapping[str, Stored]) -> dict[str, list[str]]:
        """The paths these tools had before, for good (S-21)."""
        left = ((row.key, stored[row.key].path) for row in batch if row.key in stored)
        paths = {row.key: row.path for row in batch}
        moved = [(key, path) for key, path in left if path != paths[key]]
        self._give_up([*moved, *((row.key, path) for row in batch for path in row.former)])
        former: dict[str, list[str]] = {}
        if self._has_former:
            values = {"source": self._target.name, "keys": to_json(list(paths))}
            for key, path in self._connection.execute(self._sql["formers"], values):
                former.setdefault(key, []).append(path)
        return former

    def _give_up(self, paths: Iterable[tuple[str, str]]) -> None:
        rows = [(self._target.name, path, key, self._target.at) for key, path in paths]
        if rows:
            self._has_former = True
            self._connection.executemany(self._sql["add_former"], rows)

    def _settle(self) -> None:
        """After the last row nobody may still wait for a path, and a path in use is nobody's former one."""
        parked = self._connection.execute(self._sql["parked"]).fetchone()
        if parked:
            raise self._twice("path", Stored(0, "", parked[0], "", "").path)
        if self._has_former:
            self._connection.execute(self._sql["delete_taken"], {"source": self._target.name})

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


def _batches(items: Iterable[_T]) -> Iterator[list[_T]]:
    stream = iter(items)
    while batch := list(islice(stream, BATCH)):
        yield batch
