"""A process that writes the trail: `recorder.py DIRECTORY NAME COUNT` (0: for ever).

Prints "ready", then the number of each row once it is acknowledged. With "approve" as NAME it also asks, grants,
keeps and saves, and prints a line for each of them: a letter and what it is found by.
"""

from __future__ import annotations

import asyncio
import sys
from itertools import count
from pathlib import Path

import msgspec

from periplus.model import ApprovalState, Session
from periplus.stores.sqlite.ledger import SqliteLedger, open_ledger
from periplus.testing.ledgers import make_approval, make_event, make_kept

CALLERS = 8


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


async def record(ledger: SqliteLedger, name: str, number: int) -> None:
    for turn in range(number) if number else count():
        say(f"r {(await ledger.record(make_event(session=name, subject=str(turn)))).seq}")


async def approve(ledger: SqliteLedger, name: str) -> None:
    for turn in count():
        id_ = f"{name}-{turn}"
        asked = await ledger.ask(make_approval(id_))
        say(f"a {id_} pending")
        await ledger.settle(msgspec.structs.replace(asked, state=ApprovalState.GRANTED, settled_at=2.0))
        say(f"a {id_} granted")
        if turn % 2:
            await ledger.spend(id_, f"of {id_}", 3.0)
            say(f"a {id_} spent")
        await ledger.keep(make_kept(id_))
        say(f"k {id_}")
        await ledger.save(Session(id=id_, principal="ann", slots={"a": {"turn": turn}}), 1.0, 60.0)
        say(f"s {id_}")


async def main(directory: Path, name: str, number: int) -> None:
    say("ready")
    async with open_ledger(directory) as ledger, asyncio.TaskGroup() as tasks:
        for caller in range(CALLERS):
            tasks.create_task(record(ledger, f"{name}-{caller}", number))
        if name.startswith("approve"):
            tasks.create_task(approve(ledger, name))


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])))
