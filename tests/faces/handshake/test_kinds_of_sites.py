"""H-16 to H-19: sites of every kind, found by looking, and one that takes its time."""

from __future__ import annotations

import json
import threading

import anyio
import pytest
from agents import Agent, Serve
from berths import HARBOUR
from starlette.requests import Request
from starlette.responses import Response

from periplus.demo.services import running
from sites import Site

MANIFEST = {
    "protocol_version": "1.0",
    "scenario": {"id": "tides", "name": "Tides"},
    "tools": [
        {
            "name": "next_tide",
            "description": "When the next tide is.",
            "category": "water",
            "parameters": {"type": "object", "properties": {"port": {"type": "string"}}, "required": ["port"]},
        }
    ],
}


@pytest.fixture
def native(harbour: Site) -> str:
    """A page as native sites have it, with one action."""
    action = {
        "id": "quay:moor",
        "type": "action",
        "description": "Moor a ship.",
        "parameters": [{"name": "ship", "type": "string", "description": "Which", "required": True, "aliases": []}],
        "is_tool": True,
    }
    area = {"id": "quay", "type": "navigation", "description": "Mooring", "parameters": [], "child_count": 1}
    pages = {
        "version": "2.0",
        "parent_id": None,
        "is_root": True,
        "welcome_message": "Quay",
        "instructions": "Be kind.",
    }
    everything = {"landmarks": [area, action], "pagination": {"total": 2, "offset": 0, "limit": 500, "has_more": False}}

    async def search(request: Request) -> Response:
        kind = request.query_params.get("type")
        found = [one for one in (area, action) if kind in (None, one["type"])]
        body = {"landmarks": found, "pagination": {"total": len(found), "offset": 0, "limit": 500, "has_more": False}}
        return Response(json.dumps(body), media_type="application/json")

    harbour.write("/.well-known/elemm-manifest.md", json.dumps(pages | everything))
    harbour.serve("/.well-known/elemm/search", search)
    return harbour.base


def phases(agent: Agent, url: str, kind: str) -> list[str]:
    """Through the phases; every action that a search of everything finds."""
    connected = agent.ask("connect_to_site", url=url, get_manifest=True)
    assert connected.text.startswith(f"CONNECTED to {kind} API at "), connected.text
    assert "### LANDMARK TOPOLOGY" in connected.text
    found = [
        tool for page in agent.follow(agent.ask("search_landmarks", query=".", type="action")) for tool in page.tools
    ]
    for tool in found[:5]:
        assert agent.ask("inspect_landmark", landmark_id=tool).tools == [tool]
    areas = [area for page in agent.follow(agent.ask("get_landmarks")) for area in page.areas]
    reached = {
        tool
        for area in areas
        for page in agent.follow(agent.ask("inspect_landmark", landmark_id=area))
        for tool in page.tools
    }
    assert reached == set(found)
    return found


def test_services_are_found_by_looking(agent: Agent) -> None:
    with running() as services:
        for spec in services.sources:
            if spec.url.startswith("http") and spec.kind in ("", "openapi", "graphql"):
                kind = "GRAPHQL" if "graphql" in (spec.url + spec.kind) else "OPENAPI"
                assert phases(agent, spec.url, kind)


def test_a_native_site_is_walked(agent: Agent, native: str) -> None:
    assert phases(agent, native, "NATIVE") == ["quay:moor"]
    assert "> Be kind." in agent.ask("get_manifest").text


def test_a_manifest_service_is_found_below_its_address(agent: Agent, harbour: Site) -> None:
    harbour.write("/api/v1/tools", json.dumps(MANIFEST))
    assert phases(agent, harbour.base, "MANIFEST") == ["next_tide"]


def test_another_gateway_is_an_mcp_server(serve: Serve, agent: Agent, tmp_path: object) -> None:
    with serve(data=str(tmp_path) + "/other") as other:
        found = phases(agent, f"{other}/mcp", "MCP")
    assert len(found) == 9
    assert any(one.endswith("call_action") for one in found)


def test_a_site_that_takes_long_goes_on_by_itself(serve: Serve, harbour: Site) -> None:
    """H-19."""
    may_answer = threading.Event()

    async def slow(request: Request) -> Response:
        await anyio.to_thread.run_sync(may_answer.wait)
        return Response(json.dumps(HARBOUR), media_type="application/json")

    harbour.serve("/openapi.json", slow)
    with serve(**{"handshake.connect_wait_seconds": 0.2}) as base:
        agent = Agent(base)
        answer = agent.ask("connect_to_site", url=f"openapi:{harbour.base}/openapi.json", name="harbour")
        assert answer.text.startswith("CONNECTING to ")
        assert answer.text.endswith("NEXT: Call 'get_manifest'.")
        assert agent.ask("get_manifest").body["retryable"] is True
        may_answer.set()
        for _ in range(300):
            manifest = agent.ask("get_manifest")
            if manifest.error != "CONNECTION_FAILED":
                break
        assert "### SITE: Harbour API 2.1 (id harbour" in manifest.text
        assert manifest.body["manifest_loaded"] is True
