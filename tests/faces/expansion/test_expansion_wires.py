"""The same body on every wire (E-1, E-3, E-39), asked by real clients."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import Client

import sites
from listening import listening
from periplus.app import open_gateway
from periplus.app.serving import open_application
from periplus.model import SourceSpec
from periplus.settings import load_settings

FIVE = ["list", "search_tool_by_category", "search_nodes", "expand_tool", "call_tool"]


@pytest.fixture
def served(tmp_path: Path) -> Iterator[str]:
    (tmp_path / "quay.json").write_text(json.dumps(sites.api("berths/reserveBerth", "berths/listBerths")))
    settings = load_settings(None, {}, {"data": str(tmp_path / "data"), "serve.face": "expansion"})

    @asynccontextmanager
    async def opened() -> Any:
        async with open_gateway(settings) as gateway:
            await gateway.connect(SourceSpec(id="quay", url=str(tmp_path / "quay.json")))
        async with open_application(settings) as application:
            yield application

    with listening(opened) as base:
        yield base


async def test_mcp_lists_five_tools_in_few_bytes_and_tells_the_rules(served: str) -> None:
    """E-3, E-39, E-40, T-2."""
    async with Client(f"{served}/mcp/expansion") as client:
        listed = await client.list_tools()
        assert [tool.name for tool in listed.tools] == FIVE
        tools = [tool.model_dump(mode="json", exclude_none=True, by_alias=True) for tool in listed.tools]
        assert len(json.dumps(tools, separators=(",", ":"))) / 4 <= 900
        assert client.instructions is not None
        assert len(client.instructions) <= 1500
        for word in FIVE:
            assert word in client.instructions


async def test_every_wire_gives_the_same_body(served: str) -> None:
    """E-1."""
    asked = {"path": ["quay"], "query": "reserve a berth"}
    rest = httpx2.post(f"{served}/v1/expansion/list", json=asked).json()
    assert rest["tools"][0]["tool_id"] == "quay/berths/reserveBerth"
    assert httpx2.post(f"{served}/tde/v0.1/list", json=asked).json() == rest
    rpc = httpx2.post(f"{served}/rpc", json={"jsonrpc": "2.0", "id": 1, "method": "tde.list", "params": asked}).json()
    assert rpc["result"] == rest
    async with Client(f"{served}/mcp/expansion") as client:
        result = await client.call_tool("list", asked)
        assert result.structured_content == rest
        assert json.loads(result.content[0].text) == rest
        assert not result.is_error


async def test_every_wire_tells_a_problem_alike(served: str) -> None:
    """E-1, section 7."""
    asked = {"tool_id": "quay/berths/reserveBerth", "args": {}}
    rest = httpx2.post(f"{served}/v1/expansion/call_tool", json=asked)
    assert (rest.status_code, rest.json()["error"]["code"]) == (409, "EXPAND_REQUIRED")
    rpc = httpx2.post(
        f"{served}/rpc", json={"jsonrpc": "2.0", "id": 1, "method": "tde.call_tool", "params": asked}
    ).json()
    assert rpc["error"]["data"] == rest.json()["error"]
    async with Client(f"{served}/mcp/expansion") as client:
        result = await client.call_tool("call_tool", asked)
        assert result.is_error
        assert result.structured_content == rest.json()


def test_a_number_that_is_whole_is_one_however_it_is_written(served: str) -> None:
    """JSON Schema takes 2.0 for an integer."""
    one, other = (
        httpx2.post(f"{served}/v1/expansion/list", content=body)
        for body in ('{"limit": 1.0, "depth": 2e0}', '{"limit": 1, "depth": 2}')
    )
    assert (one.status_code, one.json()["nodes"]) == (200, other.json()["nodes"])


@pytest.mark.parametrize("body", ["[]", '{"path": [],}', "{} // root", "[" * 100_000])
def test_a_body_that_is_no_request_says_where(served: str, body: str) -> None:
    """E-2, section 9."""
    answer = httpx2.post(f"{served}/v1/expansion/list", content=body)
    assert answer.status_code == 400
    error = answer.json()["error"]
    assert error["code"] == "INVALID_REQUEST"
    assert any(words in error["message"] for words in ("line 1, column", "an array", "nested too deep"))
    following = error["next_action"]
    assert httpx2.post(f"{served}/v1/expansion/{following['op']}", json=following["args"]).status_code == 200


def test_the_rules_are_a_page(served: str) -> None:
    """E-39."""
    answer = httpx2.get(f"{served}/v1/expansion/instructions")
    assert answer.headers["content-type"].startswith("text/plain")
    assert "expand_tool" in answer.text


def test_a_session_of_http_is_named_by_a_header_or_an_argument(served: str) -> None:
    """E-34."""
    tool = {"tool_id": "quay/berths/listBerths"}
    header = {"x-session-id": "mine"}
    httpx2.post(f"{served}/v1/expansion/expand_tool", json=tool, headers=header)
    known = httpx2.post(f"{served}/v1/expansion/call_tool", json=tool, headers=header).json()
    assert known.get("error", {}).get("code") != "EXPAND_REQUIRED"
    httpx2.post(f"{served}/v1/expansion/expand_tool", json=tool | {"session": "ours"})
    named = httpx2.post(f"{served}/v1/expansion/call_tool", json=tool | {"session": "ours"}).json()
    assert named.get("error", {}).get("code") != "EXPAND_REQUIRED"
    stranger = httpx2.post(f"{served}/v1/expansion/call_tool", json=tool | {"session": "theirs"}).json()
    assert stranger["error"]["code"] == "EXPAND_REQUIRED"
