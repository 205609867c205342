"""Read before you call: expansions, what proves them, and every way a call is refused."""

from __future__ import annotations

import json
from typing import Any

import pytest
from conversing import OTHER, Talk

import sites
from periplus.app import open_gateway
from periplus.model import Policy, Rule, SourceSpec, Verdict
from periplus.testing.clock import SettableClock

QUOTE = "harbour/berths/quoteBerth"
ARGS = {"code": "B4", "length_m": 20}


async def test_an_expansion_is_the_whole_tool_and_the_same_each_time(talk: Talk) -> None:
    """E-27, E-28, E-30, E-47."""
    first, again = [await talk.ask("expand_tool", tool_id=name) for name in (QUOTE, "quoteBerth")]
    assert first["args_schema"]["required"] == ["code", "length_m"]
    assert "$defs" in first["result_schema"]
    assert (first["side_effects"], first["requires_approval"], first["cost"]) == ("read", False, 0.0)
    assert first["schema_hash"].startswith("sha256:")
    assert first["estimated_tokens"] > 50
    changing = {"expansion_token", "expires_at"}
    assert {k: v for k, v in first.items() if k not in changing} == {
        k: v for k, v in again.items() if k not in changing
    }


async def test_a_destroying_tool_says_that_a_person_must_agree(talk: Talk) -> None:
    assert (await talk.ask("expand_tool", tool_id="cancelReservation"))["requires_approval"] is True


async def test_a_call_needs_a_reading_and_then_runs(talk: Talk) -> None:
    """E-32."""
    error = await talk.error("call_tool", tool_id=QUOTE, args=ARGS)
    assert (error["code"], error["retryable"], error["hints"]) == ("EXPAND_REQUIRED", True, [])
    assert error["next_action"] == {"op": "expand_tool", "args": {"tool_id": QUOTE}}
    await talk.follow(error)
    done = await talk.ask("call_tool", tool_id=QUOTE, args=ARGS)
    assert (done["status"], done["result"]["total"]) == ("ok", 48.0)
    assert len(done["trace_id"]) == 32


async def test_no_argument_name_is_told_before_the_schema_was_read(talk: Talk) -> None:
    """E-29, E-35: the reading comes before the arguments."""
    error = await talk.error("call_tool", tool_id=QUOTE, args={"codex": 1})
    assert error["code"] == "EXPAND_REQUIRED"
    assert "length_m" not in str(error)
    for op, asked in (
        ("list", {"recursive": True, "limit": 50}),
        ("search_tool_by_category", {"query": "quote berth"}),
    ):
        assert "length_m" not in str(await talk.ask(op, **asked))


async def test_a_reading_ends_after_half_an_hour(talk: Talk, clock: SettableClock) -> None:
    """E-32."""
    await talk.ask("expand_tool", tool_id=QUOTE)
    clock.advance(1801)
    assert (await talk.error("call_tool", tool_id=QUOTE, args=ARGS))["code"] == "EXPAND_REQUIRED"


async def test_a_reading_by_another_or_in_another_conversation_does_not_count(talk: Talk) -> None:
    """E-34."""
    await talk.ask("expand_tool", tool_id=QUOTE)
    for who in (Talk(talk.gateway, talk.settings, OTHER), Talk(talk.gateway, talk.settings, connection="c2")):
        assert (await who.error("call_tool", tool_id=QUOTE, args=ARGS))["code"] == "EXPAND_REQUIRED"


async def test_a_stateless_caller_proves_its_reading_by_the_token(talk: Talk, clock: SettableClock) -> None:
    """E-32."""
    nobody = Talk(talk.gateway, talk.settings, connection="")
    token = (await nobody.ask("expand_tool", tool_id=QUOTE))["expansion_token"]
    assert (await nobody.error("call_tool", tool_id=QUOTE, args=ARGS))["code"] == "EXPAND_REQUIRED"
    done = await nobody.ask("call_tool", tool_id=QUOTE, args=ARGS, expansion_token=token)
    assert done["status"] == "ok"
    other = Talk(talk.gateway, talk.settings, OTHER, connection="")
    for unfit in (
        await other.error("call_tool", tool_id=QUOTE, args=ARGS, expansion_token=token),
        await nobody.error("call_tool", tool_id=QUOTE, args=ARGS, expansion_token=f"{token[:-1]}_"),
    ):
        assert unfit["code"] == "EXPAND_REQUIRED"
        assert "the token does not fit" in unfit["message"]
    wrong = await nobody.error("call_tool", tool_id="harbour/ships/searchShips", expansion_token=token)
    assert "the token is for harbour/berths/quoteBerth" in wrong["message"]
    clock.advance(1801)
    late = await nobody.error("call_tool", tool_id=QUOTE, args=ARGS, expansion_token=token)
    assert late["code"] == "EXPAND_REQUIRED"


