"""T-42: what a gateway had acknowledged when it was killed is there, and nothing has to be mended."""

from __future__ import annotations

import os
import random
import sqlite3
import subprocess
import sys
import time
from collections import Counter, defaultdict
from pathlib import Path

import anyio
import pytest

from periplus.app import open_gateway
from periplus.app.doctor import examine
from periplus.core.gateway import Gateway
from periplus.model import EventFilter
from periplus.settings import Settings, load_settings
from sites import Site, api, text

KILLS = 30
ORDER = ["pending", "granted", "spent"]
STATES = {"asked": "pending", "granted": "granted", "spent": "spent"}
Told = dict[str, list[list[str]]]


@pytest.mark.slow
def test_a_loaded_gateway_killed_many_times_keeps_everything_it_acknowledged(tmp_path: Path, site: Site) -> None:
    """T-42, issue 4: calls, approvals, results, sessions and sources, under load, thirty times."""
    site.write("/api.json", text(api("tides", "scuttle") | {"servers": [{"url": site.url()}]}))
    for path in ("/tides", "/scuttle"):
        site.write(path, '{"done": true}')
    settings = load_settings(None, {}, {"data": str(tmp_path / "data")})
    moments = random.Random(42)
    counted: Counter[str] = Counter()
    for number in range(KILLS):
        told = killed(tmp_path, site, f"n{number}", moments.uniform(0.05, 0.6))
        counted.update({kind: len(lines) for kind, lines in told.items()})
        anyio.run(look, settings, told)
        site.asked()
    assert set(counted) == {"call", "asked", "granted", "spent", "kept", "session", "read"}
    assert counted["call"] > 3 * KILLS


def killed(directory: Path, site: Site, name: str, seconds: float) -> Told:
    """What a gateway said before it was killed in the middle of its work."""
    script = Path(__file__).with_name("loaded.py")
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([*sys.path])}
    command = [sys.executable, str(script), str(directory), site.url(), name]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout
        lines = [process.stdout.readline()]
        while not lines[-1].startswith("call"):  # from then on everything is under way
            assert lines[-1], "it ended by itself"
            lines.append(process.stdout.readline())
        time.sleep(seconds)  # waits for nothing: this is the moment
        process.kill()
        lines += process.stdout.read().splitlines(keepends=True)
    told: Told = defaultdict(list)
    for kind, *words in (line.split() for line in lines if line.endswith("\n")):  # one cut short was none
        told[kind].append(words)
    return told


async def look(settings: Settings, told: Told) -> None:
    """Open what was left behind, as it is, and find everything in it."""
    for name in ("periplus.db", "ledger.db"):
        connection = sqlite3.connect(Path(settings.data) / name)
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        connection.close()
    async with open_gateway(settings) as gateway:
        checked = await gateway.trail.verify()
        assert checked.faults == ()
        await check_calls(gateway, told)
        for handle, *_ in told["kept"]:
            assert (await gateway.result(handle)).value == {"done": True}
        for name, turn in told["session"]:
            assert (await gateway.session(name)).slots == {"face": {"turn": int(turn)}}
        await check_source(gateway, told)
        assert (await gateway.call("quay/things/tides")).value == {"done": True}
    states = {check.name: check.state for check in await examine(settings, None)}
    assert {states[name] for name in ("store", "ledger", "key ring")} == {"ok"}


async def check_calls(gateway: Gateway, told: Told) -> None:
    """Each call that was answered has its row, and each question stands where it was said to stand, or further."""
    rows = await gateway.trail.after(0, EventFilter(verb="call", outcome="ok"), limit=1_000_000)
    traces = {row.event.trace for row in rows}
    assert {trace for (trace,) in told["call"]} <= traces
    approvals = {approval.id: approval.state.value for approval in await gateway.approvals(limit=100_000)}
    for kind, state in STATES.items():
        for (id_,) in told[kind]:
            assert ORDER.index(approvals[id_]) >= ORDER.index(state)


async def check_source(gateway: Gateway, told: Told) -> None:
    """One whole turn of the source that moves: the last that was acknowledged, or the one after it."""
    if not told["read"]:
        return
    listing = await gateway.browse("moving", deep=True, limit=1000)
    turns = {line.ref.leaf.partition("-")[0] for line in listing.tools}
    assert len(listing.tools) == 60
    assert len(turns) == 1
    last = max(int(turn) for (turn,) in told["read"])
    assert turns <= {f"t{last}", f"t{last + 1}"}
