"""H-6 to H-15: sessions, the flag, and sites."""

from __future__ import annotations

import json

import httpx2
import pytest
from agents import Agent, Serve
from berths import HARBOUR
from grids import grid
from mcp import Client

from sites import Site


@pytest.fixture
def quay(harbour: Site) -> Site:
    harbour.write("/openapi.json", json.dumps(HARBOUR))
    harbour.write("/works/openapi.json", json.dumps(grid(20, 2)))
    return harbour


def test_one_sessions_manifest_authorizes_no_other(agent: Agent, quay: Site) -> None:
    """H-9, H-91."""
    other = Agent(agent.base, "other")
    for one in (agent, other):
        one.ask("connect_to_site", url=quay.base, name="harbour")
    agent.ask("get_manifest")
    assert agent.ask("inspect_landmark", landmark_id="berths").body["manifest_loaded"] is True
    assert other.ask("inspect_landmark", landmark_id="berths").body["manifest_loaded"] is False
    assert other.ask("call_action", action="berths:berths_list").error == "PROTOCOL_VIOLATION"


def test_callers_nobody_can_tell_apart_get_a_handle(gateway: str, quay: Site) -> None:
    """H-7."""
    nobody = Agent(gateway, "")
    answer = nobody.ask("connect_to_site", url=quay.base)
    handle = answer.body["session"]
    assert answer.text.startswith(f'SESSION: pass session="{handle}" in every call\n')
    assert nobody.ask("inspect_landmark", landmark_id="berths").error == "DISCONNECTED"
    assert nobody.ask("inspect_landmark", landmark_id="berths", session=handle).tools
    assert nobody.ask("inspect_landmark", landmark_id="berths", session_id=handle).tools
    assert nobody.ask("inspect_landmark", landmark_id="berths", session_id="default").error == "DISCONNECTED"


def test_a_new_session_is_minted_when_it_is_asked_for(agent: Agent, quay: Site) -> None:
    """H-6."""
    answer = agent.ask("connect_to_site", url=quay.base, session="new")
    fresh = Agent(agent.base, answer.body["session"])
    assert fresh.session != agent.session
    assert fresh.ask("get_manifest").status == 200
    assert agent.ask("get_manifest").error == "DISCONNECTED"


def test_a_session_survives_a_restart(serve: Serve, quay: Site) -> None:
    """H-8."""
    with serve() as base:
        agent = Agent(base)
        agent.ask("connect_to_site", url=quay.base, name="harbour")
        agent.ask("get_manifest")
    with serve() as base:
        assert Agent(base).ask("inspect_landmark", landmark_id="berths").body["manifest_loaded"] is True


def test_a_session_keeps_its_sites_with_the_newest_active(agent: Agent, quay: Site) -> None:
    """H-12."""
    agent.ask("connect_to_site", url=quay.base, name="harbour")
    agent.ask("connect_to_site", url=quay.url("/works"), name="works")
    assert agent.ask("get_landmarks").areas == ["area_0000", "area_0001"]
    assert agent.ask("get_landmarks", site="harbour").areas == ["berths", "berths:prices", "pilots"]
    assert agent.ask("inspect_landmark", landmark_id="harbour:pilots:pilots_dismiss").tools == ["pilots:pilots_dismiss"]
    agent.ask("connect_to_site", url=quay.base)
    assert agent.ask("get_landmarks").body["site"] == "harbour"
    everywhere = agent.ask("search_landmarks", query="list", site="*").body["actions"]
    assert {row["id"].partition(":")[0] for row in everywhere} == {"harbour", "works"}


def test_an_id_of_another_site_is_named_with_its_site_and_not_used(agent: Agent, quay: Site) -> None:
    """H-12."""
    agent.ask("connect_to_site", url=quay.base, name="harbour")
    agent.ask("connect_to_site", url=quay.url("/works"), name="works")
    answer = agent.ask("inspect_landmark", landmark_id="pilots:pilots_dismiss")
    assert answer.error == "NOT_FOUND"
    assert "site harbour has it" in answer.body["message"]
    assert agent.printed(answer.body["suggested_fix"]).tools == ["pilots:pilots_dismiss"]
    asked = answer.body["next_action"]
    assert agent.ask(asked["op"], asked["args"]).tools == ["pilots:pilots_dismiss"]


