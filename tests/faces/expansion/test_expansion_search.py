"""Search: tools and areas by what they are worth, and what to do when there is nothing."""

from __future__ import annotations

import math

import pytest
from conversing import Talk
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st


async def test_tools_of_a_category_come_by_falling_confidence_of_two_decimals(talk: Talk) -> None:
    """E-16, E-21."""
    found = await talk.ask("search_tool_by_category", query="reserve a berth for a ship", category_path=["harbour"])
    assert found["category_path"] == ["harbour"]
    assert found["results"][0]["tool_id"] == "harbour/berths/reserveBerth"
    chances = [one["confidence"] for one in found["results"]]
    assert chances == sorted(chances, reverse=True)
    assert all(round(chance, 2) == chance and 0.15 <= chance <= 1 for chance in chances)
    assert set(found["results"][0]) == {"tool_id", "path", "summary", "tags", "confidence"}


async def test_confidence_of_a_tool_is_the_same_in_every_operation_and_category(talk: Talk) -> None:
    """E-21: never rescaled per page."""
    goal = "reserve a berth for a ship"

    async def of(op: str, key: str, **asked: object) -> float:
        reply = await talk.ask(op, query=goal, **asked)
        return next(one["confidence"] for one in reply[key] if one["tool_id"] == "harbour/berths/reserveBerth")

    everywhere = await of("search_tool_by_category", "results")
    assert await of("list", "tools", limit=50) == everywhere
    assert await of("search_tool_by_category", "results", limit=1) == everywhere


async def test_nothing_in_a_category_names_others_that_have_something(talk: Talk) -> None:
    """E-17: and the next action finds it."""
    error = await talk.error("search_tool_by_category", query="who pilots tonight", category_path=["harbour", "berths"])
    assert (error["code"], error["retryable"]) == ("NO_MATCH_IN_CATEGORY", True)
    assert error["hints"][0]["path"] == ["harbour", "pilots"]
    assert error["hints"][0]["confidence"] >= 0.15
    assert len(error["hints"]) <= 5
    found = await talk.follow(error)
    assert found["results"][0]["tool_id"].startswith("harbour/pilots/")


async def test_nothing_anywhere_leads_to_the_root(talk: Talk) -> None:
    """E-17."""
    error = await talk.error("search_tool_by_category", query="bake a cake")
    assert error["hints"] == []
    assert error["next_action"] == {"op": "list", "args": {}}


async def test_areas_are_found_and_no_parent_outranks_the_only_child_that_speaks_for_it(talk: Talk) -> None:
    """E-18."""
    found = (await talk.ask("search_nodes", query="run the payroll"))["results"]
    by_path = {tuple(one["path"]): one["confidence"] for one in found}
    assert by_path["office", "staff_payroll"] > by_path.get(("office",), 0)
    assert set(found[0]) == {"path", "summary", "confidence", "tool_count"}


async def test_confidence_of_an_area_is_the_same_in_every_operation_and_whatever_is_asked(talk: Talk) -> None:
    """E-21: of nodes as of tools."""
    goal = "reserve a berth for a ship"
    found = (await talk.ask("search_nodes", query=goal))["results"]
    everywhere = {tuple(one["path"]): one["confidence"] for one in found}
    for asked in ({"limit": 50}, {"path": ["harbour"], "limit": 50}, {"path": ["harbour"], "limit": 1}):
        nodes = (await talk.ask("list", query=goal, **asked))["nodes"]
        assert {tuple(node["path"]): node["confidence"] for node in nodes}.items() <= everywhere.items()
    assert everywhere["harbour", "berths"] < 1


async def test_several_likely_tools_make_their_area_likelier_than_each_of_them(talk: Talk) -> None:
    """E-18: the probability that a right tool stands there, from those of the tools."""
    listed = await talk.ask("list", query="show a berth", path=["harbour"], limit=50)
    below = [tool["confidence"] for tool in listed["tools"] if tool["path"] == ["harbour", "berths"]]
    (area,) = (node["confidence"] for node in listed["nodes"] if node["path"] == ["harbour", "berths"])
    assert len(below) > 1
    assert area > max(below)
    assert area >= round(1 - math.prod(1 - chance for chance in below), 2) - 0.02


async def test_no_area_at_all_names_the_roots(talk: Talk) -> None:
    """E-19."""
    found = await talk.ask("search_nodes", query="qqqq zzzz")
    assert found["results"] == []
    assert "harbour, office" in found["warnings"][0]


async def test_areas_and_tools_are_one_sequence_by_confidence(talk: Talk) -> None:
    """E-12, E-13."""
    one = await talk.ask("list", query="assign a pilot to a ship", limit=1)
    many = await talk.ask("list", query="assign a pilot to a ship", limit=50)
    assert one["total"] == many["total"] == len(many["nodes"]) + len(many["tools"])
    entries = many["nodes"] + many["tools"]
    assert all("confidence" in entry for entry in entries)
    best = max(entries, key=lambda entry: entry["confidence"])
    assert (one["nodes"] + one["tools"])[0]["confidence"] == best["confidence"]


@pytest.mark.parametrize("query", ["", "   ", "\t\n", "x" * 2001])
async def test_a_query_that_says_nothing_or_too_much_is_refused(talk: Talk, query: str) -> None:
    """E-20."""
    for op in ("search_tool_by_category", "search_nodes", "list"):
        error = await talk.error(op, query=query)
        assert error["code"] == "INVALID_REQUEST"
        assert "query" in error["message"]


@given(query=st.text(min_size=1, max_size=60).filter(str.strip))
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
async def test_any_language_and_script_is_answered(talk: Talk, query: str) -> None:
    """E-20."""
    reply = await talk.reply("list", {"query": query})
    assert reply.problem is None
