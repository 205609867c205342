"""Servers that print, hang, die, lie and flood are contained, and say why they failed."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import anyio
import anyio.lowlevel
import msgspec
import pytest
from upstreams import SHORT, MakePool, Odd, all_gone, is_alive, pids

from periplus.model import Code, Problem, SourceSpec
from periplus.net.mcp import McpPool

SECRET = {"TOKEN": "s3cr3t-from-env"}


async def refused(pool: McpPool, spec: SourceSpec) -> Problem:
    with pytest.raises(Problem) as caught:
        await pool.listing(spec)
    assert spec.id in caught.value.message  # S-92: a bad server is named
    return caught.value


async def test_text_on_stdout_is_skipped_with_a_note(pool: McpPool, odd: Odd) -> None:
    """S-91"""
    listing = await pool.listing(odd("prints"))
    assert [tool["name"] for tool in listing.tools] == ["look"]
    assert any("Welcome to the harbour" in note for note in listing.notes)
    assert any("no JSON-RPC" in note and "started" in note for note in listing.notes)


@pytest.mark.parametrize("way", ["old", "ignores-discover", "dies-at-discover", "batch"])
async def test_older_servers_are_read_whatever_they_do_with_a_method_they_do_not_know(
    make_pool: MakePool, odd: Odd, started: Path, way: str
) -> None:
    """S-90: refusing, ignoring and dying of `server/discover` all lead to `initialize`."""
    async with make_pool(msgspec.structs.replace(SHORT, probe_seconds=0.3)) as pool:
        listing = await pool.listing(odd(way))
        assert listing.protocol == "2024-11-05"
        assert len(listing.tools) == 1
    assert len(pids(started)) == (2 if way == "dies-at-discover" else 1)


async def test_the_era_of_a_server_is_remembered(pool: McpPool, odd: Odd, started: Path) -> None:
    """S-90: a server that died of being asked is not asked again."""
    spec = odd("dies-at-discover", idle_seconds=0.05)
    await pool.listing(spec)
    assert await all_gone(started)
    before = len(pids(started))
    await pool.listing(spec)
    assert len(pids(started)) == before + 1


async def test_a_server_that_hangs_at_its_start_is_given_up_and_gone(
    make_pool: MakePool, odd: Odd, started: Path
) -> None:
    """S-91: starts have a deadline."""
    async with make_pool(msgspec.structs.replace(SHORT, start_seconds=0.5)) as pool:
        problem = await refused(pool, odd("hangs"))
        assert problem.code is Code.TIMEOUT
        assert "waiting for the tide" in problem.message
        assert await all_gone(started)


async def test_a_hanging_server_delays_no_other(make_pool: MakePool, odd: Odd) -> None:
    """S-92: while one is being waited for, another answers."""
    async with make_pool() as pool, anyio.create_task_group() as tasks:
        tasks.start_soon(pool.listing, odd("hangs"))
        await anyio.lowlevel.checkpoint()
        assert (await pool.listing(odd("old"))).tools
        tasks.cancel_scope.cancel()


@pytest.mark.parametrize(
    ("way", "code", "told"),
    [
        ("dies", Code.UNAVAILABLE, "no module named berth"),
        ("dies-after-initialize", Code.UNAVAILABLE, "boom: no berth left"),
        ("dies-in-list", Code.UNAVAILABLE, "status 4"),
        ("endless", Code.OVER_LIMIT, "pages"),
        ("no-list", Code.PARSE_ERROR, "without a list"),
        ("no-result", Code.UPSTREAM_ERROR, "no JSON-RPC result"),
        ("fails-in-list", Code.UPSTREAM_ERROR, "the tide is out"),
        ("stranger", Code.UNSUPPORTED, "1999-01-01"),
    ],
)
async def test_a_list_that_fails_raises_and_says_why(
    make_pool: MakePool, odd: Odd, started: Path, way: str, code: Code, told: str
) -> None:
    """S-93, S-117: half a list is none, so the old set stays."""
    async with make_pool(msgspec.structs.replace(SHORT, pages=50), environ=SECRET) as pool:
        problem = await refused(pool, odd(way, env={"TOKEN": "${TOKEN}"}))
        assert problem.code is code
        assert told in problem.message
        assert "s3cr3t" not in problem.message
    assert await all_gone(started)


async def test_a_list_that_is_not_answered_ends_at_its_deadline(pool: McpPool, odd: Odd) -> None:
    """S-92"""
    problem = await refused(pool, odd("hangs-in-list", timeout_seconds=0.3))
    assert problem.code is Code.TIMEOUT


async def test_a_repeated_cursor_ends_the_list(pool: McpPool, odd: Odd) -> None:
    """S-93: what a server that ignores cursors sends again is not taken twice."""
    listing = await pool.listing(odd("repeats-cursor"))
    assert [tool["name"] for tool in listing.tools] == ["look"]
    assert any("repeats the cursor" in note for note in listing.notes)


async def test_empty_pages_end_the_list(pool: McpPool, odd: Odd) -> None:
    """S-93"""
    assert any("empty pages" in note for note in (await pool.listing(odd("empty-pages"))).notes)


async def test_tools_come_as_they_are_on_the_wire(pool: McpPool, odd: Odd) -> None:
    """S-94: a schema without `type`, a missing one and null are the adapter's to mend, and lose no neighbour."""
    listing = await pool.listing(odd("no-type"))
    assert listing.tools == ({"name": "a", "inputSchema": {}}, {"name": "b"}, {"name": "c", "inputSchema": None})
    assert any("no object: 7" in note for note in listing.notes)