def test_an_unknown_site_is_answered_with_those_there_are(agent: Agent, quay: Site) -> None:
    agent.ask("connect_to_site", url=quay.base, name="harbour")
    answer = agent.ask("get_landmarks", site="nowhere")
    assert answer.error == "NOT_FOUND"
    assert answer.body["valid_options"] == ["harbour"]


def test_the_same_place_is_read_once_whoever_connects_it(serve: Serve, quay: Site) -> None:
    """H-14."""
    with serve() as base:
        one, two = Agent(base, "one"), Agent(base, "two")
        first = one.ask("connect_to_site", url=quay.base, name="harbour")
        quay.asked()
        second = two.ask("connect_to_site", url=quay.base)
        assert second.body["site"] == first.body["site"]
        assert second.body["revision"] == first.body["revision"]
        assert len(quay.asked()) == 1


def test_configured_sources_are_a_site_that_needs_no_connecting(serve: Serve, quay: Site) -> None:
    """H-13."""
    sources = {
        "sources.harbour": {"url": quay.url("/openapi.json")},
        "sources.works": {"url": quay.url("/works/openapi.json")},
    }
    with serve(**sources) as base:
        wait_until_ready(base)
        agent = Agent(base)
        assert agent.ask("call_action", action="harbour:berths:berths_list").error == "PROTOCOL_VIOLATION"
        manifest = agent.ask("get_manifest")
        assert "### SITE: Catalog (id catalog, CATALOG, 24 tools in 7 areas)" in manifest.text
        assert "- **harbour**: (4 tools, 2 areas)" in manifest.text
        assert "  - **harbour:berths**: (3 tools, 1 area)" in manifest.text
        assert agent.ask("inspect_landmark", landmark_id="berths_reserve").tools == ["harbour:berths:berths_reserve"]
        assert agent.ask("inspect_landmark", landmark_id="berths:berths_list").tools == ["harbour:berths:berths_list"]
        for name in ("catalog", "local", "mcp://tools"):
            connected = agent.ask("connect_to_site", url=name)
            assert connected.text.startswith("CONNECTED to CATALOG\nSite: catalog | Catalog | 24 tools in 7 areas")


@pytest.mark.parametrize(("rule", "known", "other"), [("known", 200, 403), ("off", 200, 403), ("any", 200, 200)])
def test_the_operator_says_what_agents_may_connect(serve: Serve, quay: Site, rule: str, known: int, other: int) -> None:
    """H-14."""
    flags = {"handshake.connect": rule, "sources.harbour": {"url": quay.url("/openapi.json")}}
    with serve(**flags) as base:
        wait_until_ready(base)
        agent = Agent(base)
        assert agent.ask("connect_to_site", url=quay.url("/openapi.json")).status == known
        answer = agent.ask("connect_to_site", url=quay.url("/works/openapi.json"))
        assert answer.status == other
        assert other == 200 or f'[handshake] connect = "{rule}"' in answer.body["message"]


async def test_stateful_clients_are_told_apart_by_their_connection(gateway: str, quay: Site) -> None:
    """H-6, H-91."""
    async with Client(f"{gateway}/mcp", mode="legacy") as one, Client(f"{gateway}/mcp", mode="legacy") as two:
        for client in (one, two):
            result = await client.call_tool("connect_to_site", {"url": quay.base, "name": "harbour"})
            assert "SESSION" not in result.content[0].text
        await one.call_tool("get_manifest", {})
        refused = await two.call_tool("call_action", {"action": "berths:berths_list"})
        assert refused.structured_content["_PROTOCOL_ERROR"] == "PROTOCOL_VIOLATION"
        assert refused.is_error
        inspected = await one.call_tool("inspect_landmark", {"landmark_id": "berths"})
        assert inspected.structured_content["manifest_loaded"] is True


def wait_until_ready(base: str) -> None:
    """Configured sources are read while the gateway already answers."""
    for _ in range(400):
        found = httpx2.get(f"{base}/readyz").json()
        if "source" in json.dumps(found):
            return
    raise AssertionError(found)
