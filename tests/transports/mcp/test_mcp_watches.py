"""Resources of servers that somebody watches: asked for once, told to all who watch, and found again after an end."""

# What a server was asked is read from a file: it tells it nowhere else.
# ruff: noqa: ASYNC110, ASYNC240

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import anyio
import msgspec
import pytest

import periplus
from periplus.core.gateway import Gateway
from periplus.model import Code, Problem, SourceSpec

Harbour = Callable[..., Awaitable[Gateway]]
WAYS = ("stdio", "both", "old", "sse")
EVERYTHING = ("tools", "resources")
LOG, TOOL = "note://log", "lively/resources/log"
REAL = Path(__file__).parents[2] / "net" / "mcp" / "servers" / "real.py"


class Watcher:
    """Counts what it is told of each resource."""

    def __init__(self) -> None:
        self.told: list[str] = []
        self._more = anyio.Event()

    def __call__(self, uri: str) -> None:
        self.told.append(uri)
        self._more.set()

    async def hears(self, *uris: str) -> None:
        with anyio.fail_after(20):
            while len(self.told) < len(uris):
                self._more = anyio.Event()
                await self._more.wait()
        assert self.told == list(uris)


async def asked(told: Path, *lines: str) -> None:
    with anyio.fail_after(20):
        while told.read_text().splitlines() != list(lines):
            await anyio.sleep(0.01)


@pytest.mark.parametrize("way", WAYS)
async def test_a_server_is_asked_once_however_many_watch(harbour: Harbour, told: Path, way: str) -> None:
    """T-7: and hears that nobody does any more when the last one goes."""
    gateway, ann, ben = await harbour(way, expose=EVERYTHING), Watcher(), Watcher()
    for_ann = await gateway.watch(TOOL, LOG, ann)
    for_ben = await gateway.watch(TOOL, LOG, ben)
    await gateway.call("lively/stir")
    await ann.hears(LOG)
    await ben.hears(LOG)
    for_ann()
    await gateway.call("lively/stir", {"uri": "note://pixel"})
    await gateway.call("lively/stir")
    await ben.hears(LOG, LOG)
    assert ann.told == [LOG]
    assert told.read_text().splitlines() == [f"subscribe {LOG}"]
    for_ben()
    for_ben()
    await asked(told, f"subscribe {LOG}", f"unsubscribe {LOG}")


@pytest.mark.parametrize("way", ["stdio", "old"])
async def test_several_resources_are_watched_side_by_side(harbour: Harbour, way: str) -> None:
    """T-7: and what changes inside a part of one is a change of it."""
    gateway, both, one = await harbour(way, expose=EVERYTHING), Watcher(), Watcher()
    await gateway.watch(TOOL, LOG, both)
    await gateway.watch("lively/resources/pixel", "note://pixel", both)
    stop = await gateway.watch("lively/resources/pixel", "note://pixel", one)
    await gateway.call("lively/stir", {"uri": "note://pixel"})
    await one.hears("note://pixel")
    stop()
    if way == "old":
        await gateway.call("lively/stir", {"uri": "note://log/today", "subscribed": LOG})
    else:
        await gateway.call("lively/stir")
    await both.hears("note://pixel", LOG)
    assert one.told == ["note://pixel"]


async def test_what_is_watched_is_watched_again_after_a_crash(harbour: Harbour, told: Path) -> None:
    """T-7: and told, because something may have been missed."""
    gateway, ann = await harbour(expose=EVERYTHING), Watcher()
    await gateway.watch(TOOL, LOG, ann)
    with pytest.raises(Problem):
        await gateway.call("lively/crash")
    await ann.hears(LOG)
    await gateway.call("lively/stir")
    await ann.hears(LOG, LOG)
    assert told.read_text().splitlines() == [f"subscribe {LOG}", "crashing", f"subscribe {LOG}"]


async def test_what_is_watched_is_watched_again_when_its_source_comes_back(harbour: Harbour, told: Path) -> None:
    """T-7: it was removed, or its definition is another one."""
    gateway, ann = await harbour(expose=EVERYTHING), Watcher()
    stop = await gateway.watch(TOOL, LOG, ann)
    spec = (await gateway.source("lively")).spec
    await gateway.connect(msgspec.structs.replace(spec, idle_seconds=500))
    await ann.hears(LOG)
    await gateway.disconnect("lively")
    await gateway.connect(spec)
    await ann.hears(LOG, LOG)
    await gateway.call("lively/stir")
    await ann.hears(LOG, LOG, LOG)
    stop()
    with anyio.fail_after(20):
        while told.read_text().splitlines()[-1] != f"unsubscribe {LOG}":
            await anyio.sleep(0.01)


async def test_a_watched_server_is_not_idle(harbour: Harbour) -> None:
    """T-7: its session stays, however long nobody calls it."""
    gateway, ann = await harbour(expose=EVERYTHING, idle_seconds=0.3), Watcher()
    await gateway.watch(TOOL, LOG, ann)
    with anyio.move_on_after(1):
        await ann.hears(LOG)
    assert ann.told == []
    await gateway.call("lively/stir")
    await ann.hears(LOG)


async def test_what_its_server_refuses_is_refused(harbour: Harbour) -> None:
    """T-7: in its words."""
    gateway = await harbour("old", expose=EVERYTHING)
    with pytest.raises(Problem) as caught:
        await gateway.watch("lively/resources/day", "note://refused/1", Watcher())
    assert "nobody may watch that" in caught.value.message


async def test_a_server_that_tells_nobody_is_named(tmp_path: Path) -> None:
    """T-7."""
    spec = SourceSpec(id="dumb", kind="mcp", command=sys.executable, args=(str(REAL), "stdio"), expose=EVERYTHING)
    async with periplus.open(f"sqlite:///{tmp_path / 'data'}") as gateway:
        await gateway.connect(spec)
        line = next(line for line in (await gateway.browse("dumb/resources", deep=True)).tools)
        with pytest.raises(Problem) as caught:
            await gateway.watch(str(line.ref), "note://1", Watcher())
    assert caught.value.code is Code.UNSUPPORTED
    assert "tells nobody of changes" in caught.value.message
