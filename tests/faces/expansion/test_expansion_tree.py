"""`list`: the tree as it stands, its pages, and paths as people write them."""

from __future__ import annotations

from typing import Any

import pytest
from conversing import OTHER, Talk

from periplus.model import Policy, Rule, Verdict
from periplus.settings import load_settings
from periplus.testing.clock import SettableClock

HIDING = Policy(
    rules=(
        Rule(principal=("agent",), action=("discover",), tools=("office/staff*",), verdict=Verdict.DENY),
        Rule(principal=("agent",), action=("discover",), tools=("harbour/berths/getBerth",), verdict=Verdict.DENY),
    )
)


async def test_the_root_lists_sources_and_a_place_lists_its_areas_then_its_tools(talk: Talk) -> None:
    """E-6, E-8, E-11, E-22."""
    root = await talk.ask("list")
    assert [(node["name"], node["path"], node["tool_count"]) for node in root["nodes"]] == [
        ("harbour", ["harbour"], 8),
        ("office", ["office"], 5),
    ]
    assert (root["path"], root["tools"], root["next_cursor"], root["total"]) == ([], [], None, 2)
    assert all(0 < len(node["summary"]) <= 120 for node in root["nodes"])
    berths = await talk.ask("list", path=["harbour", "berths"])
    assert [tool["tool_id"] for tool in berths["tools"]][:2] == [
        "harbour/berths/cancelReservation",
        "harbour/berths/getBerth",
    ]
    assert berths["tools"][0] == {
        "tool_id": "harbour/berths/cancelReservation",
        "path": ["harbour", "berths"],
        "summary": "Cancel a reservation",
        "tags": ["berths", "destroy"],
    }


@pytest.mark.parametrize("written", ["harbour/berths", "Harbour > Berths", ["HARBOUR", "Berths"], " harbour / berths "])
async def test_a_path_may_be_written_as_people_write_it_and_the_reply_says_it_right(talk: Talk, written: Any) -> None:
    """E-10."""
    assert (await talk.ask("list", path=written))["path"] == ["harbour", "berths"]


@pytest.mark.parametrize("written", ["Storag", "harb", ["harbour", "berth"], "harbour/berths/x", "harbour/berth!"])
async def test_a_prefix_or_a_similar_word_never_matches(talk: Talk, written: Any) -> None:
    """E-10: the longest valid prefix and what is near come as hints, and the next action works."""
    error = await talk.error("list", path=written)
    assert error["code"] == "UNKNOWN_PATH"
    assert error["hints"]
    assert all(isinstance(hint, list) for hint in error["hints"])
    reply = await talk.follow(error)
    assert reply["nodes"] or reply["tools"]


async def test_a_path_of_an_area_of_work_that_is_not_there_is_told_as_it_was_asked(opening: Any) -> None:
    """E-38: without where the tree begins inside."""
    async with opening(expansion__root="capability") as talk:
        error = await talk.error("list", path=["Finance", "nobody"])
        assert error["message"] == "no node is called 'Finance/nobody'"
        assert error["hints"][0] == ["Finance"]
        assert (await talk.follow(error))["path"] == ["Finance"]


async def test_a_limit_over_fifty_is_fifty_and_says_so(talk: Talk) -> None:
    assert "50 entries" in (await talk.ask("list", limit=500))["warnings"][0]


async def test_bare_names_levels_and_subtrees_can_be_asked_for(talk: Talk) -> None:
    assert (await talk.ask("list", nodes="names"))["nodes"] == ["harbour", "office"]
    deep = await talk.ask("list", depth=2, limit=50)
    assert ["harbour", "pilots"] in [node["path"] for node in deep["nodes"]]
    below = await talk.ask("list", path=["harbour"], recursive=True, limit=50)
    assert len(below["tools"]) == 8
    assert all(tool["path"][0] == "harbour" for tool in below["tools"])
    assert below["total"] == len(below["nodes"]) + 8


async def test_tags_are_all_wanted_or_any_and_cover_the_subtree(talk: Talk) -> None:
    """E-11; an effect is a tag."""
    both = await talk.ask("list", path=["harbour"], tags=["BERTHS", "ships"], limit=50)
    assert [tool["tool_id"] for tool in both["tools"]] == ["harbour/berths/reserveBerth"]
    any_ = await talk.ask("list", path=["harbour"], tags=["pilots", "ships"], tags_mode="any", limit=50)
    assert {tool["tool_id"].split("/")[1] for tool in any_["tools"]} == {"berths", "pilots", "ships"}
    writes = await talk.ask("list", tags=["Write"], limit=50)
    assert [node["path"] for node in writes["nodes"]] == [
        ["harbour"],
        ["harbour", "berths"],
        ["harbour", "pilots"],
        ["harbour", "ships"],
    ]
    assert all("write" in tool["tags"] for tool in writes["tools"])


