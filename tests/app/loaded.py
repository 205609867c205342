"""A gateway under load, to be killed: `loaded.py DIRECTORY SITE NAME`.

It reads sources, calls tools, asks people, keeps results and remembers conversations, all at once and for ever. Each
thing that it was told is done is a line, whose first word says what it is.
"""

from __future__ import annotations

import asyncio
import json
import sys
from itertools import count
from pathlib import Path

from periplus.app import open_gateway
from periplus.core.gateway import Gateway
from periplus.model import Problem, Session, SourceSpec
from periplus.settings import load_settings
from sites import api

CALLERS = 8


def say(*words: object) -> None:
    sys.stdout.write(" ".join(map(str, words)) + "\n")
    sys.stdout.flush()


async def call(gateway: Gateway) -> None:
    while True:
        say("call", (await gateway.call("quay/things/tides", {"x": 1})).trace)


async def ask(gateway: Gateway, name: str) -> None:
    for turn in count(int(name[1:]) * 100_000):  # nobody before has asked this
        try:
            await gateway.call("quay/things/scuttle", {"x": turn})
        except Problem as problem:
            id_ = problem.details["approval"]
        say("asked", id_)
        await gateway.grant(id_, why="it is old")
        say("granted", id_)
        await gateway.call("quay/things/scuttle", {"x": turn}, approval=id_)
        say("spent", id_)


async def keep(gateway: Gateway, name: str) -> None:
    for turn in count():
        say("kept", (await gateway.call("quay/things/tides", keep=True)).handle)
        await gateway.save(Session(id=f"{name}-{turn}", principal="local", slots={"face": {"turn": turn}}))
        say("session", f"{name}-{turn}", turn)


async def read(gateway: Gateway, directory: Path, name: str) -> None:
    """Each turn is a revision of one source with the tools of that turn alone, and a source that stays."""
    for turn in count():
        document = directory / f"{name}.json"
        document.write_text(json.dumps(api(*(f"t{turn}-{number}" for number in range(60)))))
        await gateway.connect(SourceSpec(id="moving", url=str(document)), accept=True)
        say("read", turn)


async def main(directory: Path, site: str, name: str) -> None:
    settings = load_settings(None, {}, {"data": str(directory / "data")})
    async with open_gateway(settings) as gateway, asyncio.TaskGroup() as tasks:
        await gateway.connect(SourceSpec(id="quay", url=f"{site}/api.json", effects={"*scuttle": "destroy"}))
        for _ in range(CALLERS):
            tasks.create_task(call(gateway))
        tasks.create_task(ask(gateway, name))
        tasks.create_task(keep(gateway, name))
        tasks.create_task(read(gateway, directory, name))


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2], sys.argv[3]))
