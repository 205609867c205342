"""What changes the catalog, each inside one transaction that somebody else begins and ends."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping

import msgspec

from periplus.model import Code, Problem, SourceRecord
from periplus.ports import Change, Shape
from periplus.stores.sqlite.queries import queries
from periplus.stores.sqlite.rows import Rows, Target
from periplus.stores.sqlite.tree import Tree

_encode = msgspec.json.encode
_decode = msgspec.json.Decoder(SourceRecord).decode


def apply(connection: sqlite3.Connection, change: Change, at: float, pause: Callable[[], None]) -> int:
    """Rows last among what may fail late: whatever `change.rows` raises undoes all of it."""
    sql = queries("write.sql")
    name = change.record.id
    revision = _bump(connection)
    record = msgspec.structs.replace(change.record, revision=revision)
    connection.execute(sql["put_source"], {"source": name, "record": _encode(record)})
    (source,) = connection.execute(sql["source_id"], {"source": name}).fetchone()
    tree = Tree(connection, name)
    tree.entitle(_title(record))
    rows = Rows(Target(connection, source, name, at, tree), pause)
    rows.remove(change.removed)
    rows.write(change.rows)
    if change.shapes is not None:
        _define(connection, source, change.shapes)
    if change.nodes is not None:
        tree.write(change.nodes)
    tree.count(source)
    return revision


def mark(connection: sqlite3.Connection, record: SourceRecord) -> None:
    """Counts and revision stay those of the tools that are stored."""
    sql = queries("write.sql")
    found = connection.execute(queries("read.sql")["source"], {"source": record.id}).fetchone()
    if found:
        old = _decode(found[0])
        record = msgspec.structs.replace(record, tools=old.tools, areas=old.areas, revision=old.revision)
    else:
        record = msgspec.structs.replace(record, tools=0, areas=0, revision=0)
    connection.execute(sql["put_source"], {"source": record.id, "record": _encode(record)})


def remove(connection: sqlite3.Connection, name: str, at: float, pause: Callable[[], None]) -> int:
    """The source with all it brought; its paths are given up, and so stay its own for a while."""
    sql = queries("write.sql")
    found = connection.execute(sql["source_id"], {"source": name}).fetchone()
    if found is None:
        raise Problem(
            Code.SOURCE_NOT_FOUND,
            f"no source is called {name[:60]!r}",
            hints=("`periplus sources` lists them",),
        )
    revision = _bump(connection)
    tree = Tree(connection, name)
    Rows(Target(connection, found[0], name, at, tree), pause).remove_all()
    _define(connection, found[0], {})
    tree.drop()
    connection.execute(sql["delete_source"], {"source": name})
    return revision


def take_lease(connection: sqlite3.Connection, name: str, holder: str, until: float, now: float) -> bool:
    values = {"name": name, "holder": holder, "until": until, "now": now}
    return connection.execute(queries("write.sql")["take_lease"], values).rowcount == 1


def _bump(connection: sqlite3.Connection) -> int:
    connection.execute(queries("write.sql")["bump"])
    (revision,) = connection.execute(queries("read.sql")["revision"]).fetchone()
    return int(revision)


def _title(record: SourceRecord) -> str:
    return record.spec.name or (record.document.title if record.document else "") or record.id


def _define(connection: sqlite3.Connection, source: int, shapes: Mapping[str, Shape]) -> None:
    """The source's definitions become these; one schema is kept once, whoever uses it, and no longer than that."""
    sql = queries("write.sql")
    stored = connection.execute(sql["definitions"], {"source": source}).fetchall()
    same = {name for name, hash_, _ in stored if name in shapes and shapes[name].hash == hash_}
    for name in shapes.keys() - same:
        shape = shapes[name]
        refers = _encode(shape.refers).decode()
        connection.execute(sql["add_shape"], {"hash": shape.hash, "refers": refers, "schema": shape.schema})
        connection.execute(sql["put_definition"], {"source": source, "name": name, "hash": shape.hash})
    for name, _, shape_id in stored:
        if name not in shapes:
            connection.execute(sql["delete_definition"], {"source": source, "name": name})
        if name not in same:
            connection.execute(sql["delete_shape"], {"id": shape_id})
