"""execute_sequence over real HTTP: section 10, and the rows of section 13 that concern it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from agents import Agent, Answer, Serve
from hypothesis import given
from hypothesis import strategies as st
from starlette.responses import JSONResponse

from periplus.faces.handshake.sequences import fair
from quay import Quay, quay

SHIP = {"length_m": 80}
FREE = {"action": "berths:listBerths", "alias": "free", "parameters": {"_select": "id"}}


@pytest.fixture
def office() -> Iterator[Quay]:
    with quay() as made:
        yield made


@pytest.fixture
def ready(agent: Agent, office: Quay) -> Agent:
    assert agent.ask("connect_to_site", url=office.document, name="quay", get_manifest=True).status == 200
    office.asked.clear()
    return agent


def run(agent: Agent, *steps: Any, **more: Any) -> Answer:
    return agent.ask("execute_sequence", {"actions": list(steps), **more})


def rows(answer: Answer) -> list[dict[str, Any]]:
    made: list[dict[str, Any]] = answer.body["steps"]
    return made


def states(answer: Answer) -> list[str]:
    return [row["status"] for row in rows(answer)]


def test_the_published_sequence_reads_as_it_is_published(ready: Agent, office: Quay) -> None:
    """Section 16."""
    answer = run(
        ready,
        FREE,
        {"action": "berths:quoteBerth", "foreach": "$free", "parameters": {"code": "$item.id"}},
        {
            "action": "berths:reserveBerth",
            "condition": "$step1[0].cost < 50",
            "parameters": {"code": "$free[0].id", "ship": SHIP},
        },
    )
    told = json.loads(answer.text)
    for row in told:
        assert isinstance(row["duration_ms"], int)
        row["duration_ms"] = 0
    assert json.dumps(told, separators=(",", ":")) == (
        '[{"step":0,"action":"berths:listBerths","alias":"free","status":"ok","duration_ms":0,'
        '"result":[{"id":"B4"},{"id":"B7"}],"_truncated":false},'
        '{"step":1,"action":"berths:quoteBerth","alias":"step1","status":"ok","duration_ms":0,'
        '"result":[{"berth":"B4","cost":90},{"berth":"B7","cost":70}],"_truncated":false},'
        '{"step":2,"action":"berths:reserveBerth","alias":"step2","status":"skipped","duration_ms":0,'
        '"result":null,"_truncated":false}]'
    )
    assert (answer.status, answer.body["status"]) == (200, "success")
    assert len(answer.body["trace_id"]) == 32
    assert ready.ask("list_aliases", alias="step1[*].cost").body["data"] == [90, 70]


@pytest.mark.parametrize(
    ("step", "error", "says"),
    [
        ({"parameters": {}}, "BAD_REQUEST", "action is required"),
        ({"action": "quoteBerth", "parameters": {"code": "$step2.id"}}, "BAD_REQUEST", "later"),
        ({"action": "listBerths", "alias": "free"}, "BAD_REQUEST", "'free' as well"),
        ({"action": "listBerths", "alias": "step0"}, "BAD_REQUEST", "cannot be chosen"),
        ({"action": "listBerths", "foreach": 7}, "BAD_REQUEST", "number"),
        ({"action": "listBerths", "on_error": "ignore"}, "BAD_REQUEST", "on_error"),
        ({"action": "listBerths", "retry": {"times": 2}}, "BAD_REQUEST", "times"),
        ({"action": "listBerths", "retryOn": ["TIMEOT"]}, "BAD_REQUEST", "TIMEOT"),
        ({"action": "listBerths", "forEach": []}, "BAD_REQUEST", "forEach"),
        ({"action": "listBerths", "condition": "$free.x >"}, "BAD_REQUEST", "condition"),
        ({"action": "connect_to_site", "parameters": {"url": "x"}}, "BAD_REQUEST", "may not be a step"),
        ({"action": "execute_sequence"}, "BAD_REQUEST", "may not be a step"),
        ({"parallel": [{"action": "listBerths"}]}, "BAD_REQUEST", "2 to 16"),
        ({"parallel": [], "alias": "x"}, "BAD_REQUEST", "parallel"),
        ({"action": "listBerths", "parameters": "{bad"}, "BAD_REQUEST", "JSON"),
        ({"action": "listBerths", "_limit": 0}, "BAD_REQUEST", "_limit"),
        ({"action": "nobody"}, "NOT_FOUND", "nobody"),
        ({"action": "berths"}, "STRUCTURAL_ERROR", "area"),
        ({"action": "listBerths", "site": "nowhere"}, "NOT_FOUND", "no site"),
        ({"action": "quoteBerth", "parameters": {"code": "UNKNOWN"}}, "PLACEHOLDER_REJECTED", "UNKNOWN"),
        ({"action": "quoteBerth", "parameters": {"code": "$nope"}}, "PLACEHOLDER_REJECTED", "nope"),
        ({"action": "reserveBerth", "parameters": {"code": "$free[0].id"}}, "VALIDATION_FAILED", "/ship: required"),
    ],
)
def test_a_fault_in_one_step_means_that_nothing_runs(
    ready: Agent, office: Quay, step: Any, error: str, says: str
) -> None:
    """H-65, section 13: and the error names the step."""
    answer = run(ready, FREE, step, {"action": "listBerths"})
    assert (answer.error, office.asked) == (error, [])
    assert says in answer.body["message"]
    assert answer.body["step"] == 1


def test_51_steps_are_too_many(ready: Agent, office: Quay) -> None:
    """H-70."""
    answer = run(ready, *[{"action": "listBerths"}] * 51)
    assert (answer.error, office.asked) == ("BAD_REQUEST", [])
    assert "50 steps" in answer.body["message"]
    assert run(ready).error == "BAD_REQUEST"


def test_a_step_that_may_fail_keeps_its_fault_and_others_hear_of_it(ready: Agent, office: Quay) -> None:
    """H-65, H-68."""
    answer = run(
        ready,
        {"action": "berths:quoteBerh", "on_error": "continue", "alias": "lost", "parameters": {"code": "B4"}},
        {"action": "quoteBerth", "on_error": "continue", "parameters": {"code": "$lost.berth"}},
        {"action": "quoteBerth", "parameters": {"code": "B7"}, "condition": "NOT ($lost exists)"},
        {"action": "quoteBerth", "parameters": {"code": "X9"}},
        {"action": "listBerths"},
    )
    assert states(answer) == ["error", "error", "ok", "error", "not_run"]
    first, second, _, fourth, _ = [row["result"] for row in rows(answer)]
    assert first["_PROTOCOL_ERROR"] == "NOT_FOUND"
    assert "suggested_fix" in first
    assert second["_PROTOCOL_ERROR"] == "PIPING_FAILED"
    assert "step 0 (berths:quoteBerh) failed: tool_not_found" in second["message"]
    assert (fourth["_PROTOCOL_ERROR"], fourth["message"]) == ("NOT_FOUND", "no berth X9")
    assert (answer.status, answer.body["status"]) == (404, "error")
    assert office.asked == ["GET /berths/B7/quote", "GET /berths/X9/quote"]


def test_a_path_that_leads_nowhere_says_what_there_is(ready: Agent, office: Quay) -> None:
    """H-68: `data` names the value itself where it has no such member."""
    answer = run(
        ready,
        FREE,
        {"action": "quoteBerth", "parameters": {"code": "$free.data[0].id"}, "on_error": "continue"},
        {"action": "quoteBerth", "parameters": {"code": "$free.id"}, "on_error": "continue"},
        {"action": "quoteBerth", "parameters": {"code": "$free[0].code"}, "on_error": "continue"},
    )
    assert states(answer) == ["ok", "ok", "error", "error"]
    assert "$free[0].id" in rows(answer)[2]["result"]["remedy"]
    assert "there are: id" in rows(answer)[3]["result"]["message"]


def test_groups_items_and_retries(ready: Agent, office: Quay) -> None:
    """Section 10: parallel, foreach with errors at their index, attempts."""
    office.trouble = [JSONResponse({}, 500)] * 2
    answer = run(
        ready,
        {"action": "listBerths", "retry": {"max": 2, "codes": ["SERVER_ERROR"], "delay_seconds": 0.001}},
        {
            "parallel": [
                {"action": "quoteBerth", "alias": "a", "parameters": {"code": "B4"}},
                {"action": "quoteBerth", "alias": "b", "parameters": {"code": "B7"}},
            ]
        },
        {
            "action": "quoteBerth",
            "foreach": ["B7", "X1", "B4"],
            "concurrency": 3,
            "on_error": "continue",
            "parameters": {"code": "$item", "note": "n$index of ${a.cost}"},
        },
    )
    assert states(answer) == ["ok", "ok", "ok", "ok"]
    assert [row["step"] for row in rows(answer)] == [0, 1, 2, 3]
    assert rows(answer)[0]["attempts"] == 3
    items = rows(answer)[3]["result"]
    assert [item.get("cost") for item in items] == [70, None, 90]
    assert items[1]["_PROTOCOL_ERROR"] == "NOT_FOUND"
    assert "GET /berths/B4/quote?note=n2%20of%2090" in office.asked


def test_what_only_looks_may_be_a_step(ready: Agent, office: Quay) -> None:
    """H-66: and a call_action step is the call in it."""
    answer = run(
        ready,
        {"action": "inspect_landmark", "alias": "seen", "parameters": {"landmark_id": "berths:quoteBerth"}},
        {"action": "call_action", "parameters": {"action": "$$x", "parameters": {}}, "on_error": "continue"},
        {"action": "call_action", "alias": "q", "parameters": {"action": "quoteBerth", "parameters": {"code": "B4"}}},
        {"action": "list_aliases", "parameters": {}},
    )
    assert states(answer) == ["ok", "error", "ok", "ok"]
    assert rows(answer)[0]["result"]["actions"][0]["id"] == "berths:quoteBerth"
    assert rows(answer)[2]["result"] == {"berth": "B4", "cost": 90}
    assert rows(answer)[2]["action"] == "berths:quoteBerth"


def test_one_question_for_the_whole_sequence(ready: Agent, office: Quay) -> None:
    """H-65."""
    steps = [FREE, {"action": "cancelBerth", "parameters": {"code": "$free[0].id"}}]
    answer = run(ready, *steps)
    assert (answer.status, answer.error, office.asked) == (409, "APPROVAL_REQUIRED", [])
    again = run(ready, *steps, approval_id=answer.body["approval_id"])
    assert (again.error, office.asked) == ("APPROVAL_REQUIRED", [])
    assert answer.body["next_action"]["op"] == "execute_sequence"


def test_the_room_is_shared_and_what_is_cut_stays_whole(serve: Serve, office: Quay) -> None:
    """H-97, H-67, H-68."""
    with serve(**{"handshake.sequence_chars": "2000"}) as base:
        agent = Agent(base)
        agent.ask("connect_to_site", url=office.document, get_manifest=True)
        office.trouble = [JSONResponse([{"id": number, "text": "x" * 50} for number in range(200)])]
        answer = run(
            agent, {"action": "listBerths", "alias": "big"}, {"action": "quoteBerth", "parameters": {"code": "B4"}}
        )
        big, small = rows(answer)
        assert (big["_truncated"], small["_truncated"]) == (True, False)
        assert len(answer.text) <= 2000
        assert 10 < len(big["result"]) < 200
        following = agent.printed(big["remedy"].removeprefix("next: "))
        assert following.body["data"][0]["id"] == len(big["result"])
        assert agent.ask("list_aliases", alias="big[199].id").body["data"] == 199


def test_time_and_calls_are_bounded(serve: Serve, office: Quay) -> None:
    """H-70: TIMEOUT, with what was done."""
    with serve(**{"handshake.max_calls": "3"}) as base:
        agent = Agent(base)
        agent.ask("connect_to_site", url=office.document, get_manifest=True)
        office.asked.clear()
        answer = run(agent, FREE, {"action": "waitLong"}, {"action": "listBerths"}, timeout_seconds=0.6)
        assert (answer.status, states(answer)) == (504, ["ok", "error", "not_run"])
        assert rows(answer)[1]["result"]["_PROTOCOL_ERROR"] == "TIMEOUT"
        assert rows(answer)[0]["result"] == [{"id": "B4"}, {"id": "B7"}]
        office.asked.clear()
        loop = {"action": "quoteBerth", "foreach": ["B4"] * 9, "parameters": {"code": "$item"}}
        assert rows(run(agent, loop))[0]["result"][3]["_PROTOCOL_ERROR"] == "TOO_LARGE"
        assert len(office.asked) == 3


def test_parameters_are_mended_in_steps_too_and_never_sent_as_placeholders(ready: Agent, office: Quay) -> None:
    """H-55, H-57, also where they come from a reference."""
    office.trouble = [JSONResponse({"n": "2", "s": "<...>"})]
    answer = run(
        ready,
        {"action": "listBerths", "alias": "said"},
        {"action": "listBerths", "parameters": {"limit": "$said.n", "bogus": 1}},
        {"action": "quoteBerth", "parameters": {"code": "$said.s"}, "on_error": "continue"},
    )
    assert states(answer) == ["ok", "ok", "error"]
    assert rows(answer)[1]["_NOTES"] == ["ignored: bogus", 'repaired: /limit: "2" taken as 2']
    assert rows(answer)[2]["result"]["_PROTOCOL_ERROR"] == "PLACEHOLDER_REJECTED"
    assert office.asked == ["GET /berths", "GET /berths?limit=2"]


@given(st.lists(st.integers(0, 50_000), min_size=1, max_size=50), st.integers(20_000, 40_000))
def test_nobody_gets_less_than_a_fair_share(sizes: list[int], room: int) -> None:
    """H-67."""
    shares = fair(sizes, room)
    even = room // len(sizes)
    assert all(share >= min(size, even) for size, share in zip(sizes, shares, strict=True))
    assert sum(min(size, share) for size, share in zip(sizes, shares, strict=True)) <= max(room, 200 * len(sizes))
