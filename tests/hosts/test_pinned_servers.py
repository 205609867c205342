"""T-5, T-6: an MCP server pinned beside a face: its results as it gave them, its questions put to the client."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest
from harbours import keys_for
from mcp import Client
from mcp.shared.exceptions import MCPError

from listening import listening
from periplus.app.serving import open_application
from periplus.model import SourceSpec
from periplus.settings import ServeSettings, Settings

FIXTURES = Path(__file__).resolve().parents[2] / "conformance" / "fixtures.py"


@pytest.fixture
def base(tmp_path: Path, verbs: None) -> Iterator[str]:
    spec = SourceSpec(id="suite", kind="mcp", command=sys.executable, args=(str(FIXTURES),), expose=("direct",))
    settings = Settings(data=str(tmp_path), sources={"suite": spec}, serve=ServeSettings(face="verbs"))
    keys_for(settings)
    with listening(lambda: open_application(settings)) as url:
        yield url


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
async def test_what_a_server_gives_arrives_as_it_is(base: str, mode: str) -> None:
    """T-6."""
    async with Client(f"{base}/mcp", mode=mode) as client:
        mixed = await client.call_tool("test_multiple_content_types", {})
        binary = await client.read_resource("test://static-binary")
        data = await client.read_resource("test://template/7/data")
        prompt = await client.get_prompt("test_prompt_with_arguments", {"arg1": "a", "arg2": "b"})
        failed = await client.call_tool("test_error_handling", {})
    assert [block.type for block in mixed.content] == ["text", "image", "resource"]
    assert isinstance(binary.contents[0], types.BlobResourceContents)
    assert '"id": "7"' in data.contents[0].text
    assert prompt.messages[0].content.text == "Prompt with arguments: arg1='a', arg2='b'"
    assert failed.is_error
    assert "intentionally returns an error" in failed.content[0].text


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
async def test_what_a_server_asks_is_put_to_the_client(base: str, mode: str) -> None:
    """T-5: round by round, in the client's own era."""
    asked: list[str] = []

    async def answer(_context: Any, params: types.ElicitRequestParams) -> types.ElicitResult:
        asked.append(params.message)
        return types.ElicitResult(action="accept", content={"name": "Ann", "color": "red"})

    async with Client(f"{base}/mcp", mode=mode, elicitation_callback=answer) as client:
        done = await client.call_tool("test_input_required_result_multi_round", {})
    assert [message[:6] for message in asked] == ["Step 1", "Step 2"]
    assert "state-ok" in done.content[0].text


async def test_a_client_that_cannot_be_asked_is_told_so(base: str) -> None:
    """T-5."""
    async with Client(f"{base}/mcp", mode="legacy") as client:
        refused = await client.call_tool("test_input_required_result_elicitation", {})
        with pytest.raises(MCPError) as caught:
            await client.call_tool("test_missing_capability", {})
    assert refused.is_error
    assert "nobody here can give it" in refused.content[0].text
    assert caught.value.error.code == -32021


async def test_values_are_suggested_by_the_server_that_has_the_prompt(base: str) -> None:
    """T-6."""
    async with Client(f"{base}/mcp", mode="legacy") as client:
        reference = types.PromptReference(name="test_prompt_with_arguments")
        found = await client.complete(reference, {"name": "arg1", "value": "par"})
        with pytest.raises(MCPError):
            await client.complete(types.PromptReference(name="none"), {"name": "arg1", "value": ""})
    assert found.completion.values == ["paris", "park", "party"]


async def test_a_session_hears_what_is_logged_from_its_level_on(base: str) -> None:
    """T-6: set for the session; where none was, from `info` on."""
    heard: list[Any] = []

    async def hear(params: types.LoggingMessageNotificationParams) -> None:
        heard.append(params.data)

    async with Client(f"{base}/mcp", mode="legacy", logging_callback=hear) as client:
        assert client.server_capabilities.logging is not None
        await client.call_tool("test_tool_with_logging", {})
        assert heard == ["Tool execution started", "Tool processing data", "Tool execution completed"]
        level = types.SetLevelRequest(params=types.SetLevelRequestParams(level="error"))
        await client.session.send_request(level, types.EmptyResult)
        await client.call_tool("test_tool_with_logging", {})
    async with Client(f"{base}/mcp", mode="legacy", logging_callback=hear) as other:
        await other.call_tool("test_simple_text", {})
    assert len(heard) == 3


@pytest.mark.parametrize(("level", "count"), [(None, 0), ("info", 3), ("notice", 0)])
async def test_a_request_says_from_which_level_on_it_wants_to_hear(base: str, level: Any, count: int) -> None:
    """T-1, T-6: in the newest revision, which has no level of a session; what is not asked for is not sent."""
    heard: list[Any] = []

    async def hear(params: types.LoggingMessageNotificationParams) -> None:
        heard.append(params.data)

    async with Client(f"{base}/mcp", mode="2026-07-28", logging_callback=hear, log_level=level) as client:
        await client.call_tool("test_tool_with_logging", {})
    assert len(heard) == count


async def test_a_schema_arrives_as_its_server_wrote_it(base: str) -> None:
    """T-6: dialect, names of definitions and anchors included."""
    async with Client(f"{base}/mcp", mode="legacy") as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    schema = tools["json_schema_2020_12_tool"].input_schema
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["$defs"]["address"]["$anchor"] == "addressDef"
    assert schema["properties"]["address"] == {"$ref": "#/$defs/address"}
    assert schema["additionalProperties"] is False
