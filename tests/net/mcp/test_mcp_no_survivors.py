"""No process outlives the gateway, its source or its idle time, however it ends (S-91, S-117)."""

# Waits here are for processes of the system, which tell nobody when they end; blocking calls block only the test.
# ruff: noqa: ASYNC110, ASYNC220, ASYNC240

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import anyio
import pytest
from upstreams import SERVERS, MakePool, Odd, all_gone, is_alive, pids

from periplus.model import Problem
from periplus.net.mcp import McpPool

LINUX = sys.platform == "linux"


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
async def test_a_killed_gateway_leaves_nobody_behind(started: Path, number: signal.Signals) -> None:
    """S-91: also on kill -9, also servers and their children that ignore SIGTERM or fled into another session."""
    server = [str(SERVERS / "odd.py"), "family", str(started)]
    gateway = subprocess.Popen(
        [sys.executable, str(SERVERS / "gateway.py"), *server], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    assert gateway.stdout is not None
    assert gateway.stdout.readline() == b"ready\n"
    family = pids(started)
    assert len(family) == 3
    assert all(map(is_alive, family))
    gateway.send_signal(number)
    gateway.stdout.close()
    gateway.wait()
    if not LINUX:
        pytest.skip("one that fled into another session is found only where orphans can be adopted")
    assert await all_gone(started)


async def test_leaving_the_pool_ends_every_server(make_pool: MakePool, odd: Odd, started: Path) -> None:
    """S-91: the pool is left only when they are gone."""
    async with make_pool() as pool:
        await pool.listing(odd("family"))
        assert len(pids(started)) == 3
    assert not any(map(is_alive, pids(started)))


async def test_closing_a_source_ends_its_server_and_no_other(
    pool: McpPool, odd: Odd, started: Path, tmp_path: Path
) -> None:
    """S-91: on removal; `close` comes back when it is done."""
    other = tmp_path / "other"
    args = (str(SERVERS / "odd.py"), "old", str(other))
    await pool.listing(odd("stays"))
    await pool.listing(type(odd("old"))(id="old", kind="mcp", command=sys.executable, args=args))
    await pool.close("stays")
    assert not any(map(is_alive, pids(started)))
    assert all(map(is_alive, pids(other)))
    await pool.close()
    assert not any(map(is_alive, pids(other)))
    assert (await pool.listing(odd("stays"))).tools  # the next use begins a new one
    await pool.close("never-heard-of")


async def test_an_idle_server_is_ended_and_comes_back_when_needed(pool: McpPool, odd: Odd, started: Path) -> None:
    """S-91: `idle_seconds`."""
    spec = odd("old", idle_seconds=0.05)
    assert (await pool.listing(spec)).tools
    assert await all_gone(started)
    assert (await pool.listing(spec)).tools
    assert len(pids(started)) == 2


async def test_a_changed_definition_replaces_the_server(pool: McpPool, odd: Odd, started: Path) -> None:
    """S-91: two definitions of one source never run side by side for long."""
    await pool.listing(odd("old"))
    (first,) = pids(started)
    await pool.listing(odd("old", env={"A": "1"}))
    with anyio.fail_after(20):
        while is_alive(first):
            await anyio.sleep(0.02)
    assert is_alive(pids(started)[1])


async def test_a_cancelled_start_leaves_nobody_behind(make_pool: MakePool, odd: Odd, started: Path) -> None:
    """S-91"""
    async with make_pool() as pool:
        with anyio.move_on_after(10):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(pool.listing, odd("hangs"))
                while not pids(started):
                    await anyio.sleep(0.01)
                tasks.cancel_scope.cancel()
    assert not any(map(is_alive, pids(started)))
    assert pids(started)


@pytest.mark.skipif(not LINUX, reason="the parent-death signal is Linux's")
async def test_a_killed_warden_takes_its_server_along(make_pool: MakePool, odd: Odd, started: Path) -> None:
    """S-91: should anything kill the process between gateway and server."""
    async with make_pool() as pool:
        await pool.listing(odd("stays"))
        (server,) = pids(started)
        parent = int(Path(f"/proc/{server}/stat").read_text().rpartition(")")[2].split()[1])
        assert "warden" in Path(f"/proc/{parent}/cmdline").read_text()
        os.kill(parent, signal.SIGKILL)
        assert await all_gone(started)


@pytest.mark.skipif(not LINUX, reason="counts descriptors in /proc")
async def test_no_descriptor_is_left_open(make_pool: MakePool, odd: Odd, started: Path) -> None:
    """T-7"""
    async with make_pool() as pool:
        await pool.listing(odd("old"))
        await pool.close()
        before = len(list(Path("/proc/self/fd").iterdir()))
        for way in ("old", "stays", "dies-in-list", "no-type"):
            with suppress(Problem):
                await pool.listing(odd(way))
            await pool.close()
        assert len(list(Path("/proc/self/fd").iterdir())) == before
