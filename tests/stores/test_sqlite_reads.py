from __future__ import annotations

import sqlite3
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from periplus.model import Effect, Scope, Selector, ToolRef
from periplus.ports import Row
from periplus.stores.sqlite import SqliteStore
from periplus.stores.sqlite.queries import queries, schema
from periplus.stores.sqlite.scope import compile_scope
from periplus.testing.catalogs import make_change, make_row, make_shapes

ALL = Scope()
NARROW = Scope(
    allow=(Selector(ref="zoo/*", effects=frozenset(Effect)), Selector(ref="zoo/a/b"), Selector(ref="*[x]?")),
    deny=(Selector(tag="x*"), Selector(node="zoo/a*"), Selector(node="zoo/a")),
)


def plan(query: str, scope: Scope) -> list[str]:
    connection = sqlite3.connect(":memory:")
    for statement in schema():
        connection.execute(statement)
    condition = compile_scope(scope)
    names = {"ref": "zoo/a/b", "source": "zoo", "name": "ab", "limit": 9, "path": "zoo/a", "after": ""}
    sql = queries("read.sql" if query in queries("read.sql") else "browse.sql")[query]
    rows = connection.execute("EXPLAIN QUERY PLAN " + sql.replace("$scope", condition.sql), names | condition.values)
    steps = [str(row[3]) for row in rows]
    connection.close()
    return steps


@pytest.mark.parametrize("scope", [ALL, NARROW])
@pytest.mark.parametrize("query", ["tool", "resolve", "node", "tools_here"])
def test_no_table_is_read_from_end_to_end(query: str, scope: Scope) -> None:
    """S-22: describing one tool is one indexed read."""
    own = {"tool", "packed", "node", "placement", "alias", "former", "shape", "definition", "source", "catalog"}
    aliases = {"t", "p", "n", "f", "d", "s", "a", "sn"}  # what the queries call them
    for step in plan(query, scope):
        words = step.split()
        assert not (words[0] == "SCAN" and words[1] in own | aliases and "VIRTUAL TABLE" not in step), step


async def test_describing_one_tool_decodes_no_other(store: SqliteStore) -> None:
    """S-22: every other body, and every definition that is not reached, is unreadable here."""
    good = make_row("a/good", args_schema={"properties": {"x": {"$ref": "#/$defs/A"}}})
    spoilt = (msgspec.structs.replace(make_row(f"a/t{i}"), body=b"\xc1") for i in range(50))
    shapes = make_shapes(A={"type": "string"}, B={})
    shapes["B"] = msgspec.structs.replace(shapes["B"], schema=b"{")
    await store.apply(make_change("zoo", [good, *spoilt], shapes=shapes), 1.0)
    tool = await store.tool(ToolRef("zoo", "a/good"), ALL)
    assert tool is not None
    assert tool.args_schema["$defs"] == {"A": {"type": "string"}}
    assert len(await store.tools("zoo/a", ALL, "", 99)) == 51


async def test_describing_is_one_statement(store: SqliteStore) -> None:
    await store.apply(make_change("zoo", [make_row("a/b")]), 1.0)
    await store.revision()
    said: list[str] = []
    store._readers._idle[-1].set_trace_callback(said.append)
    assert await store.tool(ToolRef("zoo", "a/b"), Scope(allow=NARROW.allow))
    store._readers._idle[-1].set_trace_callback(None)
    assert [text.split()[0] for text in said if not text.startswith("--")] == ["BEGIN", "WITH", "ROLLBACK"]


async def test_shared_definitions_are_kept_once_and_no_longer_than_needed(store: SqliteStore, tmp_path: Path) -> None:
    """S-22: `$defs` are shared by content hash."""

    def kept() -> int:
        connection = sqlite3.connect(tmp_path / "periplus.db")
        (count,) = connection.execute("SELECT count(*) FROM shape").fetchone()
        connection.close()
        return int(count)

    shapes = make_shapes(A={"type": "string"}, B={"type": "number"})
    await store.apply(make_change("zoo", shapes=shapes), 1.0)
    await store.apply(make_change("ark", shapes=shapes), 2.0)
    assert kept() == 2
    await store.apply(make_change("zoo", shapes=make_shapes(A={"type": "string"}, C={"type": "number"})), 3.0)
    assert kept() == 2
    await store.remove("zoo", 4.0)
    assert kept() == 2
    await store.apply(make_change("ark", shapes={}), 5.0)
    assert kept() == 0


async def test_rows_pass_through_without_being_held(store: SqliteStore) -> None:
    """S-1: memory does not hold the source."""

    def rows() -> Iterator[Row]:
        for i in range(20_000):
            row = make_row("x", key=str(i))
            yield msgspec.structs.replace(row, path=f"a/t{i}", body=bytes(4000))

    tracemalloc.start()
    try:
        await store.apply(make_change("zoo", rows()), 1.0)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 30_000_000  # 80 MB passed through


async def test_a_scope_of_thousands_of_selectors_works(store: SqliteStore) -> None:
    await store.apply(make_change("zoo", (make_row(f"a/t{i}") for i in range(10))), 1.0)
    selectors = tuple(Selector(ref=f"zoo/a/t{i}") for i in range(0, 6000, 2))
    scope = Scope(allow=selectors, deny=tuple(Selector(ref=f"*/t{i}") for i in range(4, 3000)))
    assert [line.ref.path for line in await store.tools("", scope, "", 99, deep=True)] == ["a/t0", "a/t2"]
