from __future__ import annotations

import random
import sqlite3
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import anyio
import generations
import pytest

from periplus.model import Scope
from periplus.stores.sqlite import open_store

ALL = Scope()
Starter = Callable[..., "subprocess.Popen[str]"]
KILLS = 60


@pytest.mark.slow
def test_a_loading_process_killed_at_any_moment_leaves_one_whole_revision(tmp_path: Path, start: Starter) -> None:
    """S-7, S-107: kill -9 leaves the old or the new revision, never a mixture; what was acknowledged stays."""
    moments = random.Random(7)
    acknowledged = 0
    for number in range(KILLS):
        process = start("generations.py", tmp_path)
        assert process.stdout
        assert process.stdout.readline() == "ready\n"
        if number % 2:  # every other time it gets as far as one whole change
            acknowledged = int(process.stdout.readline())
        time.sleep(moments.uniform(0.0, 0.15))  # waits for nothing: this is the moment
        process.kill()
        # A line that the kill cut short was not an acknowledgement.
        lines = [line for line in process.stdout.read().splitlines(keepends=True) if line.endswith("\n")]
        acknowledged = max([acknowledged, *map(int, lines)])
        process.wait()
        revision = anyio.run(whole_revision, tmp_path)
        assert acknowledged <= revision <= acknowledged + 1
        acknowledged = revision
    assert acknowledged >= KILLS // 2


async def whole_revision(directory: Path) -> int:
    """The revision that is there, having looked at every part of it."""
    async with open_store(directory) as store:
        revision = await store.revision()
        wanted = generations.keys(revision) if revision else []
        tools = {tool.key: tool async for tool in store.walk()}
        assert sorted(tools) == sorted(wanted)
        assert tables(directory) == {"tool": len(wanted), "packed": len(wanted), "shape": 1 if wanted else 0}
        record, root = await store.source(generations.SOURCE), await store.node("", ALL)
        if not wanted:
            assert (record, root) == (None, None)
            return revision
        assert {tool.summary for tool in tools.values()} == {f"generation {revision}"}
        for key in wanted:
            assert tools[key].path == generations.members(key, revision)["path"]
        assert record
        assert (record.revision, record.instructions) == (revision, f"generation {revision}")
        assert root
        assert root.tools == len(wanted)
        assert [node.title for node in await store.children("", ALL, "", 9)] == [f"generation {revision}"]
        one = await store.tool(tools[wanted[0]].ref, ALL)
        assert one
        assert one.args_schema["$defs"] == {"A": {"const": revision}}
        assert len(await store.tools("zoo", ALL, "", 999, deep=True)) == len(wanted)
        return revision


def tables(directory: Path) -> dict[str, int]:
    """How much each table holds, the file being sound."""
    connection = sqlite3.connect(directory / "periplus.db")
    assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    names = ("tool", "packed", "shape")
    counts = {name: int(connection.execute(f"SELECT count(*) FROM {name}").fetchone()[0]) for name in names}
    connection.close()
    return counts