async def test_a_schema_that_changed_since_comes_with_the_refusal_and_one_retry_is_enough(
    talk: Talk, site: sites.Site
) -> None:
    """E-33: nothing ran."""
    document = sites.api("count")
    document["servers"] = [{"url": site.base}]
    site.write("/api.json", json.dumps(document))
    site.write("/count", '{"counted": 3}')
    await talk.gateway.connect(SourceSpec(id="tally", url=site.url("/api.json")))
    await talk.ask("expand_tool", tool_id="tally/things/count")
    document["paths"]["/count"]["get"]["parameters"].append({"name": "y", "in": "query", "schema": {"type": "integer"}})
    site.write("/api.json", json.dumps(document))
    await talk.gateway.sync("tally")
    site.asked()
    error = await talk.error("call_tool", tool_id="tally/things/count", args={"x": 1})
    assert error["code"] == "SCHEMA_CHANGED"
    assert "y" in error["expansion"]["args_schema"]["properties"]
    assert site.asked() == []
    assert (await talk.follow(error))["result"] == {"counted": 3}


async def test_the_ledger_can_warn_or_be_off(opening: Any) -> None:
    """E-32."""
    async with opening(expansion__ledger="warn") as talk:
        done = await talk.ask("call_tool", tool_id=QUOTE, args=ARGS)
        assert "read the schema" in done["warnings"][0]
    async with opening(expansion__ledger="off") as talk:
        assert "warnings" not in await talk.ask("call_tool", tool_id=QUOTE, args=ARGS)


async def test_wrong_arguments_are_named_by_pointer_after_the_reading(talk: Talk) -> None:
    """E-35."""
    await talk.ask("expand_tool", tool_id=QUOTE)
    error = await talk.error("call_tool", tool_id=QUOTE, args={"codes": "B4", "length_m": 20})
    assert error["code"] == "INVALID_ARGS"
    assert any("/codes" in hint and "'code'" in hint for hint in error["hints"])
    assert (await talk.follow(error))["tool_id"] == QUOTE


async def test_a_call_that_needs_a_person_waits_and_then_runs_once(talk: Talk) -> None:
    """E-35: 409 with the approval, and the same call with it."""
    await talk.ask("expand_tool", tool_id="harbour/berths/reserveBerth")
    made = await talk.ask(
        "call_tool",
        tool_id="harbour/berths/reserveBerth",
        args={"code": "B4", "date": "2031-05-03", "ship": {"name": "Argo", "length_m": 36}},
    )
    args = {"id": made["result"]["id"]}
    await talk.ask("expand_tool", tool_id="harbour/berths/cancelReservation")
    reply = await talk.reply("call_tool", {"tool_id": "harbour/berths/cancelReservation", "args": args})
    body = reply.body
    assert (body["status"], body["error"]["code"]) == ("pending_approval", "APPROVAL_REQUIRED")
    assert body["error"]["next_action"]["args"]["approval_id"] == body["approval_id"] == body["error"]["hints"][0]
    await talk.gateway.grant(body["approval_id"], why="a test")
    assert (await talk.follow(body["error"]))["status"] == "ok"
    again = await talk.error(
        "call_tool", tool_id="harbour/berths/cancelReservation", args=args, approval_id=body["approval_id"]
    )
    assert again["code"] != "APPROVAL_REQUIRED" or again["hints"][0] != body["approval_id"]


async def test_a_large_result_comes_in_parts_without_another_call(talk: Talk, site: sites.Site) -> None:
    """E-35: 48 KB."""
    document = sites.api("rows")
    document["servers"] = [{"url": site.base}]
    site.write("/api.json", json.dumps(document))
    site.write("/rows", json.dumps([{"n": n, "text": "x" * 90} for n in range(2000)]))
    await talk.gateway.connect(SourceSpec(id="tally", url=site.url("/api.json")))
    await talk.ask("expand_tool", tool_id="tally/things/rows")
    site.asked()
    part = await talk.ask("call_tool", tool_id="tally/things/rows")
    assert len(json.dumps(part["result"])) < 60_000
    shown = len(part["result"])
    rest = await talk.ask("call_tool", cache_ref=part["cache_ref"], offset=shown, limit=3)
    assert [row["n"] for row in rest["result"]] == [shown, shown + 1, shown + 2]
    assert len(site.asked()) == 1
    foreign = Talk(talk.gateway, talk.settings, OTHER)
    assert (await foreign.error("call_tool", cache_ref=part["cache_ref"]))["code"] == "NOT_FOUND"


