"""`periplus serve` as a process: where it says it is, what it finishes, and how it ends."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import anyio
import anyio.to_thread
import httpx2
import pytest
import whole
from harbours import Caller, keys_for, settings_of
from starlette.requests import Request
from starlette.responses import JSONResponse

from periplus.app import open_gateway
from periplus.model import Code, EventFilter
from periplus.settings import Settings
from sites import Site

HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}},
}
ACCEPT = {"accept": "application/json, text/event-stream"}


class Running(NamedTuple):
    base: str
    process: subprocess.Popen[str]
    settings: Settings


class Slow:
    """A page that is answered when a test says so, and knows when it was asked."""

    def __init__(self) -> None:
        self.asked = threading.Event()
        self.go = threading.Event()

    async def __call__(self, request: Request) -> JSONResponse:
        self.asked.set()
        await anyio.to_thread.run_sync(self.go.wait, 20)
        return JSONResponse({"slow": True})


@contextmanager
def serving(settings: Settings, *words: str) -> Iterator[subprocess.Popen[str]]:
    plugin = Path(settings.data) / "plugin"
    plugin.mkdir(exist_ok=True)
    if not list(plugin.iterdir()):
        whole.register(plugin)
    command = [
        sys.executable,
        "-c",
        "from periplus.cli.main import run; run()",
        "--data",
        settings.data,
        "serve",
        "--face",
        "verbs",
        *words,
    ]
    paths = os.pathsep.join((str(plugin), str(Path(__file__).parent), str(Path(__file__).parents[1])))
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=os.environ | {"PYTHONPATH": paths})
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        assert process.stderr
        process.stderr.close()


@pytest.fixture
def slow() -> Slow:
    return Slow()


@pytest.fixture
def running(tmp_path: Path, upstream: Site, slow: Slow) -> Iterator[Running]:
    settings = settings_of(tmp_path, upstream)
    upstream.serve("/ships", slow)
    keys_for(settings)
    with serving(settings, "--http", "127.0.0.1:0") as process:
        assert process.stderr
        line = process.stderr.readline()
        found = re.search(r"http://[\d.]+:\d+", line)
        assert found, line
        yield Running(found[0], process, settings)


def test_a_call_in_flight_is_finished_and_in_the_trail_before_the_process_ends(running: Running, slow: Slow) -> None:
    """T-11: although a client is listening on a stream that would never end."""
    session = httpx2.post(f"{running.base}/mcp", json=HELLO, headers=ACCEPT).headers["mcp-session-id"]
    listening = ACCEPT | {"mcp-session-id": session, "mcp-protocol-version": "2025-11-25"}
    with (
        ThreadPoolExecutor(1) as aside,
        httpx2.stream("GET", f"{running.base}/mcp", headers=listening, timeout=30) as stream,
    ):
        assert stream.status_code == 200
        call = aside.submit(Caller(running.base), "call", tool="red/red/ships")
        assert slow.asked.wait(15)
        running.process.send_signal(signal.SIGTERM)
        assert list(stream.iter_bytes()) is not None  # it ends although nobody called for it
        slow.go.set()
        answer = call.result(15)
    assert (answer.status_code, answer.json()["value"]) == (200, {"slow": True})
    assert running.process.wait(15) == 0

    async def trail() -> list[str]:
        async with open_gateway(running.settings, configure=False) as gateway:
            return [row.event.outcome for row in await gateway.trail.latest(EventFilter(verb="call"))]

    assert anyio.run(trail) == ["ok"]


def test_a_client_that_goes_away_in_the_middle_of_a_call_disturbs_nobody(running: Running, slow: Slow) -> None:
    """T-4, T-40: the call it left is in the trail, whatever became of it."""
    with httpx2.Client(timeout=httpx2.Timeout(5, read=0.2)) as impatient, pytest.raises(httpx2.ReadTimeout):
        impatient.post(f"{running.base}/v1/verbs/call", json={"tool": "red/red/ships"})
    assert slow.asked.wait(15)
    assert Caller(running.base)("call", tool="red/red/berths").status_code == 200
    slow.go.set()
    running.process.send_signal(signal.SIGTERM)
    assert running.process.wait(15) == 0


def test_a_place_that_is_taken_is_said_with_what_to_do(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        place = f"127.0.0.1:{taken.getsockname()[1]}"
        with serving(Settings(data=str(tmp_path)), "--http", place) as process:
            _, said = process.communicate(timeout=30)
    assert process.returncode == Code.UNAVAILABLE.status.exit, said
    assert f"cannot listen on {place}: Address already in use" in said
    assert "--http 127.0.0.1:0" in said
    assert "Traceback" not in said
