"""T-6: clients that watch pinned resources: each hears of those it asked for, for as long as it may see them."""

from __future__ import annotations

import json
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import httpx2
import mcp_types as types
import pytest
from harbours import keys_for
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

from listening import listening
from periplus.app.serving import open_application
from periplus.model import Principal
from periplus.settings import load_settings

LIVELY = Path(__file__).resolve().parents[1] / "net" / "mcp" / "servers" / "lively.py"
LOG, PIXEL = "note://log", "note://pixel"
BLIND = '\n[[policy.rules]]\nverdict = "deny"\nprincipal = "{who}"\naction = "discover"\ntools = "lively/resources/*"\n'


def configured(directory: Path, **serve: str) -> Path:
    """A file that pins the lively server; nothing there is asked about."""
    file = directory / "periplus.toml"
    said = "".join(f"{name} = {json.dumps(value)}\n" for name, value in {"face": "verbs", **serve}.items())
    file.write_text(
        f"data = {json.dumps(str(directory / 'data'))}\n[serve]\n{said}[sources.lively]\nkind = 'mcp'\n"
        f"command = {json.dumps(sys.executable)}\nargs = [{json.dumps(str(LIVELY))}, 'stdio']\n"
        "expose = ['tools', 'resources', 'direct']\n"
    )
    return file


@pytest.fixture
def base(tmp_path: Path, verbs: None) -> Iterator[str]:
    file = configured(tmp_path)
    keys_for(load_settings(file, {}))
    with listening(lambda: open_application(load_settings(file, {}), file=file)) as url:
        yield url


class Seen:
    """What a client of the handshake revisions is told of resources."""

    def __init__(self) -> None:
        self.uris: list[str] = []
        self._more = anyio.Event()

    async def __call__(self, message: Any) -> None:
        if isinstance(message, types.ResourceUpdatedNotification):
            self.uris.append(str(message.params.uri))
            self._more.set()

    async def reach(self, count: int) -> list[str]:
        with anyio.fail_after(20):
            while len(self.uris) < count:
                self._more = anyio.Event()
                await self._more.wait()
        return self.uris


async def subscribe(client: Client, uri: str) -> None:
    asked = types.SubscribeRequest(params=types.SubscribeRequestParams(uri=uri))
    await client.session.send_request(asked, types.EmptyResult)


async def unsubscribe(client: Client, uri: str) -> None:
    asked = types.UnsubscribeRequest(params=types.UnsubscribeRequestParams(uri=uri))
    await client.session.send_request(asked, types.EmptyResult)


async def test_sessions_hear_of_what_they_subscribed_to(base: str) -> None:
    """T-6: until they take it back, or end."""
    one, other = Seen(), Seen()
    async with Client(f"{base}/mcp", mode="legacy", message_handler=one) as first:
        async with Client(f"{base}/mcp", mode="legacy", message_handler=other) as second:
            assert first.server_capabilities.resources.subscribe
            await subscribe(first, LOG)
            await subscribe(first, LOG)
            await subscribe(second, LOG)
            await subscribe(second, PIXEL)
            await first.call_tool("stir", {"uri": LOG})
            assert await one.reach(1) == [LOG]
            assert await other.reach(1) == [LOG]
            await unsubscribe(first, LOG)
            await unsubscribe(first, LOG)
            await first.call_tool("stir", {"uri": LOG})
            await first.call_tool("stir", {"uri": PIXEL})
            assert sorted((await other.reach(3))[1:]) == [LOG, PIXEL]
        await subscribe(first, PIXEL)
        await first.call_tool("stir", {"uri": PIXEL})
        assert await one.reach(2) == [LOG, PIXEL]


async def test_a_stream_hears_of_what_it_asked_for(base: str) -> None:
    """T-1: `subscriptions/listen`; what cannot be watched is missing in the acknowledgement."""
    wanted = [LOG, "note://nowhere/at/all"]
    async with (
        Client(f"{base}/mcp", mode="2026-07-28") as client,
        client.listen(resource_subscriptions=wanted) as stream,
        client.listen(resource_subscriptions=[PIXEL]) as other,
    ):
        assert stream.honored.resource_subscriptions == [LOG]
        await client.call_tool("stir", {"uri": PIXEL})
        await client.call_tool("stir", {"uri": LOG})
        with anyio.fail_after(20):
            assert (await anext(aiter(stream))).uri == LOG
            assert (await anext(aiter(other))).uri == PIXEL


