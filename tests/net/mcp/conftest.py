"""Real servers, and a pool whose only waits are for things that happen."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from upstreams import SERVERS, SHORT, MakePool, Odd, granting

from periplus.model import SourceSpec
from periplus.net import Fetcher, FetchPolicy
from periplus.net.mcp import McpPool, Timing


@pytest.fixture
def started(tmp_path: Path) -> Path:
    """Where odd servers write their process ids."""
    return tmp_path / "started"


@pytest.fixture
def odd(started: Path) -> Odd:
    def make(way: str, *args: str, **given: Any) -> SourceSpec:
        command = (str(SERVERS / "odd.py"), way, str(started), *args)
        return SourceSpec(id=way, kind="mcp", command=sys.executable, args=command, **given)

    return make


@pytest.fixture
async def make_pool() -> AsyncIterator[MakePool]:
    fetchers: list[Fetcher] = []

    def make(timing: Timing = SHORT, environ: dict[str, str] | None = None, **given: Any) -> McpPool:
        fetchers.append(Fetcher(FetchPolicy()))
        return McpPool(granting(fetchers[-1]), environ=environ or dict(os.environ), timing=timing, **given)

    yield make
    for fetcher in fetchers:
        await fetcher.close()


@pytest.fixture
async def pool(make_pool: MakePool) -> AsyncIterator[McpPool]:
    async with make_pool() as pool:
        yield pool


@pytest.fixture
def serve() -> Iterator[Callable[..., tuple[str, subprocess.Popen[str]]]]:
    """Start `real.py` on a port; gives its URL and its process."""
    running: list[subprocess.Popen[str]] = []

    def start(mode: str, port: int = 0) -> tuple[str, subprocess.Popen[str]]:
        command = [sys.executable, str(SERVERS / "real.py"), mode, str(port)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        running.append(process)
        assert process.stdout is not None
        return f"http://127.0.0.1:{process.stdout.readline().strip()}/mcp", process

    yield start
    for process in running:
        process.kill()
        process.wait()
        if process.stdout:
            process.stdout.close()
