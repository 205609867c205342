from __future__ import annotations

import re
import sqlite3
from pathlib import Path

import pytest

from periplus.model import Code, Problem, Scope, ToolRef
from periplus.stores.sqlite import connect, open_store
from periplus.stores.sqlite.connect import CATALOG, LEDGER, Layout
from periplus.stores.sqlite.ledger import open_ledger
from periplus.stores.sqlite.queries import migrations, schema
from periplus.testing.catalogs import make_change, make_row

ALL = Scope()


LAYOUTS = pytest.mark.parametrize("wanted", [CATALOG, LEDGER], ids=["catalog", "ledger"])


def layout(statements: list[str]) -> tuple[list[tuple[str, ...]], list[tuple[object, ...]]]:
    """What statements leave in an empty file: its objects, and the rows every file starts with."""
    connection = sqlite3.connect(":memory:")
    for statement in statements:
        connection.execute(statement)
    found = connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY type, name")
    objects = [(*names, re.sub(r"\s*([(),])\s*", r"\1", sql or "")) for *names, sql in found]
    tables = [name for kind, name, _, _ in objects if kind == "table"]
    rows = [row for table in tables for row in connection.execute(f"SELECT * FROM {table}")]
    connection.close()
    return objects, rows


@LAYOUTS
def test_migrations_together_are_the_schema(wanted: Layout) -> None:
    steps = migrations(wanted.folder)
    assert layout([statement for number in sorted(steps) for statement in steps[number]]) == layout(
        schema(wanted.folder)
    )


@LAYOUTS
def test_migrations_are_numbered_without_gap(wanted: Layout) -> None:
    assert sorted(migrations(wanted.folder)) == list(range(1, wanted.latest + 1))


async def test_an_older_file_is_brought_up_to_date_with_what_is_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_store(tmp_path) as store:
        await store.apply(make_change("zoo", [make_row("a/b")]), 1.0)
    before = CATALOG.latest
    later = migrations() | {before + 1: ["CREATE TABLE extra (x TEXT)", "INSERT INTO extra VALUES ('y')"]}
    monkeypatch.setattr(connect, "migrations", lambda _folder: later)
    for _ in range(2):
        async with open_store(tmp_path) as store:
            assert await store.tool(ToolRef("zoo", "a/b"), ALL)
    connection = sqlite3.connect(tmp_path / "periplus.db")
    assert connection.execute("SELECT x FROM extra").fetchall() == [("y",)]
    assert connection.execute("PRAGMA user_version").fetchone() == (before + 1,)
    connection.close()


async def test_a_migration_that_fails_leaves_the_file_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_store(tmp_path) as store:
        await store.apply(make_change("zoo", [make_row("a/b")]), 1.0)
    with monkeypatch.context() as patched:
        later = migrations() | {CATALOG.latest + 1: ["CREATE TABLE extra (x TEXT)", "DROP TABLE not_there"]}
        patched.setattr(connect, "migrations", lambda _folder: later)
        with pytest.raises(Problem):
            await open_store(tmp_path).__aenter__()
    async with open_store(tmp_path) as store:
        assert await store.tool(ToolRef("zoo", "a/b"), ALL)


async def test_a_file_of_a_newer_version_is_refused_by_name(tmp_path: Path) -> None:
    async with open_store(tmp_path):
        pass
    connection = sqlite3.connect(tmp_path / "periplus.db")
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(Problem, match=r"periplus\.db has layout 99, written by a newer Periplus") as caught:
        await open_store(tmp_path).__aenter__()
    assert caught.value.code is Code.STORE_ERROR
    assert "upgrade Periplus" in caught.value.hints


async def test_a_file_of_another_program_is_refused_and_not_touched(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "periplus.db")
    connection.execute("CREATE TABLE theirs (x)")
    connection.commit()
    connection.close()
    with pytest.raises(Problem, match="database of another program"):
        await open_store(tmp_path).__aenter__()
    connection = sqlite3.connect(tmp_path / "periplus.db")
    assert connection.execute("SELECT name FROM sqlite_master").fetchall() == [("theirs",)]
    connection.close()


async def test_one_kind_of_file_is_not_taken_for_the_other(tmp_path: Path) -> None:
    async with open_store(tmp_path):
        pass
    (tmp_path / "periplus.db").rename(tmp_path / "ledger.db")
    with pytest.raises(Problem, match=r"ledger\.db is a database of another program"):
        await open_ledger(tmp_path).__aenter__()


async def test_an_empty_file_becomes_a_catalog(tmp_path: Path) -> None:
    (tmp_path / "periplus.db").touch()
    async with open_store(tmp_path) as store:
        assert await store.revision() == 0
