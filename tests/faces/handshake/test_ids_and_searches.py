"""What names an action, in which order an action is checked, and what a search says beside its matches."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from agents import Agent, parsed
from berths import HARBOUR
from grids import grid

from quay import Quay, quay
from sites import Site


@pytest.fixture
def office() -> Iterator[Quay]:
    with quay() as made:
        yield made


def connect(agent: Agent, harbour: Site, document: dict[str, Any]) -> None:
    harbour.write("/openapi.json", json.dumps(document))
    agent.ask("connect_to_site", url=harbour.base, name="site", refresh=True, get_manifest=True)


def ids(agent: Agent) -> dict[str, str]:
    """Every printed id by its tool's own name."""
    found: list[str] = []
    for area in agent.ask("get_landmarks").areas:
        found += [one for page in agent.follow(agent.ask("inspect_landmark", landmark_id=area)) for one in page.tools]
    return {one.rpartition(":")[2]: one for one in found}


def test_an_id_is_the_way_to_the_tool_however_deep(agent: Agent, harbour: Site) -> None:
    """H-28."""
    paths = {
        "/a": {"get": {"operationId": "get a!", "tags": ["Zentrum : Sector 042 : energy"], "responses": {"200": {}}}},
        "/b": {"get": {"operationId": "repos/get", "tags": ["repos"], "responses": {"200": {}}}},
    }
    connect(agent, harbour, {"openapi": "3.1.0", "info": {"title": "T", "version": "1"}, "paths": paths})
    printed = agent.ask("search_landmarks", query=".", type="action").tools
    assert sorted(printed) == ["Zentrum:Sector_042:energy:get_a", "repos:repos_get"]
    for one in printed:
        assert agent.ask("inspect_landmark", landmark_id=one).tools == [one]


def test_an_area_that_is_divided_leaves_its_tools_their_ids(agent: Agent, harbour: Site) -> None:
    """H-28: areas made by subdivision have ids of their own."""
    connect(agent, harbour, grid(240, 1))
    areas = agent.ask("get_landmarks").areas
    assert any(area.startswith("area_0000:") for area in areas)
    assert set(ids(agent).values()) == {f"area_0000:{name}" for name in ids(agent)}
    assert len(ids(agent)) == 240


def test_an_id_outlives_a_new_order_of_its_site(agent: Agent, harbour: Site) -> None:
    """H-30."""
    document = json.loads(json.dumps(HARBOUR))
    connect(agent, harbour, document)
    before = ids(agent)["pilots_dismiss"]
    document["paths"]["/pilots/{id}"]["delete"]["tags"] = ["prices"]
    document["paths"]["/pilots"] = {"get": {"operationId": "pilots_list", "tags": ["pilots"], "responses": {"200": {}}}}
    connect(agent, harbour, document)
    assert ids(agent)["pilots_list"] == "pilots:pilots_list"  # the new order was read
    assert agent.ask("inspect_landmark", landmark_id=before).tools == [ids(agent)["pilots_dismiss"]]


def test_objects_beside_the_text_have_their_members(agent: Agent, harbour: Site) -> None:
    """H-38."""
    harbour.write("/openapi.json", json.dumps(HARBOUR))
    connected = agent.ask("connect_to_site", url=harbour.base, name="site").body
    assert connected.keys() >= {"status", "site", "kind", "url", "title", "version", "tools", "areas", "revision"}
    assert (connected["status"], connected["tools"], connected["problems"]) == ("success", 4, [])
    agent.ask("get_manifest")
    listed = agent.ask("get_landmarks").body
    assert (listed["status"], listed["site"], listed["manifest_loaded"], listed["notes"]) == (
        "success",
        "site",
        True,
        [],
    )
    assert {"id": "pilots", "tools": 1, "areas": 0, "summary": "Duty rota and assignment"} in listed["areas"]
    (action,) = agent.ask("inspect_landmark", landmark_id="pilots").body["actions"]
    assert (action["id"], action["ref"]) == ("pilots:pilots_dismiss", "site/pilots/pilots_dismiss")
    assert (action["summary"], action["effect"]) == ("Dismiss a pilot.", "destroy")
    failed = agent.ask("call_action", action="nope").body
    assert failed.keys() >= {"code", "hints", "retryable", "trace_id", "_PROTOCOL_ERROR", "message"}


