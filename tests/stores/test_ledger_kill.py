from __future__ import annotations

import random
import sqlite3
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import anyio
import pytest
import recorder

from periplus.model import EventFilter, Principal
from periplus.stores.sqlite.ledger import SqliteLedger, open_ledger
from periplus.testing.ledger_trail import check_chain

ANN = Principal(id="ann")
Starter = Callable[..., "subprocess.Popen[str]"]
KILLS = 30
ORDER = ["pending", "granted", "spent"]


@pytest.mark.slow
def test_what_a_killed_process_had_acknowledged_is_there_and_the_chain_holds(tmp_path: Path, start: Starter) -> None:
    """T-40, T-42: rows, approvals, results and sessions survive kill -9; nothing needs repair."""
    moments = random.Random(42)
    acknowledged: set[str] = set()
    for number in range(KILLS):
        process = start("recorder.py", tmp_path, f"approve-{number}", 0)
        assert process.stdout
        assert process.stdout.readline() == "ready\n"
        process.stdout.readline()  # it writes now
        time.sleep(moments.uniform(0.0, 0.15))  # waits for nothing: this is the moment
        process.kill()
        lines = process.stdout.read().splitlines(keepends=True)
        told = {line.rstrip() for line in lines if line.endswith("\n")}  # one cut short was none
        acknowledged |= told
        process.wait()
        anyio.run(check_all, tmp_path, told)
    anyio.run(check_all, tmp_path, acknowledged)
    assert len(acknowledged) > 10 * KILLS
    assert {line[0] for line in acknowledged} == {"r", "a", "k", "s"}


async def check_all(directory: Path, acknowledged: set[str]) -> None:
    connection = sqlite3.connect(directory / "ledger.db")
    assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    connection.close()
    async with open_ledger(directory) as ledger:
        rows = await ledger.events(EventFilter(), 0, 1_000_000)
        check_chain(rows, await ledger.tip())
        numbers = {row.seq for row in rows}
        for line in acknowledged:
            kind, *words = line.split()
            assert int(words[0]) in numbers if kind == "r" else await is_there(ledger, kind, words), line


async def is_there(ledger: SqliteLedger, kind: str, words: list[str]) -> bool:
    if kind == "k":
        return await ledger.kept(words[0], 2.0) is not None
    if kind == "s":
        return await ledger.session(ANN, words[0], 2.0, 60.0) is not None
    approval = await ledger.approval(words[0])
    return approval is not None and ORDER.index(approval.state.value) >= ORDER.index(words[1])


def test_processes_that_record_at_once_write_one_chain(tmp_path: Path, start: Starter) -> None:
    """T-40: several processes, each with several recorders; every row once, in the order of its own recorder."""
    processes = [start("recorder.py", tmp_path / "new", f"p{number}", 25) for number in range(4)]
    outputs = [process.communicate()[0].split() for process in processes]
    assert [process.returncode for process in processes] == [0] * 4
    told = [int(word) for output in outputs for word in output if word.isdigit()]
    total = 4 * recorder.CALLERS * 25
    assert sorted(told) == list(range(1, total + 1))

    async def check() -> None:
        async with open_ledger(tmp_path / "new") as ledger:
            rows = await ledger.events(EventFilter(), 0, total + 1)
            check_chain(rows, await ledger.tip())
            mine = await ledger.events(EventFilter(session="p3-7"), 0, 99)
            assert [int(row.event.subject) for row in mine] == list(range(25))

    anyio.run(check)


def test_rows_cannot_be_changed_or_removed_by_a_mistake(tmp_path: Path, start: Starter) -> None:
    """T-40: append-only."""
    assert start("recorder.py", tmp_path, "p", 1).wait() == 0
    connection = sqlite3.connect(tmp_path / "ledger.db")
    for statement in ("DELETE FROM audit", "UPDATE audit SET event = '{}' WHERE seq = 1"):
        with pytest.raises(sqlite3.IntegrityError, match="only ever added"):
            connection.execute(statement)
    connection.close()
