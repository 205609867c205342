"""H-1 to H-5, T-1 to T-3: the nine tools over every wire."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import httpx2
import msgspec
import pytest
from agents import Agent, Serve
from berths import HARBOUR
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.shared.exceptions import MCPError

from sites import Site

NINE = [
    "connect_to_site",
    "get_manifest",
    "get_landmarks",
    "inspect_landmark",
    "search_landmarks",
    "call_action",
    "execute_sequence",
    "list_aliases",
    "clear_session",
]


@pytest.fixture
def quay(harbour: Site) -> Site:
    harbour.write("/openapi.json", json.dumps(HARBOUR))
    return harbour


def listed(client_tools: list[object]) -> list[dict[str, object]]:
    return [tool.model_dump(by_alias=True, exclude_none=True, mode="json") for tool in client_tools]


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
async def test_the_list_is_nine_tools_whatever_is_connected(gateway: str, quay: Site, mode: str) -> None:
    """H-1, T-2."""
    async with Client(f"{gateway}/mcp/handshake", mode=mode) as client:
        before = await client.list_tools()
        await client.call_tool("connect_to_site", {"url": quay.base})
        after = await client.list_tools()
    tools = listed(before.tools)
    assert [tool["name"] for tool in tools] == NINE
    assert tools == listed(after.tools)
    assert before.next_cursor is None
    assert len(msgspec.json.encode(tools)) < 1300 * 4
    assert all("outputSchema" not in tool and "annotations" in tool for tool in tools)
    assert all("hase" in tool["description"] for tool in tools[:7])


async def test_the_five_phases_are_told_at_the_start(gateway: str) -> None:
    """H-3."""
    async with Client(f"{gateway}/mcp", mode="legacy") as client:
        said = client.initialize_result.instructions if hasattr(client, "initialize_result") else client.instructions
    assert len(said) <= 700
    places = [
        said.index(name)
        for name in ("connect_to_site", "get_manifest", "get_landmarks", "inspect_landmark", "call_action")
    ]
    assert places == sorted(places)


async def test_an_action_called_as_a_tool_is_refused_with_the_call_that_was_meant(gateway: str, quay: Site) -> None:
    """H-4."""
    async with Client(f"{gateway}/mcp", mode="legacy") as client:
        await client.call_tool("connect_to_site", {"url": quay.base, "name": "harbour"})
        early = await client.call_tool("berths_reserve", {"berth": "B4"})
        assert early.structured_content["_PROTOCOL_ERROR"] == "PROTOCOL_VIOLATION"
        await client.call_tool("get_manifest", {})
        late = await client.call_tool("berths_reserve", {"berth": "B4"})
        assert late.is_error
        assert late.structured_content["_PROTOCOL_ERROR"] == "PROHIBITED_CALL"
        fix = 'call_action(action=\'berths:berths_reserve\', parameters={"berth":"B4"})'
        assert late.structured_content["suggested_fix"] == fix
        with pytest.raises(MCPError, match="get_landmarks"):
            await client.call_tool("get_landmark", {})


async def test_prefixes_of_hosts_are_dropped(gateway: str, quay: Site) -> None:
    """H-5."""
    async with Client(f"{gateway}/mcp", mode="legacy") as client:
        for name in ("elemm-gateway:connect_to_site", "periplus:connect_to_site", "mcp__periplus__connect_to_site"):
            result = await client.call_tool(name, {"url": quay.base})
            assert not result.is_error


def test_one_of_the_nine_may_come_as_an_action(gateway: str, quay: Site) -> None:
    """H-5."""
    agent = Agent(gateway)
    agent.ask("connect_to_site", url=quay.base, name="harbour")
    early = agent.ask("call_action", action="inspect_landmark", parameters={"landmark_id": "berths"})
    assert early.error == "PROTOCOL_VIOLATION"
    assert "### PROTOCOL RULES" in agent.ask("call_action", action="get_manifest").text
    late = agent.ask("call_action", action="inspect_landmark", parameters={"landmark_id": "pilots"})
    assert late.tools == ["pilots:pilots_dismiss"]


async def test_a_failure_is_marked_and_a_success_is_not(gateway: str, quay: Site) -> None:
    """H-2, H-99."""
    async with Client(f"{gateway}/mcp", mode="legacy") as client:
        good = await client.call_tool("connect_to_site", {"url": quay.base})
        bad = await client.call_tool("inspect_landmark", {"landmark_id": "nope"})
    assert not good.is_error
    assert bad.is_error
    assert json.loads(bad.content[0].text)["_PROTOCOL_ERROR"] == "INVALID_LANDMARK"
    assert len(good.content) == len(bad.content) == 1


async def test_what_programs_get_is_never_longer_than_the_text(gateway: str, quay: Site) -> None:
    """H-39."""
    async with Client(f"{gateway}/mcp", mode="legacy") as client:
        await client.call_tool("connect_to_site", {"url": quay.base, "name": "harbour"})
        for tool, arguments in (
            ("get_manifest", {}),
            ("get_landmarks", {}),
            ("inspect_landmark", {"landmark_id": "berths"}),
            ("search_landmarks", {"query": "berths|pilots"}),
        ):
            result = await client.call_tool(tool, arguments)
            assert "parameters" not in json.dumps(result.structured_content["actions"])
            if tool != "get_landmarks":  # three areas: the frame of the object alone is longer than so few lines
                assert len(msgspec.json.encode(result.structured_content)) <= len(result.content[0].text)


@pytest.mark.parametrize("structured", ["full", "off"])
async def test_the_operator_chooses_what_programs_get(serve: Serve, quay: Site, structured: str) -> None:
    """H-39."""
    with serve(**{"handshake.structured": structured}) as base:
        async with Client(f"{base}/mcp", mode="legacy") as client:
            await client.call_tool("connect_to_site", {"url": quay.base, "name": "harbour"})
            result = await client.call_tool("inspect_landmark", {"landmark_id": "berths:berths_reserve"})
    if structured == "off":
        assert result.structured_content is None
    else:
        assert result.structured_content["actions"][0]["parameters"]["required"] == ["berth", "date", "ship"]


def test_json_rpc_has_the_same_operations(gateway: str, quay: Site) -> None:
    def ask(method: str, **params: object) -> dict[str, object]:
        body = {"jsonrpc": "2.0", "id": 1, "method": f"handshake.{method}", "params": {"session": "rpc", **params}}
        return httpx2.post(f"{gateway}/rpc", json=body).json()

    assert ask("connect_to_site", url=quay.base, name="harbour")["result"]["site"] == "harbour"
    refused = ask("call_action", action="berths:berths_list")
    assert refused["error"]["data"]["_PROTOCOL_ERROR"] == "PROTOCOL_VIOLATION"
    assert "### PROTOCOL RULES" in ask("get_manifest")["result"]["text"]


async def test_over_stdio_the_connection_is_the_session(tmp_path: object, quay: Site) -> None:
    """T-1, H-6."""
    server = StdioServerParameters(
        command=str(Path(sys.executable).with_name("periplus")),
        args=["--data", str(tmp_path), "serve", "--stdio", "--face", "handshake"],
    )
    async with Client(stdio_client(server), mode="legacy") as client:
        connected = await client.call_tool("connect_to_site", {"url": quay.base, "get_manifest": True})
        inspected = await client.call_tool("inspect_landmark", {"landmark_id": "berths"})
    assert "### LANDMARK TOPOLOGY" in connected.content[0].text
    assert inspected.structured_content["manifest_loaded"] is True