async def test_a_legal_place_with_nothing_to_show_is_empty_and_no_error(talk: Talk) -> None:
    """E-15."""
    empty = await talk.ask("list", path=["office"], tags=["none of these"])
    assert (empty["nodes"], empty["tools"], empty["total"]) == ([], [], 0)


async def test_a_tool_of_several_places_is_listed_under_the_place_that_was_asked(talk: Talk) -> None:
    """E-14."""
    ships = await talk.ask("list", path=["harbour", "ships"])
    (tool,) = [tool for tool in ships["tools"] if tool["tool_id"] == "harbour/berths/reserveBerth"]
    assert tool["path"] == ["harbour", "ships"]


@pytest.mark.parametrize("size", [1, 2, 3, 7, 50])
@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"path": ["harbour"]},
        {"path": ["harbour"], "recursive": True},
        {"depth": 2},
        {"tags": ["read"]},
        {"query": "berth for a ship"},
        {"query": "ship", "path": ["harbour"]},
    ],
)
async def test_pages_of_any_size_make_up_the_same_sequence(talk: Talk, asked: dict[str, Any], size: int) -> None:
    """E-13, E-25."""
    whole = await talk.ask("list", **asked, limit=50)
    nodes, tools, cursor = [], [], None
    while True:
        page = await talk.ask("list", **asked, limit=size, **({"cursor": cursor} if cursor else {}))
        assert len(page["nodes"]) + len(page["tools"]) <= size
        assert page["total"] == whole["total"]
        nodes, tools, cursor = nodes + page["nodes"], tools + page["tools"], page["next_cursor"]
        if not cursor:
            break
    assert (nodes, tools) == (whole["nodes"], whole["tools"])
    assert len(nodes) + len(tools) == whole["total"]


async def test_a_cursor_is_good_for_its_query_its_caller_its_catalog_and_an_hour(
    talk: Talk, clock: SettableClock
) -> None:
    """E-24, E-26: the message says which, and the next action is the same without it."""
    first = await talk.ask("list", path=["harbour", "berths"], limit=2)
    cursor = first["next_cursor"]
    other = Talk(talk.gateway, load_settings(None, {}), OTHER)

    async def refused(who: Talk, **asked: Any) -> str:
        error = await who.error("list", **asked)
        assert error["code"] == "INVALID_CURSOR"
        assert error["next_action"] == {"op": "list", "args": {k: v for k, v in asked.items() if k != "cursor"}}
        await who.follow(error)
        return str(error["message"])

    wrong = cursor[:-1] + ("A" if cursor[-1] != "A" else "B")
    assert "not one of" in await refused(talk, path=["harbour", "berths"], cursor=wrong)
    assert "another query" in await refused(talk, path=["harbour"], cursor=cursor)
    assert "another query" in await refused(other, path=["harbour", "berths"], cursor=cursor)
    assert (await talk.ask("list", path=["harbour", "berths"], limit=50, cursor=cursor))["tools"]
    clock.advance(3601)
    assert "expired" in await refused(talk, path=["harbour", "berths"], cursor=cursor)
    fresh = (await talk.ask("list", path=["harbour", "berths"], limit=2))["next_cursor"]
    await talk.gateway.disconnect("office")
    assert "has changed" in await refused(talk, path=["harbour", "berths"], cursor=fresh)


async def test_what_is_hidden_is_in_no_count_tag_summary_or_list(opening: Any) -> None:
    """E-9, E-37."""
    async with opening(HIDING) as talk:
        root = await talk.ask("list")
        office = next(node for node in root["nodes"] if node["name"] == "office")
        assert office["tool_count"] == 3
        assert office["summary"].startswith("3 tools: ")
        assert "staff" not in str(root)
        everything = await talk.ask("list", recursive=True, depth=3, limit=50)
        assert "getBerth" not in str(everything)
        assert "hire" not in str(everything).lower()
        hidden = await talk.error("list", path=["office", "staff"])
        missing = await talk.error("list", path=["office", "stafx"])
        assert str(hidden).replace("staff", "stafx") == str(missing)
