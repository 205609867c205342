"""A gateway that is killed under load: whoever got an answer finds it in the trail."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path

import anyio
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from periplus.app import open_gateway
from periplus.demo.services import serving
from periplus.model import EventFilter, SourceSpec
from periplus.settings import Settings
from sites import api, text

KILLS = 30
CALLER = Path(__file__).with_name("caller.py")


async def berths(request: Request) -> Response:
    return JSONResponse({"x": request.query_params["x"]})


async def connect(directory: Path, base: str) -> None:
    document = api("berths/look", "berths/moor")
    document["paths"]["/moor"]["post"] = document["paths"]["/moor"].pop("get")
    file = directory / "quay.json"
    await anyio.Path(file).write_text(text(document))
    async with open_gateway(Settings(data=str(directory))) as gateway:
        await gateway.connect(SourceSpec(id="quay", url=str(file), kind="openapi", base_url=base))


async def check(directory: Path, acknowledged: set[str]) -> None:
    async with open_gateway(Settings(data=str(directory))) as gateway:
        checked = await gateway.trail.verify()
        assert checked.faults == ()
        rows = await gateway.trail.after(0, EventFilter(verb="call"), limit=1_000_000)
        assert acknowledged <= {row.event.trace for row in rows if row.event.outcome == "ok"}


@pytest.mark.slow
def test_every_call_that_was_answered_is_in_the_trail_of_a_killed_gateway(tmp_path: Path) -> None:
    """T-42, and issue 4: kill -9 under load, thirty times."""
    moments = random.Random(4)
    acknowledged: set[str] = set()
    app = Starlette(routes=[Route("/look", berths), Route("/moor", berths, methods=["POST"])])
    with serving(app) as base:
        anyio.run(connect, tmp_path, base)
        for _ in range(KILLS):
            with subprocess.Popen(
                [sys.executable, str(CALLER), str(tmp_path)], stdout=subprocess.PIPE, text=True
            ) as process:
                assert process.stdout
                first = process.stdout.readline()
                time.sleep(moments.uniform(0.0, 0.2))  # waits for nothing: this is the moment
                process.kill()
                rest = process.stdout.read().splitlines(keepends=True)
            told = {line.split()[0] for line in (first, *rest) if line.endswith("\n")}  # one cut short was none
            assert told
            acknowledged |= told
        anyio.run(check, tmp_path, acknowledged)
    assert len(acknowledged) > 10 * KILLS
