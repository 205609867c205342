from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import anyio

from periplus.model import Scope, Selector, ToolRef
from periplus.stores.sqlite import open_store
from periplus.testing.catalogs import make_change, make_row

ALL = Scope()
Starter = Callable[..., "subprocess.Popen[str]"]


async def test_processes_that_make_the_file_at_once_all_write_to_it(tmp_path: Path, start: Starter) -> None:
    writers = [start("opener.py", tmp_path / "new" / "place", f"source-{number}", 8) for number in range(4)]
    assert [writer.wait() for writer in writers] == [0] * 4
    async with open_store(tmp_path / "new" / "place") as store:
        assert await store.revision() == 32
        root = await store.node("", ALL)
        assert root
        assert (root.tools, root.areas) == (32, 4)


async def test_a_revision_written_by_another_process_is_seen_at_once(tmp_path: Path, start: Starter) -> None:
    """The change feed: replicas learn a new revision from the store."""
    async with open_store(tmp_path) as store:
        assert await store.revision() == 0
        narrow = Scope(deny=(Selector(ref="none"),))
        assert await store.children("", narrow, "", 9) == []
        assert start("opener.py", tmp_path, "harbour", 3).wait() == 0
        assert await store.revision() == 3
        assert [node.tools for node in await store.children("", narrow, "", 9)] == [3]


async def test_counts_kept_for_a_scope_are_forgotten_with_their_revision(tmp_path: Path) -> None:
    scope = Scope(allow=(Selector(ref="zoo/*"),))
    async with open_store(tmp_path) as store, open_store(tmp_path) as other:
        await store.apply(make_change("zoo", [make_row("a")]), 1.0)
        assert [node.tools for node in await store.children("", scope, "", 9)] == [1]
        await other.apply(make_change("zoo", [make_row("b"), make_row("x/c")]), 2.0)
        root = await store.node("zoo", scope)
        assert root
        assert (root.tools, root.areas) == (3, 1)


async def test_a_tool_that_another_process_replaced_is_not_given_from_memory(tmp_path: Path, start: Starter) -> None:
    ref = ToolRef("zoo", "a")
    async with open_store(tmp_path) as store, open_store(tmp_path) as other:
        await store.apply(make_change("zoo", [make_row("a", summary="old")]), 1.0)
        for _ in range(3):
            tool = await store.tool(ref, ALL)
            assert tool
            assert tool.summary == "old"
        assert [one.id for one in await store.sources()] == ["zoo"]
        await other.apply(make_change("zoo", [make_row("a", summary="new")]), 2.0)
        assert start("opener.py", tmp_path, "harbour", 1).wait() == 0
        tool = await store.tool(ref, ALL)
        assert tool
        assert tool.summary == "new"
        assert sorted(one.id for one in await store.sources()) == ["harbour", "zoo"]
        assert await store.tool(ref, Scope(deny=(Selector(ref="zoo/*"),))) is None


async def test_what_is_done_to_a_tool_is_not_done_to_the_next_readers(tmp_path: Path) -> None:
    ref = ToolRef("zoo", "a")
    async with open_store(tmp_path) as store:
        await store.apply(make_change("zoo", [make_row("a", args_schema={"properties": {"x": {}}})]), 1.0)
        for _ in range(3):
            tool = await store.tool(ref, ALL)
            assert tool
            assert tool.args_schema["properties"] == {"x": {}}
            tool.args_schema["properties"]["y"] = {}


async def test_a_look_that_began_before_a_change_is_not_kept_for_after_it(tmp_path: Path) -> None:
    async with open_store(tmp_path) as store:
        await store.apply(make_change("zoo", [make_row("a", summary="0")]), 1.0)
        for at in range(1, 30):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(store.tool, ToolRef("zoo", "a"), ALL)
                tasks.start_soon(store.apply, make_change("zoo", [make_row("a", summary=str(at))]), float(at + 1))
                tasks.start_soon(store.tool, ToolRef("zoo", "a"), ALL)
            tool = await store.tool(ToolRef("zoo", "a"), ALL)
            assert tool
            assert tool.summary == str(at)