async def test_what_is_not_there_cannot_be_watched(base: str) -> None:
    async with Client(f"{base}/mcp", mode="legacy") as client:
        with pytest.raises(MCPError) as caught:
            await subscribe(client, "note://nowhere/at/all")
    assert "there is no resource" in caught.value.message


@pytest.fixture
def forgetful(tmp_path: Path, verbs: None) -> Iterator[str]:
    """A gateway that keeps no sessions."""
    file = configured(tmp_path)
    file.write_text(file.read_text().replace("[serve]", "[serve]\nstateless = true"))
    keys_for(load_settings(file, {}))
    with listening(lambda: open_application(load_settings(file, {}), file=file)) as url:
        yield url


async def test_where_no_session_is_kept_only_a_stream_can_hear(forgetful: str) -> None:
    """T-1."""
    async with Client(f"{forgetful}/mcp", mode="legacy") as client:
        with pytest.raises(MCPError) as caught:
            await subscribe(client, LOG)
        assert "no session is kept" in caught.value.message
    async with (
        Client(f"{forgetful}/mcp", mode="2026-07-28") as client,
        client.listen(resource_subscriptions=[LOG]) as stream,
    ):
        await client.call_tool("stir", {"uri": LOG})
        with anyio.fail_after(20):
            assert (await anext(aiter(stream))).uri == LOG


Open = Callable[[Any], Any]


@pytest.fixture
def named(tmp_path: Path, verbs: None) -> Iterator[tuple[Path, list[Open]]]:
    """The file of a gateway that asks who calls, and a client for each of two callers; one is shown no resources."""
    file = configured(tmp_path, auth="keys")
    text = file.read_text()
    file.write_text(text + BLIND.format(who="eve"))
    keys = keys_for(load_settings(file, {}), Principal(id="ann"), Principal(id="eve"))

    def opener(key: str) -> Open:
        @asynccontextmanager
        async def opened(seen: Any) -> AsyncIterator[Client]:
            async with httpx2.AsyncClient(headers={"x-api-key": key}, timeout=30) as http:
                wire = streamable_http_client(f"{base}/mcp", http_client=http)
                async with Client(wire, mode="legacy", message_handler=seen) as client:
                    yield client

        return opened

    with listening(lambda: open_application(load_settings(file, {}), file=file)) as base:
        yield file, [opener(key) for key in keys]


async def test_who_may_not_see_a_resource_hears_nothing_of_it(named: tuple[Path, list[Open]]) -> None:
    """T-22: nor does who could see it when it subscribed, and no longer may."""
    file, (ann, eve) = named
    heard, unheard = Seen(), Seen()
    async with ann(heard) as first, eve(unheard) as second:
        with pytest.raises(MCPError):
            await subscribe(second, LOG)
        await subscribe(first, LOG)
        await first.call_tool("stir", {"uri": LOG})
        assert await heard.reach(1) == [LOG]
        file.write_text(file.read_text().replace('"eve"', '"ann"'))
        with anyio.fail_after(20):
            while (await first.list_resources()).resources:  # noqa: ASYNC110 - a file tells nobody
                await anyio.sleep(0.1)  # the policy's file is looked at once a second
        await subscribe(second, LOG)
        await second.call_tool("stir", {"uri": LOG})
        assert await unheard.reach(1) == [LOG]
    assert heard.uris == [LOG]


@pytest.fixture
def alone(tmp_path: Path) -> Path:
    """The file of a gateway for one client, its sources read."""
    file = configured(tmp_path, face="expansion")
    keys_for(load_settings(file, {}))
    return file


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
async def test_a_client_over_stdio_hears_too(alone: Path, mode: str) -> None:
    """T-1, T-6."""
    file, seen = alone, Seen()
    words = ["-c", "from periplus.cli.main import run; run()", "--config", str(file), "serve", "--stdio"]
    wire = stdio_client(StdioServerParameters(command=sys.executable, args=words))
    async with Client(wire, mode=mode, message_handler=seen) as client:
        if mode == "legacy":
            await subscribe(client, LOG)
            await client.call_tool("stir", {"uri": LOG})
            assert await seen.reach(1) == [LOG]
            return
        async with client.listen(resource_subscriptions=[LOG], tools_list_changed=True) as stream:
            events = aiter(stream)
            with anyio.fail_after(20):
                await client.call_tool("stir", {"uri": LOG})
                assert (await anext(events)).uri == LOG
                await client.call_tool("grow", {"name": "sprit"})
                assert type(await anext(events)).__name__ == "ToolsListChanged"
