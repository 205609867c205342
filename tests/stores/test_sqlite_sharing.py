from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

from periplus.model import Scope, Selector
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
