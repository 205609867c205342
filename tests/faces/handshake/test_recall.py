"""H-24, H-37, H-90: whoever follows the printed calls meets everything, and everything once."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from agents import Agent, Answer
from grids import grid

from sites import Site

_OPENED = re.compile(r"^\*\*NOTE\*\*: (?:areas are opened with )?((?:get|inspect)_landmarks?\(.*?\))", re.MULTILINE)


def connect(agent: Agent, harbour: Site, document: dict[str, Any]) -> None:
    harbour.write("/openapi.json", json.dumps(document))
    assert agent.ask("connect_to_site", url=harbour.base, name="grid").status == 200
    assert agent.ask("get_manifest").status == 200


def listed(agent: Agent, first: Answer) -> list[str]:
    return [area for page in agent.follow(first) for area in page.areas]


def walked(agent: Agent, area: str = "", **more: Any) -> list[str]:
    """Every area below one: what is listed, and what has areas of its own that are not."""
    below = {"landmark_id": area} if area else {}
    pages = agent.follow(agent.ask("get_landmarks", {**below, **more}))
    found = [one for page in pages for one in page.areas]
    if any(_OPENED.search(page.text) for page in pages):
        rows = [row for page in pages for row in page.body["areas"]]
        for row in rows:
            if row["areas"]:
                found += walked(agent, row["id"], **more)
    return found


@pytest.mark.parametrize(("tools", "areas"), [(60, 20), (200, 10), (3000, 100), (240, 1)])
def test_every_area_and_every_tool_is_reached_once(agent: Agent, harbour: Site, tools: int, areas: int) -> None:
    connect(agent, harbour, grid(tools, areas))
    names = listed(agent, agent.ask("get_landmarks"))
    assert len(names) == len(set(names))
    declared = [name for name in names if ":" not in name]  # large areas are divided further
    assert sorted(declared) == [f"area_{number:04}" for number in range(areas)]
    found: set[str] = set()
    for name in names:
        pages = agent.follow(agent.ask("inspect_landmark", landmark_id=name))
        assert all(len(page.text) <= 10_000 for page in pages)
        own = [tool for page in pages for tool in page.tools]
        assert len(own) == len(set(own))
        found.update(own)
    assert len(found) == tools


@pytest.mark.parametrize("limit", [1, 7, 50])
def test_any_limit_gives_the_same_sequence(agent: Agent, harbour: Site, limit: int) -> None:
    """H-92."""
    connect(agent, harbour, grid(60, 6))
    whole = listed(agent, agent.ask("get_landmarks"))
    assert listed(agent, agent.ask("get_landmarks", _limit=limit)) == whole
    assert listed(agent, agent.ask("get_manifest", _limit=limit)) == whole
    ids = ["area_0003", "area_0001"]
    once = [tool for page in agent.follow(agent.ask("inspect_landmark", landmark_id=ids)) for tool in page.tools]
    again = agent.follow(agent.ask("inspect_landmark", landmark_id=ids, _limit=limit))
    assert [tool for page in again for tool in page.tools] == once
    assert len(once) == 20
    assert once[0].startswith("area_0003:")


def test_areas_in_areas_are_reached_level_by_level(agent: Agent, harbour: Site) -> None:
    connect(agent, harbour, grid(400, 200, deep=True))
    first = agent.ask("get_landmarks")
    assert first.body["page"]["total"] == 20
    assert sorted(walked(agent)) == sorted(
        f"area_{n - n % 10:04}{f':area_{n:04}' if n % 10 else ''}" for n in range(200)
    )


@pytest.mark.parametrize("query", ["valve", "valve|pump", "open_", "Works", "^area_0003:", "number 1[0-9]\\."])
@pytest.mark.parametrize("limit", [3, 50])
def test_every_match_is_reached_once(agent: Agent, harbour: Site, query: str, limit: int) -> None:
    connect(agent, harbour, grid(200, 10))
    first = agent.ask("search_landmarks", query=query, _limit=limit)
    pages = agent.follow(first)
    found = [row["id"] for page in pages for row in (*page.body["actions"], *page.body["areas"])]
    assert len(found) == len(set(found)) == first.body["page"]["total"]
    texts = {tool: (tool, tool.replace(":", "_")) for page in pages for tool in page.tools}
    assert set(texts) <= set(found)
    assert found


def test_a_page_past_the_end_names_the_total(agent: Agent, harbour: Site) -> None:
    connect(agent, harbour, grid(60, 6))
    for tool, more in (("get_landmarks", {}), ("inspect_landmark", {"landmark_id": "area_0001"})):
        answer = agent.ask(tool, {**more, "_offset": 400})
        assert answer.status == 200
        assert re.search(r"\*\*Page\*\*: nothing from 400 on; there are (6 areas|10 tools)\.", answer.text)


def test_a_list_that_changed_between_two_pages_says_so(agent: Agent, harbour: Site) -> None:
    connect(agent, harbour, grid(60, 6))
    first = agent.ask("get_landmarks", _limit=2)
    harbour.write("/openapi.json", json.dumps(grid(70, 7)))
    agent.ask("connect_to_site", url=harbour.base)
    assert first.next
    answer = agent.ask(*first.next)
    assert "**NOTE**: the site has changed since the previous page; start again with _offset=0" in answer.text


def test_the_full_manifest_names_every_tool_over_pages_that_fit(agent: Agent, harbour: Site) -> None:
    """H-81."""
    connect(agent, harbour, grid(400, 20, deep=True))
    pages = agent.follow(agent.ask("get_manifest", full=True))
    assert all(len(page.text) <= 6000 for page in pages)
    rows = [row["id"] for page in pages for row in (*page.body["areas"], *page.body["actions"])]
    assert len(rows) == len(set(rows)) == 420 == pages[0].body["page"]["total"]
    assert "  - area_0000:get_valve_000000 - Get the valve number 0." in pages[0].text
    below = agent.follow(agent.ask("get_manifest", full=True, landmark_id="area_0010", _limit=9))
    assert sum(len(page.body["actions"]) for page in below) == 200


def test_areas_stand_as_their_site_declares_them_and_others_after_those(agent: Agent, harbour: Site) -> None:
    """H-37: areas as the site declares them, then by id."""
    used = ["omega", "beta", "zeta / inner", "alpha", "undeclared b", "undeclared a"]
    document = {
        "openapi": "3.1.0",
        "info": {"title": "Order", "version": "1"},
        "tags": [{"name": name} for name in ("zeta / inner", "beta", "omega", "alpha")],
        "paths": {
            f"/{number}": {"get": {"operationId": f"read{number}", "tags": [tag], "responses": {"200": {}}}}
            for number, tag in enumerate(used)
        },
    }
    connect(agent, harbour, document)
    names = listed(agent, agent.ask("get_landmarks"))
    assert names == ["zeta", "zeta:inner", "beta", "omega", "alpha", "undeclared_a", "undeclared_b"]
    paged = [name for offset in range(7) for name in agent.ask("get_landmarks", _limit=1, _offset=offset).areas]
    assert paged == names
    manifest = agent.ask("get_manifest").text
    assert sorted(names, key=manifest.index) == names
