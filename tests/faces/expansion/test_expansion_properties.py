"""What always holds, for catalogs and policies that nobody chose: exact pages, and hidden like missing."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import msgspec
from conversing import AGENT, OTHER, Talk
from hypothesis import given, settings
from hypothesis import strategies as st

from periplus.app import open_gateway
from periplus.core.policy.compiled import compile_policy
from periplus.model import Effect, Policy, Rule, Verdict
from periplus.ports import unpack_tool
from periplus.settings import load_settings
from periplus.testing.catalogs import make_change, make_row

_AREAS = ("", "berths", "berths/rows", "ships", "Crew")
_DEEPEST = 3  # a source, and areas in areas: a parent each
_WORDS = ("reserve", "berth", "ship", "list", "cancel", "pilot", "tide")
_TOOLS = st.fixed_dictionaries(
    {
        "source": st.sampled_from(("harbour", "office")),
        "area": st.sampled_from(_AREAS),
        "words": st.lists(st.sampled_from(_WORDS), min_size=1, max_size=3, unique=True),
        "also": st.lists(st.sampled_from(_AREAS), max_size=1),
        "tags": st.lists(st.sampled_from(("dry", "Wet", "old")), max_size=2, unique=True),
        "effect": st.sampled_from(Effect),
    }
)
_CATALOGS = st.lists(_TOOLS, min_size=1, max_size=14)
_HIDDEN = st.sampled_from(
    ("harbour/*", "*/berths/*", "office/ships/*", "*reserve*", "tag:dry", "node:harbour/berths", "*/Crew/*", "*pilot*")
)
_ASKED: tuple[tuple[str, dict[str, Any]], ...] = (
    ("list", {}),
    ("list", {"depth": 3, "limit": 50}),
    ("list", {"recursive": True, "limit": 50}),
    ("list", {"tags": ["DRY"], "limit": 50}),
    ("list", {"path": ["harbour", "berths"]}),
    ("list", {"query": "reserve a berth", "limit": 50}),
    ("search_tool_by_category", {"query": "list ships", "limit": 50}),
    ("search_nodes", {"query": "cancel a pilot"}),
    ("expand_tool", {"tool_id": "reserve_berth"}),
    ("expand_tool", {"tool_id": "harbour/berths/reserve0"}),
    ("call_tool", {"tool_id": "office/ships/list0", "args": {}}),
)


class Made(msgspec.Struct, frozen=True):
    """One drawn tool with its name."""

    source: str
    path: str
    members: dict[str, Any]

    def is_hidden_by(self, pattern: str) -> bool:
        policy = Rule(tools=(pattern,), verdict=Verdict.DENY, action=("discover",))
        compiled = compile_policy(Policy(rules=(policy,))).rules[0]
        row = make_row(self.path, **self.members)
        return compiled.covers(unpack_tool(self.source, self.path, row.body))


def named(drawn: Sequence[dict[str, Any]]) -> list[Made]:
    made: list[Made] = []
    for number, one in enumerate(drawn):
        leaf = f"{'_'.join(one['words'])}{number}"
        path = f"{one['area']}/{leaf}" if one["area"] else leaf
        members = {
            "key": str(number),
            "summary": f"{' '.join(one['words']).capitalize()} in the {one['area'] or 'port'}",
            "paths": tuple(dict.fromkeys((one["area"], *one["also"]))),
            "tags": tuple(one["tags"]),
            "effect": one["effect"],
        }
        made.append(Made(one["source"], path, members))
    return made


@asynccontextmanager
async def talking(tools: Sequence[Made], hidden: str = "") -> AsyncIterator[Talk]:
    rules = (
        (Rule(principal=(AGENT.id,), tools=(hidden,), verdict=Verdict.DENY, action=("discover",)),) if hidden else ()
    )
    with tempfile.TemporaryDirectory() as directory:
        chosen = msgspec.structs.replace(load_settings(None, {}, {"data": directory}), policy=Policy(rules=rules))
        async with open_gateway(chosen) as gateway:
            for source in ("harbour", "office"):
                rows = [make_row(tool.path, **tool.members) for tool in tools if tool.source == source]
                if rows:
                    await gateway._parts.store.apply(make_change(source, rows), 1.0)
            yield Talk(gateway, chosen)


@given(drawn=_CATALOGS, hidden=st.just("") | _HIDDEN, size=st.integers(1, 50), goal=st.sampled_from(_WORDS))
@settings(max_examples=6, deadline=None)
async def test_pages_of_any_size_are_the_sequence_for_any_catalog_and_policy(
    drawn: list[dict[str, Any]], hidden: str, size: int, goal: str
) -> None:
    """E-13, E-25."""
    async with talking(named(drawn), hidden) as talk:
        for asked in ({}, {"depth": 3}, {"recursive": True}, {"tags": ["wet"]}, {"query": goal}):
            whole = await talk.ask("list", **asked, limit=50)
            entries, cursor = [], None
            while True:
                page = await talk.ask("list", **asked, limit=size, **({"cursor": cursor} if cursor else {}))
                entries += page["nodes"] + page["tools"]
                cursor = page["next_cursor"]
                if cursor is None:
                    break
            wanted = whole["nodes"] + whole["tools"]
            assert sorted(map(str, entries)) == sorted(map(str, wanted))
            assert len(entries) == whole["total"]


@given(drawn=_CATALOGS, goal=st.lists(st.sampled_from(_WORDS), min_size=1, max_size=3, unique=True))
@settings(max_examples=6, deadline=None)
async def test_an_area_is_as_likely_as_what_stands_below_it(drawn: list[dict[str, Any]], goal: list[str]) -> None:
    """E-18, E-21: no less than any tool or area below it, but for a parent that adds nothing to its only child."""
    async with talking(named(drawn)) as talk:
        found = await talk.ask("list", query=" ".join(goal), limit=50)
        told = {tuple(node["path"]): node["confidence"] for node in found["nodes"]}
        for tool in found["tools"]:
            above = [told[tuple(tool["path"][:end])] for end in range(1, len(tool["path"]) + 1)]
            assert min(above) >= min(tool["confidence"], 0.99) - 0.01 * _DEEPEST  # of an area one is never quite sure
        assert all(chance >= 0.15 for chance in told.values())
        if found["nodes"]:
            where = found["nodes"][0]["path"]
            assert (await talk.ask("search_tool_by_category", query=" ".join(goal), category_path=where))["results"]


@given(drawn=_CATALOGS, hidden=_HIDDEN)
@settings(max_examples=6, deadline=None)
async def test_what_is_hidden_answers_as_what_was_never_there(drawn: list[dict[str, Any]], hidden: str) -> None:
    """E-9, E-37, R-2: the same bodies, statuses, hints and counts, asked of a catalog without the hidden tools."""
    tools = named(drawn)
    visible = [tool for tool in tools if not tool.is_hidden_by(hidden)]
    async with talking(tools, hidden) as behind, talking(visible) as without:
        for op, arguments in _ASKED:
            one, other = await behind.reply(op, arguments), await without.reply(op, arguments)
            assert _bare(one.body) == _bare(other.body), (op, arguments)
            assert one.problem is None or one.problem.code is other.problem.code  # type: ignore[union-attr]


@given(drawn=_CATALOGS, hidden=_HIDDEN, size=st.integers(1, 4))
@settings(max_examples=6, deadline=None)
async def test_who_sees_all_and_who_does_not_walk_the_same_catalog_apart(
    drawn: list[dict[str, Any]], hidden: str, size: int
) -> None:
    """E-9, E-26, E-37: page by page, and no cursor of one is good for the other."""
    tools = named(drawn)
    visible = [tool for tool in tools if not tool.is_hidden_by(hidden)]
    async with talking(tools, hidden) as agent, talking(tools) as whole, talking(visible) as part:
        other = Talk(agent.gateway, agent.settings, OTHER)
        for asked in ({"recursive": True}, {"query": "reserve a berth"}, {"tags": ["dry"]}):
            seen, left = await walked(agent, asked, size), await walked(part, asked, size)
            assert [_bare(page) for page in seen] == [_bare(page) for page in left]
            for page, same in zip(await walked(other, asked, size), await walked(whole, asked, size), strict=True):
                assert _bare(page) == _bare(same)
                if page["next_cursor"]:
                    refused = await agent.error("list", **asked, limit=size, cursor=page["next_cursor"])
                    assert refused["code"] == "INVALID_CURSOR"


async def walked(talk: Talk, asked: dict[str, Any], size: int) -> list[dict[str, Any]]:
    """Every page of a listing."""
    pages = [await talk.ask("list", **asked, limit=size)]
    while pages[-1]["next_cursor"]:
        pages.append(await talk.ask("list", **asked, limit=size, cursor=pages[-1]["next_cursor"]))
    return pages


@given(drawn=_CATALOGS, junk=st.dictionaries(st.text(max_size=8), st.integers() | st.text(max_size=5), max_size=3))
@settings(max_examples=8, deadline=None)
async def test_every_next_action_works_as_it_stands(drawn: list[dict[str, Any]], junk: dict[str, Any]) -> None:
    """E-44, section 7: over faults that nobody chose."""
    tools = named(drawn)
    ref = f"{tools[0].source}/{tools[0].path}"
    faults: tuple[tuple[str, dict[str, Any]], ...] = (
        ("list", junk),
        ("list", {"path": [ref], **junk}),
        ("list", {"limit": -3, "query": ref}),
        ("search_tool_by_category", {"query": "zzzz", **junk}),
        ("search_nodes", {"query": " ", "limit": 1000}),
        ("expand_tool", {"tool_id": f"{ref}x"}),
        ("expand_tool", {"tool_id": ref[:3]}),
        ("call_tool", {"tool_id": ref, "args": {}}),
        ("call_tool", junk),
    )
    async with talking(tools) as talk:
        for op, arguments in faults:
            reply = await talk.reply(op, arguments)
            if reply.problem is not None:
                await talk.follow(reply.body["error"])


def _bare(body: Any) -> Any:
    """A body without what is sealed or told of a moment."""
    if isinstance(body, dict):
        gone = {"next_cursor", "expansion_token", "expires_at"}
        return {name: _bare(value) for name, value in body.items() if name not in gone}
    return [_bare(item) for item in body] if isinstance(body, list) else body
