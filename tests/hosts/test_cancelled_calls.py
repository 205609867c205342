"""T-4: a client gives up a call: the request at the upstream is cut, the trail says so, and all others go on."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
import msgspec
import pytest
from harbours import keys_for, settings_of
from mcp import Client
from starlette.requests import Request
from starlette.responses import Response

from listening import listening
from periplus.app import open_gateway
from periplus.app.serving import open_application
from periplus.model import EventFilter
from periplus.settings import Settings
from sites import Site


class Endless:
    """A page that never answers, and knows when it was asked and when nobody waits for it any more."""

    def __init__(self) -> None:
        self.asked = threading.Event()
        self.cut = threading.Event()

    async def __call__(self, request: Request) -> Response:
        self.asked.set()
        while (await request.receive())["type"] != "http.disconnect":
            pass
        self.cut.set()
        return Response()


@pytest.fixture
def endless() -> Endless:
    return Endless()


@pytest.fixture
def served(tmp_path: Path, upstream: Site, endless: Endless, verbs: None) -> Iterator[tuple[str, Settings]]:
    settings = settings_of(tmp_path, upstream)
    upstream.serve("/ships", endless)
    red = msgspec.structs.replace(settings.sources["red"], expose=("direct",))
    settings = msgspec.structs.replace(settings, sources=settings.sources | {"red": red})
    keys_for(settings)
    with listening(lambda: open_application(settings)) as base:
        yield base, settings


async def outcomes(settings: Settings, count: int) -> list[tuple[str, str]]:
    """What the trail says of calls, once it says of so many: it is written while nobody waits."""
    with anyio.fail_after(20):
        while True:
            async with open_gateway(settings, configure=False) as gateway:
                rows = await gateway.trail.latest(EventFilter(verb="call"))
            if len(rows) >= count:
                return [(row.event.subject, row.event.outcome) for row in rows]
            await anyio.sleep(0.05)


async def happened(event: threading.Event) -> bool:
    return await anyio.to_thread.run_sync(event.wait, 20)


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
@pytest.mark.parametrize(("name", "arguments"), [("ships", {}), ("call", {"tool": "red/red/ships"})])
async def test_a_call_that_its_client_gives_up_is_cut_at_the_upstream(
    served: tuple[str, Settings], endless: Endless, mode: str, name: str, arguments: dict[str, Any]
) -> None:
    """T-4: of a pinned tool, and by a face's operation; by notification, and by an end of the request."""
    base, settings = served
    async with Client(f"{base}/mcp", mode=mode) as client:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(client.call_tool, name, arguments)
            assert await happened(endless.asked)
            assert not endless.cut.is_set()
            tasks.cancel_scope.cancel()
        assert await happened(endless.cut)
        assert not (await client.call_tool("berths", {})).is_error
    assert sorted(await outcomes(settings, 2)) == [("red/red/berths", "ok"), ("red/red/ships", "cancelled")]
