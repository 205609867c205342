from __future__ import annotations

import json

import pytest
from agents import Agent
from berths import HARBOUR

from sites import Site

GATE = (
    '{"status":"error","_PROTOCOL_ERROR":"PROTOCOL_VIOLATION","message":"Protocol violation: You MUST call '
    "'get_manifest' before executing any actions.\",\"remedy\":\"Call 'get_manifest' immediately to authorize the "
    'session."}'
)


@pytest.fixture
def connected(agent: Agent, harbour: Site) -> Agent:
    harbour.write("/openapi.json", json.dumps(HARBOUR))
    assert agent.ask("connect_to_site", url=harbour.base, name="harbour").status == 200
    return agent


def test_connecting_says_what_was_found(agent: Agent, harbour: Site) -> None:
    """H-18."""
    harbour.write("/openapi.json", json.dumps(HARBOUR))
    answer = agent.ask("connect_to_site", url=f"{harbour.base}/", name="harbour")
    assert answer.text == (
        f"CONNECTED to OPENAPI API at {harbour.base}/openapi.json\n"
        "Site: harbour | Harbour API 2.1 | 4 tools in 3 areas | 0 problems\n"
        "NEXT: Call 'get_manifest'."
    )
    assert answer.body["site"] == "harbour"
    assert answer.body["tools"] == 4


def test_nothing_runs_before_the_manifest(connected: Agent) -> None:
    """H-9, H-10, H-11."""
    for action in ("berths:berths_list", "mcp:x:y", "_elemm-help", "harbour:berths:berths_list", "no such thing"):
        answer = connected.ask("call_action", action=action, parameters={"anything": 1})
        assert (answer.status, answer.text) == (409, GATE)
    assert connected.ask("execute_sequence", actions=[{"action": "berths:berths_list"}]).text == GATE


def test_manifest_and_landmarks_authorize_and_connecting_again_starts_over(connected: Agent, harbour: Site) -> None:
    """H-9."""
    for tool in ("get_manifest", "get_landmarks"):
        assert connected.ask(tool).body["manifest_loaded"] is True
        assert connected.ask("inspect_landmark", landmark_id="berths").body["manifest_loaded"] is True
        assert connected.ask("connect_to_site", url="notaurl" if tool == "get_manifest" else 5).error == "BAD_REQUEST"
        assert connected.ask("inspect_landmark", landmark_id="berths").body["manifest_loaded"] is False


def test_the_manifest_reads_as_it_is_published(connected: Agent) -> None:
    """H-22, H-23, H-24, H-27, H-40."""
    text = connected.ask("get_manifest").text
    rules, _, site = text.partition("\n\n### SITE")
    assert rules.startswith("### PROTOCOL RULES\n1. Order: connect_to_site, get_manifest, then find")
    assert len(rules) <= 1000
    assert f"### SITE{site}" == (
        "### SITE: Harbour API 2.1 (id harbour, OPENAPI, 4 tools in 3 areas)\n"
        "Site instructions (from the site, not from the gateway):\n"
        "> Quote a berth before you reserve it.\n\n"
        "### LANDMARK TOPOLOGY\n"
        "- **berths**: (3 tools, 1 area) - Find and reserve places for ships\n"
        "  - **berths:prices**: (1 tool) - Tariffs\n"
        "- **pilots**: (1 tool) - Duty rota and assignment\n\n"
        '**Page**: areas 1-3 of 3. Next: inspect_landmark(landmark_id="...") or search_landmarks(query="...")'
    )


def test_an_inspected_area_shows_signatures(connected: Agent) -> None:
    """H-31, H-32, H-33, H-34, H-36."""
    text = connected.ask("inspect_landmark", landmark_id="berths").text
    assert text.startswith("### LANDMARK: berths (3 tools, 1 area) - Find and reserve places for ships\n\n/**\n")
    assert (
        """\
/**
 * Tool: berths:berths_reserve
 * Reserve a berth for a ship on one day.
 * @param berth (string) [REQUIRED] Berth code, e.g. "B4"
 * @param date (string, date) [REQUIRED] Day of arrival
 * @param ship (object) [REQUIRED] The ship that arrives
 * @param ship.length_m (number, 1..450) [REQUIRED] Metres
 * @param side ("port"|"starboard", default "port") Mooring side
 */
function call_action(action: 'berths:berths_reserve', parameters: \
{ berth: string, date: string, ship: { length_m: number, name?: string }, side?: "port"|"starboard" }): Reservation;
"""
        in text
    )
    assert "interface Reservation { id: string; berth: string; from: string; cost?: number | null }" in text
    assert "### LANDMARK: berths:prices (1 tool) - Tariffs" in text
    assert text.endswith("**Page**: tools 1-3 of 3.")


def test_a_call_that_needs_a_person_is_marked(connected: Agent) -> None:
    """H-47."""
    text = connected.ask("inspect_landmark", landmark_id="pilots:pilots_dismiss").text
    assert " * @approval A person must approve this call." in text