async def test_one_key_runs_once(talk: Talk) -> None:
    await talk.ask("expand_tool", tool_id="harbour/berths/reserveBerth")
    asked = {
        "tool_id": "harbour/berths/reserveBerth",
        "args": {"code": "B5", "date": "2031-05-03", "ship": {"name": "Argo", "length_m": 36}},
        "idempotency_key": "k1",
    }
    first, second = [await talk.ask("call_tool", **asked) for _ in range(2)]
    assert first["result"] == second["result"]


async def test_what_may_be_seen_and_not_used_says_why_and_what_is_hidden_is_missing(opening: Any) -> None:
    """E-37."""
    rules = (
        Rule(action=("describe", "call"), tools=("harbour/pilots/*",), verdict=Verdict.DENY, reason="pilots are busy"),
        Rule(action=("discover",), tools=("office/*",), verdict=Verdict.DENY),
    )
    async with opening(Policy(rules=rules)) as talk:
        for op in ("expand_tool", "call_tool"):
            if op == "call_tool":
                continue
            error = await talk.error(op, tool_id="harbour/pilots/listPilots")
            assert (error["code"], error["hints"]) == ("NOT_AUTHORIZED", ["pilots are busy"])
            assert (await talk.follow(error))["path"] == ["harbour", "pilots"]
        hidden = await talk.error("expand_tool", tool_id="office/staff/hirePilot")
        missing = await talk.error("expand_tool", tool_id="office/staff/hirePilox")
        assert hidden["code"] == missing["code"] == "TOOL_NOT_FOUND"
        assert set(hidden) == set(missing)
        assert "office" not in str(hidden["hints"])


@pytest.mark.parametrize(
    ("op", "asked", "word"),
    [
        ("expand_tool", {}, "tool_id"),
        ("expand_tool", {"tool_id": ""}, "tool_id"),
        ("call_tool", {}, "tool_id"),
        ("call_tool", {"tool_id": QUOTE, "arg": {}}, "'args'"),
        ("list", {"tag": ["x"]}, "'tags'"),
        ("list", {"limit": 0}, "1-50"),
        ("list", {"limit": "ten"}, "1-50"),
        ("list", {"depth": 9}, "1-3"),
        ("search_nodes", {"query": "ship", "path": []}, "no argument"),
        ("search_tool_by_category", {}, "query"),
        ("search_nodes", {"query": " \t"}, "query: is blank"),
        ("search_nodes", {"query": "x" * 3000}, "longer than 2000 characters"),
        ("expand_tool", {"tool_id": "x" * 3000}, "longer than 200 characters"),
        ("list", {"session": "s" * 1000}, "session"),
    ],
)
async def test_a_request_that_is_wrong_says_how_and_its_next_action_works(
    talk: Talk, op: str, asked: dict[str, Any], word: str
) -> None:
    """E-2, E-38, E-44."""
    error = await talk.error(op, **asked)
    assert error["code"] == "INVALID_REQUEST"
    assert word in error["message"] + str(error["hints"])
    await talk.follow(error)


async def test_a_name_that_means_several_is_a_question(talk: Talk, site: sites.Site) -> None:
    """E-27."""
    site.write("/api.json", json.dumps(sites.api("berths/quoteBerth")))
    await talk.gateway.connect(SourceSpec(id="rival", url=site.url("/api.json")))
    error = await talk.error("expand_tool", tool_id="quoteBerth")
    assert (error["code"], len(error["hints"])) == ("AMBIGUOUS_NAME", 2)
    assert (await talk.follow(error))["tool_id"] == error["hints"][0]


async def test_a_large_schema_is_whole_and_warned_of(opening: Any) -> None:
    """E-31."""
    async with opening(expansion__max_schema_tokens=100) as talk:
        read = await talk.ask("expand_tool", tool_id=QUOTE)
        assert "complete" in read["warnings"][0]
        assert read["args_schema"]["required"] == ["code", "length_m"]


async def test_the_trail_holds_search_shown_expansion_and_call(talk: Talk) -> None:
    """E-36."""
    await talk.ask("search_tool_by_category", query="quote the price of a berth")
    await talk.ask("expand_tool", tool_id=QUOTE)
    await talk.ask("call_tool", tool_id=QUOTE, args=ARGS)
    rows = await talk.gateway.trail.latest(limit=3)
    assert [row.event.verb for row in rows] == ["search", "describe", "call"]
    assert QUOTE in rows[0].event.shown
    assert {row.event.session for row in rows} == {"wire:c1"}


