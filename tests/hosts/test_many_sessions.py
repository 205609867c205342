"""T-35: very many conversations: bounded, kept apart, ended when nobody uses them, and disturbing no other."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path

import anyio
import httpx2
import pytest
from harbours import ACCEPT, HELLO, keys_for, settings_of
from mcp import Client
from mcp.server.streamable_http import StreamableHTTPServerTransport

import periplus
from listening import listening
from periplus.app.serving import open_application
from periplus.model import Principal
from periplus.settings import Settings
from sites import Site

KNOWN = {"mcp-protocol-version": "2025-11-25"}
PING = {"jsonrpc": "2.0", "id": 2, "method": "ping"}


@pytest.fixture
def few(tmp_path: Path, upstream: Site, verbs: None) -> Iterator[str]:
    """A gateway with room for three sessions, each of which ends after half a second of idleness."""
    settings = settings_of(tmp_path, upstream, sessions=3, session_idle_seconds=0.5)
    keys_for(settings)
    with listening(lambda: open_application(settings)) as url:
        yield url


def transports() -> int:
    """How many sessions are in the memory of this process, in which the gateway runs, too."""
    gc.collect()
    return sum(isinstance(one, StreamableHTTPServerTransport) and not one.is_terminated for one in gc.get_objects())


async def test_over_the_bound_a_new_session_is_refused_with_the_bound(few: str) -> None:
    """Those that are open go on, and what ends makes room."""
    async with httpx2.AsyncClient(headers=ACCEPT, timeout=20) as http:
        open_ones = [(await http.post(f"{few}/mcp", json=HELLO)).headers["mcp-session-id"] for _ in range(3)]
        refused = await http.post(f"{few}/mcp", json=HELLO)
        still = await http.post(f"{few}/mcp", json=PING, headers=KNOWN | {"mcp-session-id": open_ones[0]})
        elsewhere = await http.post(f"{few}/v1/verbs/browse", json={})
        ended = await http.delete(f"{few}/mcp", headers=KNOWN | {"mcp-session-id": open_ones[1]})
        again = await http.post(f"{few}/mcp", json=HELLO)
    assert (refused.status_code, refused.headers["retry-after"]) == (503, "60")
    assert "3 sessions are open" in refused.json()["error"]["message"]
    assert "[serve] sessions" in str(refused.json()["error"]["data"]["hints"])
    assert [one.status_code for one in (still, elsewhere, ended, again)] == [200, 200, 200, 200]


async def test_a_session_that_nobody_uses_ends_and_its_memory_is_free(few: str) -> None:
    """A client that comes back is told so, and begins another."""
    async with httpx2.AsyncClient(headers=ACCEPT, timeout=20) as http:
        gone = [(await http.post(f"{few}/mcp", json=HELLO)).headers["mcp-session-id"] for _ in range(3)]
        with anyio.fail_after(20):
            while (await http.post(f"{few}/mcp", json=HELLO)).status_code != 200:  # noqa: ASYNC110 - nobody is told
                await anyio.sleep(0.1)
        with anyio.fail_after(20):
            while transports():  # noqa: ASYNC110 - nor is a test
                await anyio.sleep(0.1)
        answer = await http.post(f"{few}/mcp", json=PING, headers=KNOWN | {"mcp-session-id": gone[0]})
    assert answer.status_code == 404
    async with Client(f"{few}/mcp", mode="legacy") as client:
        assert not (await client.call_tool("browse", {})).is_error


async def test_a_thousand_sessions_that_nobody_ends_disturb_no_other(
    tmp_path: Path, upstream: Site, verbs: None
) -> None:
    """One that was open before answers as before, and so does the last of them."""
    settings = settings_of(tmp_path, upstream)
    with listening(lambda: open_application(settings)) as base:
        async with Client(f"{base}/mcp", mode="legacy") as client, httpx2.AsyncClient(headers=ACCEPT) as http:
            seen: set[str] = set()

            async def come(count: int) -> None:
                for _ in range(count):
                    seen.add((await http.post(f"{base}/mcp", json=HELLO)).headers["mcp-session-id"])

            async with anyio.create_task_group() as tasks:
                for _ in range(8):
                    tasks.start_soon(come, 125)
            last = await http.post(f"{base}/mcp", json=PING, headers=KNOWN | {"mcp-session-id": seen.pop()})
            assert (len(seen), last.status_code) == (999, 200)
            assert not (await client.call_tool("browse", {})).is_error


async def test_ten_thousand_conversations_are_kept_apart_and_not_in_memory(tmp_path: Path) -> None:
    """T-22, T-35: of a hundred principals, who use the same names."""
    slots = anyio.Semaphore(64)
    async with periplus.open(settings=Settings(data=str(tmp_path))) as gateway:

        async def note(number: int) -> None:
            who = Principal(id=f"p{number % 100}")
            async with slots:
                await gateway.change(f"s{number // 100}", "verbs", lambda _: {"n": number}, principal=who)

        await note(0)
        before = len(gc.get_objects())
        async with anyio.create_task_group() as tasks:
            for number in range(1, 10_000):
                tasks.start_soon(note, number)
        gc.collect()
        assert len(gc.get_objects()) - before < 5_000
        for number in (0, 1, 99, 100, 4_242, 9_999):
            session = await gateway.session(f"s{number // 100}", principal=Principal(id=f"p{number % 100}"))
            assert session.slots == {"verbs": {"n": number}}
