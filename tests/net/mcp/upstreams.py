"""What the tests of MCP sessions share beside fixtures: where the servers are, and who is still alive."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import anyio

from periplus.model import SourceSpec
from periplus.net import Fetcher
from periplus.net.mcp import McpPool, Timing, Transports

SERVERS = Path(__file__).parent / "servers"
SHORT = Timing(polite_seconds=0.1, grace_seconds=0.1, retry_first_seconds=0.05)

Odd = Callable[..., SourceSpec]
MakePool = Callable[..., McpPool]


def granting(fetcher: Fetcher) -> Transports:
    """The transports of a fetcher, with credentials for nobody."""
    return lambda spec, _principal, _learn: fetcher.transport(spec)


def is_alive(pid: int) -> bool:
    """Whether a process runs; a zombie that only waits to be collected does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        if sys.platform == "linux":
            return False
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return False
        return True
    return state not in "ZX"


def pids(started: Path) -> list[int]:
    return [int(line) for line in started.read_text().splitlines()] if started.exists() else []


async def all_gone(started: Path, within: float = 20.0) -> bool:
    """Poll until no process written there is left."""
    with anyio.move_on_after(within):
        while any(map(is_alive, pids(started))):  # noqa: ASYNC110 - processes tell nobody when they end
            await anyio.sleep(0.02)
    return not any(map(is_alive, pids(started)))