async def test_a_call_that_goes_on_gives_a_run_and_its_owner_may_ask_how_far_it_is(
    talk: Talk, site: sites.Site
) -> None:
    """E-35: also where the tool that tells it is in no list."""
    manifest = {
        "protocol_version": "1.0",
        "scenario": {"name": "dredging", "version": "1.0.0", "description": "Depths."},
        "capabilities": {"supports_async": True},
        "categories": [],
        "tools": [
            {
                "name": "dredge",
                "description": "Deepen a berth.",
                "parameters": {"type": "object", "properties": {"berth": {"type": "string"}}},
                "metadata": {
                    "enabled_by_default": True,
                    "long_running": True,
                    "async_behavior": {
                        "status_polling": {
                            "status_tool": "dredge_status",
                            "operation_id_field": "run",
                            "status_tool_id_param": "run",
                        }
                    },
                },
            },
            {
                "name": "dredge_status",
                "description": "How far a dredging is.",
                "parameters": {"type": "object", "properties": {"run": {"type": "string"}}},
                "metadata": {"enabled_by_default": True, "internal_only": True, "modifies_state": False},
            },
        ],
    }
    site.write("/api/v1/tools", json.dumps(manifest))
    await talk.gateway.connect(SourceSpec(id="dredging", kind="manifest", url=site.base))
    listed = await talk.ask("list", path=["dredging"], recursive=True)
    assert [tool["tool_id"] for tool in listed["tools"]] == ["dredging/dredge"]
    await talk.ask("expand_tool", tool_id="dredging/dredge")
    answer = {"success": True, "is_async": True, "status": "pending", "result": {"run": "r7"}}
    site.write("/api/v1/tools/execute", json.dumps(answer), status=202)
    started = await talk.ask("call_tool", tool_id="dredging/dredge", args={"berth": "B4"})
    assert started["status"] == "async"
    site.write("/api/v1/tools/execute", json.dumps({"success": True, "result": {"state": "done"}}))
    told = await talk.ask("call_tool", run_id=started["run_id"])
    assert (told["tool_id"], told["result"]) == ("dredging/dredge_status", {"state": "done"})
    foreign = Talk(talk.gateway, talk.settings, OTHER)
    for who, run in ((foreign, started["run_id"]), (talk, "none")):
        assert (await who.error("call_tool", run_id=run))["code"] == "NOT_FOUND"
    assert (await talk.error("expand_tool", tool_id="dredging/dredge_status"))["code"] == "TOOL_NOT_FOUND"


async def test_a_reading_at_one_replica_counts_at_another(talk: Talk) -> None:
    """E-43: the record of readings is the store's."""
    await talk.ask("expand_tool", tool_id=QUOTE)
    async with open_gateway(talk.settings) as other:
        there = Talk(other, talk.settings)
        assert (await there.ask("call_tool", tool_id=QUOTE, args=ARGS))["status"] == "ok"


async def test_a_model_that_never_looks_at_the_tree_needs_three_calls(talk: Talk) -> None:
    """E-41, E-45: and the trail shows that it has not looked."""
    found = await talk.ask("search_tool_by_category", query="quote the price of a berth")
    tool = found["results"][0]["tool_id"]
    await talk.ask("expand_tool", tool_id=tool)
    assert (await talk.ask("call_tool", tool_id=tool, args=ARGS))["status"] == "ok"
    rows = await talk.gateway.trail.latest(limit=10)
    assert "browse" not in [row.event.verb for row in rows]


async def test_the_way_to_a_schema_costs_the_same_in_a_large_catalog(talk: Talk, site: sites.Site) -> None:
    """E-46: root, one search, one expansion."""

    async def cost() -> int:
        bodies = [
            await talk.ask("list"),
            await talk.ask("search_tool_by_category", query="quote the price of a berth"),
            await talk.ask("expand_tool", tool_id=QUOTE),
        ]
        return sum(len(json.dumps(body, separators=(",", ":"))) for body in bodies) // 4

    small = await cost()
    names = [f"area{n % 12}/do{verb}Thing{n}" for n in range(300) for verb in ("Get", "List", "Make", "Drop")]
    site.write("/large.json", json.dumps(sites.api(*names, title="Large")))
    await talk.gateway.connect(SourceSpec(id="large", url=site.url("/large.json")))
    assert await cost() <= small + 150
    assert small < 1500
