"""The rows one tool has in each table: written together, erased together."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec

from periplus.ports import Row
from periplus.stores.sqlite.queries import queries
from periplus.stores.sqlite.words import name_words

_encode = msgspec.json.encode
_names = msgspec.json.Decoder(list[str]).decode
_nodes = msgspec.json.Decoder(list[int]).decode


class Stored(NamedTuple):
    """A tool as it stands, as far as erasing it needs to know."""

    id: int
    key: str
    ref: str
    places: str  # JSON, as `names`
    names: str

    @property
    def path(self) -> str:
        return self.ref.partition("/")[2]


class Entry(NamedTuple):
    """A tool as it will stand. One that stays keeps its path, places and names: only its texts are written."""

    id: int
    row: Row
    ref: str
    names: tuple[str, ...]
    places: Sequence[int]
    old: Stored | None = None

    @property
    def stays(self) -> bool:
        return self.old is not None and self.old[2:] == (self.ref, to_json(self.places), to_json(self.names))


class Entries:
    """Inside somebody else's transaction, for one source."""

    def __init__(self, connection: sqlite3.Connection, source: int) -> None:
        self._connection = connection
        self._source = source
        self._sql = queries("write.sql")

    def stored(self, keys: Sequence[str]) -> list[Stored]:
        values = {"keys": to_json(keys), "source": self._source}
        return [Stored(*found) for found in self._connection.execute(self._sql["stored"], values)]

    def put(self, entries: Sequence[Entry]) -> None:
        write, sql = self._connection.executemany, self._sql
        write(sql["put_tool"], [self._columns(entry) for entry in entries])
        write(
            sql["put_packed"],
            [(each.id, to_json(each.names), to_json(each.row.definitions), each.row.body) for each in entries],
        )

    def place(self, entries: Sequence[Entry]) -> None:
        """Make tools be found by name, word and node; sorted like the trees they go into, which is twice as quick."""
        write, sql = self._connection.executemany, self._sql
        write(sql["add_placement"], sorted((node, each.id) for each in entries for node in each.places))
        write(sql["add_alias"], sorted((name, each.id) for each in entries for name in each.names))
        write(sql["add_word"], sorted((word, each.id) for each in entries for word in name_words(each.row.path)))

    def erase(self, tools: Sequence[Stored]) -> None:
        erase, sql = self._connection.executemany, self._sql
        erase(sql["delete_placement"], ((node, tool.id) for tool in tools for node in _nodes(tool.places)))
        erase(sql["delete_alias"], ((name, tool.id) for tool in tools for name in _names(tool.names)))
        erase(sql["delete_word"], ((word, tool.id) for tool in tools for word in name_words(tool.path)))
        erase(sql["delete_packed"], ((tool.id,) for tool in tools))
        erase(sql["delete_tool"], ((tool.id,) for tool in tools))

    def _columns(self, entry: Entry) -> tuple[Any, ...]:
        row = entry.row
        return (
            entry.id,
            self._source,
            row.key,
            entry.ref,
            row.fingerprint,
            row.version,
            row.summary,
            int(row.effect),
            row.hidden,
            row.deprecated,
            row.requires_approval,
            to_json(row.tags),
            to_json(entry.places),
        )


def to_json(value: object) -> str:
    return _encode(value).decode()
