"""Tools by name. Each function is one look at one revision, on a connection in a read transaction."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from periplus.model import OWN_TREE, Scope, SourceRecord, Tool, ToolRef
from periplus.ports import Known, unpack_tool
from periplus.stores.sqlite.definitions import with_definitions
from periplus.stores.sqlite.queries import queries
from periplus.stores.sqlite.scope import compile_scope
from periplus.stores.sqlite.words import name_words

_names = msgspec.json.Decoder(list[str]).decode
_ids = msgspec.json.Decoder(list[int]).decode
_schema = msgspec.json.Decoder(dict[str, Any] | bool).decode
_record = msgspec.json.Decoder(SourceRecord).decode
Rows = tuple[tuple[Any, ...], ...]


def revision(connection: sqlite3.Connection) -> int:
    (number,) = connection.execute(queries("read.sql")["revision"]).fetchone()
    return int(number)


class Records:
    """The sources, each decoded anew only when its bytes have changed: every verb asks for them."""

    def __init__(self) -> None:
        self._known: list[tuple[bytes, SourceRecord]] = []

    def sources(self, connection: sqlite3.Connection) -> list[SourceRecord]:
        texts = [text for (text,) in connection.execute(queries("read.sql")["sources"])]
        known = self._known
        same = [at < len(known) and known[at][0] == text for at, text in enumerate(texts)]
        records = [known[at][1] if same[at] else _record(text) for at, text in enumerate(texts)]
        self._known = list(zip(texts, records, strict=True))
        return records


def source(connection: sqlite3.Connection, name: str) -> SourceRecord | None:
    found = connection.execute(queries("read.sql")["source"], {"source": name}).fetchone()
    return _record(found[0]) if found else None


def known(connection: sqlite3.Connection, name: str) -> dict[str, Known]:
    nodes = dict(connection.execute(queries("read.sql")["places"], {"source": name}))
    places: dict[str, tuple[str, ...]] = {}  # sets of nodes are few, however many tools stand there
    found: dict[str, Known] = {}
    for key, path, fingerprint, version, ids in connection.execute(queries("read.sql")["known"], {"source": name}):
        if ids not in places:
            places[ids] = tuple(sorted(_inside(name, nodes[id_]) for id_ in _ids(ids)))
        found[key] = Known(path, fingerprint, version, places[ids])
    return found


def _inside(source: str, path: str) -> str:
    """A node's path as a tool of the source says it."""
    return path if path.startswith(OWN_TREE) else path[len(source) + 1 :]


def retired(connection: sqlite3.Connection, name: str, since: float) -> dict[str, str]:
    return dict(connection.execute(queries("read.sql")["retired"], {"source": name, "since": since}))


def tool(connection: sqlite3.Connection, ref: ToolRef, scope: Scope) -> Tool | None:
    return made(ref, rows_of(connection, ref, scope))


def found(connection: sqlite3.Connection, ref: ToolRef, scope: Scope) -> tuple[Rows, Tool | None]:
    """A tool, and the rows it is made of: from them it can be made again."""
    rows = rows_of(connection, ref, scope)
    return rows, made(ref, rows)


def rows_of(connection: sqlite3.Connection, ref: ToolRef, scope: Scope) -> Rows:
    """One statement: the tool, its former names, and the definitions that its schemas reach."""
    condition = compile_scope(scope)
    sql = queries("read.sql")["tool"].replace("$scope", condition.sql)
    return tuple(connection.execute(sql, {"ref": str(ref), "source": ref.source, **condition.values}))


def made(ref: ToolRef, rows: Rows) -> Tool | None:
    """The tool that these rows are, new each time: what its holder does to its schemas is nobody else's."""
    body, former = None, "[]"
    schemas: dict[str, Any] = {}
    refers: dict[str, Sequence[str]] = {}
    for name, content, names in rows:
        if name is None:
            body, former = content, names
        else:
            schemas[name] = _schema(content)
            refers[name] = _names(names)
    if body is None:
        return None
    bare = unpack_tool(ref.source, ref.path, body)
    return msgspec.structs.replace(
        bare,
        args_schema=with_definitions(bare.args_schema, schemas, refers),
        result_schema=with_definitions(bare.result_schema, schemas, refers)
        if bare.result_schema
        else bare.result_schema,
        aliases=_distinct((*bare.aliases, *(f"{ref.source}/{path}" for path in _names(former)))),
    )


def weight(rows: Rows) -> int:
    """The bytes of what rows hold."""
    return sum(len(content) for _, content, _ in rows)


def several(connection: sqlite3.Connection, refs: Sequence[ToolRef], scope: Scope) -> list[Tool]:
    tools = (tool(connection, ref, scope) for ref in refs)
    return [one for one in tools if one is not None]


def resolve(
    connection: sqlite3.Connection, folded: str, scope: Scope, limit: int
) -> list[tuple[ToolRef, tuple[str, ...]]]:
    values = {"name": folded, "limit": limit}
    found: list[tuple[ToolRef, tuple[str, ...]]] = []
    for text, body, former in _scoped(connection, queries("read.sql")["resolve"], values, scope):
        ref = to_ref(text)
        aliases = unpack_tool(ref.source, ref.path, body).aliases
        former_refs = (f"{ref.source}/{path}" for path in _names(former))
        found.append((ref, _distinct((text, ref.path, ref.leaf, *aliases, *former_refs))))
    return found


def near(connection: sqlite3.Connection, words: Sequence[str], scope: Scope, limit: int) -> list[ToolRef]:
    asked = sorted(set[str]().union(*(name_words(word) for word in words)))
    values = {"words": msgspec.json.encode(asked).decode(), "limit": limit}
    return [to_ref(text) for (text,) in _scoped(connection, queries("read.sql")["near"], values, scope)]


def batch(connection: sqlite3.Connection, name: str | None, after: Any, limit: int) -> tuple[Any, list[Tool]]:
    """Some more tools of a walk, and where it then stands."""
    query, start = ("walk", 0) if name is None else ("walk_source", "")
    values = {"after": start if after is None else after, "limit": limit, "source": name}
    rows = connection.execute(queries("read.sql")[query], values).fetchall()
    tools = [unpack_tool(ref.source, ref.path, body) for ref, body in ((to_ref(row[1]), row[2]) for row in rows)]
    return (rows[-1][0] if rows else after), tools


def to_ref(text: str) -> ToolRef:
    name, _, path = text.partition("/")
    return ToolRef(name, path)


def _scoped(connection: sqlite3.Connection, query: str, values: Mapping[str, Any], scope: Scope) -> sqlite3.Cursor:
    condition = compile_scope(scope)
    return connection.execute(query.replace("$scope", condition.sql), {**values, **condition.values})


def _distinct(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))