def test_more_matches_than_ten_are_told_with_calls_that_narrow_them(agent: Agent, harbour: Site) -> None:
    """H-51, H-52."""
    connect(agent, harbour, grid(240, 4))
    answer = agent.ask("search_landmarks", query="gauge|pump")
    total = answer.body["page"]["total"]
    assert f"**WARNING**: 10 of {total} matches shown." in answer.text
    assert len(answer.tools) == 10
    advice = [line.partition(" - ") for line in answer.text.splitlines() if line.startswith("- ")]
    calls = [parsed(call.removeprefix("- ")) for call, _, _ in advice]
    assert [tool for tool, _ in calls] == [
        "inspect_landmark",
        "search_landmarks",
        "search_landmarks",
        "search_landmarks",
    ]
    best = answer.tools[0].rpartition(":")[0]
    assert calls[0][1] == {"landmark_id": best}
    assert len(agent.ask("inspect_landmark", landmark_id=best).tools)
    for (_, arguments), (_, _, told) in zip(calls[1:3], advice[1:3], strict=True):
        inside = agent.ask("search_landmarks", arguments)
        assert told.startswith(str(inside.body["page"]["total"]))
        assert all(one.startswith(arguments["landmark_id"]) for one in inside.tools)
    assert calls[3][1] == {"query": "gauge|pump", "_offset": 10}
    assert answer.body["recommend"]


def test_words_that_stand_nowhere_are_answered_by_meaning_then_by_the_areas_there_are(
    agent: Agent, harbour: Site
) -> None:
    """H-53."""
    connect(agent, harbour, HARBOUR)
    near = agent.ask("search_landmarks", query="reserve a place for my ship")
    assert near.status == 200
    assert "No text matches; closest by meaning:" in near.text
    assert near.tools[0] == "berths:berths_reserve"
    assert all(0 < action["score"] <= 1 for action in near.body["actions"])
    nothing = agent.ask("search_landmarks", query="quantum chromodynamics of llamas")
    assert (nothing.status, nothing.error, nothing.tools) == (200, "", [])
    assert {"berths", "pilots"} <= set(nothing.areas)


def test_the_first_check_that_fails_is_the_one_that_answers(agent: Agent, office: Quay) -> None:
    """H-41: gate, references, name, parameters, placeholders, schema; nothing is sent before all have passed."""
    agent.ask("connect_to_site", url=office.document, name="quay")
    office.asked.clear()
    wrong: dict[str, Any] = {"code": "$nobody", "_limit": 0, "note": "UNKNOWN"}

    def refused(action: str) -> str:
        answer = agent.ask("call_action", action=action, parameters=wrong)
        assert office.asked == []
        return answer.error

    assert refused("nothing_like_it") == "PROTOCOL_VIOLATION"
    agent.ask("get_manifest")
    office.asked.clear()
    assert refused("nothing_like_it") == "PLACEHOLDER_REJECTED"
    wrong["code"] = "UNKNOWN"
    assert refused("nothing_like_it") == "NOT_FOUND"
    assert refused("quoteBerth") == "BAD_REQUEST"
    del wrong["_limit"]
    assert refused("quoteBerth") == "PLACEHOLDER_REJECTED"
    wrong |= {"code": ["B4"], "note": "a"}
    assert refused("quoteBerth") == "VALIDATION_FAILED"
    wrong["code"] = "B4"
    assert agent.ask("call_action", action="quoteBerth", parameters=wrong).status == 200
    assert len(office.asked) == 1
