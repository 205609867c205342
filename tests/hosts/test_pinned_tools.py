"""T-6: tools that an operator pins are listed beside the operations of a face, and called through the same door."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import httpx2
import mcp_types as types
import msgspec
import pytest
from harbours import keys_for, settings_of
from mcp import Client
from mcp.shared.exceptions import MCPError

from listening import listening
from periplus.app import open_gateway
from periplus.app.serving import open_application
from periplus.model import EventFilter, SourceSpec
from periplus.settings import Settings, load_settings
from sites import Site, api

FACE = ["search", "browse", "describe", "call", "result", "approvals", "grant", "session", "remember"]


def pinned(settings: Settings, *sources: str) -> Settings:
    """The same with these sources pinned."""
    table = {
        name: msgspec.structs.replace(spec, expose=("direct",)) if name in sources else spec
        for name, spec in settings.sources.items()
    }
    return msgspec.structs.replace(settings, sources=table)


@pytest.fixture
def red(tmp_path: Path, upstream: Site, verbs: None) -> Iterator[tuple[str, Settings]]:
    settings = pinned(settings_of(tmp_path, upstream), "red")
    keys_for(settings)
    with listening(lambda: open_application(settings)) as base:
        yield base, settings


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
async def test_pinned_tools_stand_after_the_faces_own_and_are_called_by_their_names(
    red: tuple[str, Settings], mode: str
) -> None:
    """T-6."""
    async with Client(f"{red[0]}/mcp", mode=mode) as client:
        tools = (await client.list_tools()).tools
        result = await client.call_tool("berths", {"x": 5})
    assert [tool.name for tool in tools] == [*FACE, "berths", "ships", "tides", "sink"]
    assert tools[-2].input_schema["properties"]["x"]["type"] == "integer"
    assert tools[-1].annotations is not None
    assert (tools[-2].annotations.read_only_hint, tools[-1].annotations.destructive_hint) == (True, True)  # type: ignore[union-attr]
    assert not result.is_error
    assert isinstance(result.content[0], types.TextContent)
    assert msgspec.json.decode(result.content[0].text)[0] == {"code": "B0"}


async def test_a_list_with_pinned_tools_is_for_whoever_asked(red: tuple[str, Settings]) -> None:
    """T-2, T-6."""
    async with Client(f"{red[0]}/mcp", mode="2026-07-28") as client:
        assert (await client.list_tools()).cache_scope == "private"


async def test_a_pinned_call_is_checked_permitted_and_in_the_trail(red: tuple[str, Settings]) -> None:
    """T-6: everything that runs goes through one door."""
    async with Client(f"{red[0]}/mcp", mode="legacy") as client:
        wrong = await client.call_tool("berths", {"x": "many"})
        waits = await client.call_tool("sink", {})
        with pytest.raises(MCPError):
            await client.call_tool("blue_berths", {})
    assert wrong.is_error
    assert "/x" in wrong.content[0].text
    assert waits.is_error
    assert "periplus approvals grant ap_" in waits.content[0].text
    async with open_gateway(red[1], configure=False) as gateway:
        rows = await gateway.trail.latest(EventFilter(verb="call"))
    assert [(row.event.subject, row.event.outcome) for row in rows] == [
        ("red/red/berths", "invalid_args"),
        ("red/sink/sink", "approval_required"),
    ]


async def test_a_person_at_the_client_agrees_to_a_pinned_call(red: tuple[str, Settings]) -> None:
    """T-5, T-6: asked over elicitation, or by a question that comes back with the answer."""
    asked: list[str] = []

    async def agree(_context: Any, params: types.ElicitRequestParams) -> types.ElicitResult:
        asked.append(params.message)
        return types.ElicitResult(action="accept", content={"approve": True})

    for mode in ("legacy", "2026-07-28"):
        async with Client(f"{red[0]}/mcp", mode=mode, elicitation_callback=agree) as client:
            result = await client.call_tool("sink", {})
        assert not result.is_error, mode
        assert result.content[0].text == '{"sunk":true}'
    assert len(asked) == 2
    assert "red/sink" in asked[0]


async def test_names_that_two_sources_share_say_their_source(tmp_path: Path, upstream: Site, verbs: None) -> None:
    """T-6."""
    settings = pinned(settings_of(tmp_path, upstream), "red", "blue")
    await anyio.to_thread.run_sync(keys_for, settings)
    with listening(lambda: open_application(settings)) as base:
        async with Client(f"{base}/mcp", mode="legacy") as client:
            names = [tool.name for tool in (await client.list_tools()).tools][len(FACE) :]
    assert names == [f"{source}.{leaf}" for source in ("blue", "red") for leaf in ("berths", "ships", "tides", "sink")]


def test_direct_may_be_written_as_one_word(tmp_path: Path) -> None:
    """T-6."""
    file = tmp_path / "periplus.toml"
    file.write_text('[sources.red]\nurl = "red.json"\nexpose = "direct"\n')
    assert load_settings(file, {}).sources["red"].expose == ("direct",)
    assert SourceSpec(expose=("direct",)).offers == ("tools", "resources", "prompts")
    assert SourceSpec(expose=("tools", "direct")).offers == ("tools",)


async def test_who_subscribed_hears_that_pinned_tools_are_others(red: tuple[str, Settings], upstream: Site) -> None:
    """T-1, T-6: over `subscriptions/listen`."""
    body = {
        "jsonrpc": "2.0",
        "id": 7,
        "method": "subscriptions/listen",
        "params": {
            "notifications": {"toolsListChanged": True},
            "_meta": {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": {},
            },
        },
    }
    headers = {
        "accept": "application/json, text/event-stream",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "subscriptions/listen",
    }
    async with (
        httpx2.AsyncClient(timeout=20) as http,
        http.stream("POST", f"{red[0]}/mcp", json=body, headers=headers) as stream,
        open_gateway(red[1], configure=False) as gateway,
    ):
        seen: list[str] = []
        async for line in stream.aiter_lines():
            if not line.startswith("data:"):
                continue
            seen.append(msgspec.json.decode(line[5:])["method"])
            if seen == ["notifications/subscriptions/acknowledged"]:
                upstream.write("/red.json", json.dumps(api("red/lights", servers=[{"url": upstream.base}])))
                await gateway.sync("red", accept=True)
            else:
                break
    assert seen[-1] == "notifications/tools/list_changed"
