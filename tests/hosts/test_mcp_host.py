from __future__ import annotations

import httpx2
import mcp_types as types
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError

LEGACY = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")


@pytest.mark.parametrize("mode", ["auto", "legacy", "2026-07-28"])
async def test_one_endpoint_serves_both_eras(served: str, mode: str) -> None:
    """T-1."""
    async with Client(f"{served}/mcp", mode=mode) as client:
        tools = (await client.list_tools()).tools
        result = await client.call_tool("say", {"words": "ahoy"})
    assert [tool.name for tool in tools] == ["say", "count", "break", "who"]
    assert tools[0].annotations is not None
    assert tools[0].annotations.read_only_hint is True
    assert result.structured_content == {"said": "ahoy"}
    assert isinstance(result.content[0], types.TextContent)
    assert result.content[0].text == "ahoy"
    assert not result.is_error


@pytest.mark.parametrize("revision", LEGACY)
def test_every_handshake_revision_is_answered_in_its_own(served: str, revision: str) -> None:
    """T-1."""
    asked = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {"protocolVersion": revision, "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}},
    }
    accept = {"accept": "application/json, text/event-stream"}
    answer = httpx2.post(f"{served}/mcp", json=asked, headers=accept)
    assert answer.status_code == 200
    assert f'"protocolVersion":"{revision}"' in answer.text
    assert "Say something." in answer.text
    assert "echo-server" in answer.text


async def test_the_tool_list_may_be_kept_by_anyone(served: str) -> None:
    """T-2."""
    async with Client(f"{served}/mcp/echo", mode="2026-07-28") as client:
        listed = await client.list_tools()
    assert listed.cache_scope == "public"
    assert listed.ttl_ms > 0


async def test_an_unknown_tool_is_invalid_params_and_names_the_nearest(served: str) -> None:
    """T-3."""
    async with Client(f"{served}/mcp", mode="legacy") as client:
        with pytest.raises(MCPError, match="did you mean 'say'") as caught:
            await client.call_tool("sya", {})
    assert caught.value.error.code == types.INVALID_PARAMS


async def test_bad_arguments_are_an_error_a_model_can_read(served: str) -> None:
    """T-3."""
    async with Client(f"{served}/mcp", mode="legacy") as client:
        result = await client.call_tool("say", {"words": 5})
    assert result.is_error
    assert result.structured_content["error"]["code"] == "bad_input"
    assert "words is 5" in result.content[0].text


async def test_a_fault_of_ours_shows_a_trace_and_nothing_else(served: str) -> None:
    async with Client(f"{served}/mcp", mode="legacy") as client:
        result = await client.call_tool("break", {})
    assert result.is_error
    assert "secret" not in result.content[0].text
    assert result.structured_content["error"]["code"] == "internal"


async def test_progress_reaches_the_client(served: str) -> None:
    """T-4."""
    seen: list[float] = []

    async def progress(done: float, total: float | None, message: str | None) -> None:
        seen.append(done)

    async with Client(f"{served}/mcp", mode="legacy") as client:
        await client.call_tool("count", {}, progress_callback=progress)
    assert seen == [1, 2, 3]


async def test_a_conversation_is_told_from_another_where_the_wire_knows(served: str) -> None:
    async with Client(f"{served}/mcp", mode="legacy") as first, Client(f"{served}/mcp", mode="legacy") as second:
        one, two = await first.call_tool("who", {}), await second.call_tool("who", {})
    async with Client(f"{served}/mcp", mode="2026-07-28") as stateless:
        three = await stateless.call_tool("who", {})
    assert one.structured_content["connection"] != two.structured_content["connection"] != ""
    assert not one.structured_content["anonymous"]
    assert three.structured_content["connection"] == ""
    assert three.structured_content["anonymous"]


async def test_documents_of_a_face_are_resources(served: str) -> None:
    async with Client(f"{served}/mcp", mode="legacy") as client:
        listed = await client.list_resources()
        read = await client.read_resource("echo://help")
        with pytest.raises(MCPError, match="echo://help"):
            await client.read_resource("echo://other")
    assert [str(one.uri) for one in listed.resources] == ["echo://help"]
    assert read.contents[0].text == "Say something."