async def test_a_large_message_passes_and_a_huge_one_is_refused(make_pool: MakePool, odd: Odd) -> None:
    """T-7, S-6"""
    async with make_pool(msgspec.structs.replace(SHORT, message_bytes=4_000_000)) as pool:
        assert len((await pool.listing(odd("huge", "3000000"))).tools[0]["description"]) == 3_000_000
        problem = await refused(pool, odd("huge", "9000000"))
        assert problem.code is Code.OVER_LIMIT
        assert "message_bytes" in problem.message


async def test_stderr_is_kept_in_part_and_without_secrets(make_pool: MakePool, odd: Odd) -> None:
    """S-91: a ring buffer; 100,000 lines neither block the server nor fill the memory."""
    async with make_pool(environ=SECRET) as pool:
        assert (await pool.listing(odd("noisy", env={"ANYTHING": "${TOKEN}"}))).tools
        lines = pool.stderr("noisy")
        assert len(lines) == 200
        assert lines[-1] == "line 99999 password=*** ***"
    assert pool.stderr("unknown") == ()


async def test_a_server_gets_the_listed_environment_and_no_more(make_pool: MakePool, odd: Odd) -> None:
    """S-91"""
    environ = {"PATH": "/bin:/usr/bin", "HOME": "/nowhere", "SECRET": "x", "GIVEN": "deep"}
    async with make_pool(environ=environ) as pool:
        listing = await pool.listing(odd("env", env={"A": "1", "B": "${GIVEN}-${NOT_SET:-sea}"}))
    found = {tool["name"]: tool["description"] for tool in listing.tools}
    found.pop("LC_CTYPE", None)  # Python adds it to itself
    found.pop("__CF_USER_TEXT_ENCODING", None)
    assert found == {"PATH": "/bin:/usr/bin", "HOME": "/nowhere", "A": "1", "B": "deep-sea"}


async def test_an_argument_is_never_read_by_a_shell(pool: McpPool, started: Path, odd: Odd) -> None:
    """S-91"""
    listing = await pool.listing(odd("old", f"; touch {started}.shell; $(touch {started}.shell)"))
    assert listing.tools
    assert not Path(f"{started}.shell").exists()  # noqa: ASYNC240


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({"command": "no-such-program-anywhere"}, Code.UNAVAILABLE),
        ({"command": sys.executable, "cwd": "/no/such/place"}, Code.BAD_SETTING),
        ({"command": sys.executable, "trusted": False}, Code.FORBIDDEN),
        ({"command": sys.executable, "env": {"A": "${NOT_SET_ANYWHERE}"}}, Code.CREDENTIALS_MISSING),
        ({"url": "ftp://example.com/mcp"}, Code.BAD_SETTING),
        ({"url": "http://127.0.0.1:9/mcp", "transport": "pigeon"}, Code.BAD_SETTING),
        ({"url": "http://${HOME}/mcp", "trusted": False}, Code.CREDENTIALS_MISSING),
        ({"url": "http://127.0.0.1:9/", "headers": {"A": "env:HOME"}, "trusted": False}, Code.CREDENTIALS_MISSING),
        ({}, Code.BAD_SETTING),
    ],
)
async def test_what_cannot_be_started_is_refused_with_its_reason(
    pool: McpPool, given: Mapping[str, Any], code: Code
) -> None:
    """S-12, S-91: commands and secrets are the operator's; nothing is started or read for anyone else."""
    assert (await refused(pool, SourceSpec(id="x", kind="mcp", **given))).code is code


async def test_a_failing_server_is_left_alone_for_a_while(make_pool: MakePool, odd: Odd, started: Path) -> None:
    """S-92: a caller who cannot wait for the next attempt is told when it is, and nothing is started."""
    timing = msgspec.structs.replace(SHORT, retry_first_seconds=3600, retry_most_seconds=3600)
    async with make_pool(timing) as pool:
        await refused(pool, odd("dies"))
        before = len(pids(started))
        problem = await refused(pool, odd("dies"))
        assert problem.code is Code.UNAVAILABLE
        assert "tried again in" in problem.message
        assert "no module named berth" in problem.message
        assert len(pids(started)) == before


async def test_waits_between_attempts_double_up_to_a_minute() -> None:
    """S-92: 1 to 60 s."""
    timing = type(SHORT)()
    assert [timing.retry_after(number) for number in (0, 1, 2, 3, 7, 10_000)] == [0, 1, 2, 4, 60, 60]


async def test_a_server_that_died_is_started_again(pool: McpPool, odd: Odd, started: Path) -> None:
    """S-92"""
    spec = odd("old")
    await pool.listing(spec)
    (pid,) = pids(started)
    os.kill(pid, signal.SIGKILL)
    assert (await pool.listing(spec)).tools
    assert len(pids(started)) == 2
    assert not is_alive(pid)
