from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from periplus.model import Code, Problem, Scope, ToolRef
from periplus.stores.sqlite import SqliteStore, open_store
from periplus.testing.catalogs import make_change, make_row

ALL = Scope()


async def test_what_is_no_database_is_named_with_a_remedy(tmp_path: Path) -> None:
    (tmp_path / "periplus.db").write_bytes(b"this is not a database, it is a letter" * 99)
    with pytest.raises(Problem, match=r"periplus\.db is damaged or not a database") as caught:
        await open_store(tmp_path).__aenter__()
    assert caught.value.code is Code.STORE_ERROR
    assert any("move the file" in hint for hint in caught.value.hints)


async def test_damage_inside_is_told_where_it_is_met(tmp_path: Path) -> None:
    async with open_store(tmp_path) as store:
        await store.apply(make_change("zoo", (make_row(f"a/t{i}", description="d" * 900) for i in range(300))), 1.0)
    file = tmp_path / "periplus.db"
    whole = file.read_bytes()
    file.write_bytes(whole[:8192] + b"\xa5" * (len(whole) - 8192))
    with pytest.raises(Problem, match=r"periplus\.db is damaged") as caught:
        async with open_store(tmp_path) as store:
            await store.tool(ToolRef("zoo", "a/t1"), ALL)
    assert caught.value.code is Code.STORE_ERROR


async def test_a_data_directory_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("x")
    for place in (tmp_path / "data", tmp_path / "data" / "below"):
        with pytest.raises(Problem, match="cannot be a data directory") as caught:
            await open_store(place).__aenter__()
        assert caught.value.code is Code.STORE_ERROR


async def test_a_full_disk_undoes_the_change_and_the_store_goes_on(store: SqliteStore) -> None:
    await store.apply(make_change("zoo", [make_row("a/b")]), 1.0)
    (pages,) = store._writer.execute("PRAGMA page_count").fetchone()
    store._writer.execute(f"PRAGMA max_page_count = {pages + 4}").close()
    rows = (make_row(f"a/t{i}", description="d" * 900) for i in range(3000))
    with pytest.raises(Problem, match="the disk is full") as caught:
        await store.apply(make_change("zoo", rows), 2.0)
    assert (caught.value.code, caught.value.retryable) == (Code.STORE_ERROR, True)
    assert await store.revision() == 1
    assert set(await store.known("zoo")) == {"a/b"}
    store._writer.execute("PRAGMA max_page_count = 1000000").close()
    assert await store.apply(make_change("zoo", [make_row("a/c")]), 3.0) == 2


async def test_a_file_that_may_not_be_written_says_so(store: SqliteStore) -> None:
    store._writer.execute("PRAGMA query_only = ON").close()
    with pytest.raises(Problem, match="cannot be written") as caught:
        await store.apply(make_change("zoo", [make_row("a/b")]), 1.0)
    assert caught.value.code is Code.STORE_ERROR


@pytest.fixture
def sealed(tmp_path: Path) -> Iterator[Path]:
    if os.geteuid() == 0:
        pytest.skip("root may write everywhere")
    tmp_path.chmod(0o500)
    yield tmp_path
    tmp_path.chmod(0o700)


async def test_a_directory_that_may_not_be_written_says_so(sealed: Path) -> None:
    for place in (sealed, sealed / "below"):
        with pytest.raises(Problem) as caught:
            await open_store(place).__aenter__()
        assert caught.value.code is Code.STORE_ERROR
        assert any("--data" in hint for hint in caught.value.hints)


async def test_a_writer_that_does_not_let_go_is_a_problem_worth_trying_again(
    store: SqliteStore, tmp_path: Path
) -> None:
    store._writer.execute("PRAGMA busy_timeout = 10").close()
    other = sqlite3.connect(tmp_path / "periplus.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(Problem, match="is being written by another process") as caught:
        await store.apply(make_change("zoo", [make_row("a/b")]), 1.0)
    assert caught.value.retryable
    other.execute("ROLLBACK")
    other.close()
    assert await store.apply(make_change("zoo", [make_row("a/b")]), 1.0) == 1


async def test_a_closed_store_says_so(tmp_path: Path) -> None:
    async with open_store(tmp_path) as store:
        pass
    await store.close()
    with pytest.raises(Problem, match="was closed"):
        await store.revision()
    with pytest.raises(Problem, match="was closed"):
        await store.apply(make_change("zoo"), 1.0)
    with pytest.raises(Problem, match="was closed"):
        [tool async for tool in store.walk()]
