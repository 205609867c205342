"""What is refused, with which code and in which words, for every fault a call can have."""

from __future__ import annotations

import base64
import hashlib
import hmac
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from walking import Walker, walking

from periplus.model import Code, Principal, Problem

KEY = bytes(range(32))
TOKEN_OPS = {
    "get_workflow": {},
    "next_activity": {"activity_id": "choose"},
    "get_checkpoint": {"activity_id": "choose", "checkpoint_id": "tool-confirmed"},
    "respond_checkpoint": {"checkpoint_id": "tool-confirmed", "option_id": "reads"},
    "get_trace": {},
    "get_skills": {},
    "get_skill": {"step_id": "search"},
    "get_resource": {"resource_index": "01"},
}


@pytest.fixture
async def agent(tmp_path: Path) -> AsyncIterator[Walker]:
    key = tmp_path / "key"
    key.write_bytes(KEY)
    async with walking(tmp_path / "data", interop_key=str(key), min_response_seconds=3) as walker:
        await walker.start()
        yield walker


def forged(**fields: Any) -> str:
    body = base64.urlsafe_b64encode(msgspec.json.encode(fields)).rstrip(b"=").decode()
    return f"{body}.{hmac.new(KEY, body.encode(), hashlib.sha256).hexdigest()}"


@pytest.mark.parametrize(("name", "arguments"), TOKEN_OPS.items())
async def test_every_token_tool_wants_a_token(agent: Walker, name: str, arguments: dict[str, Any]) -> None:
    """W-3, W-8: it is never guessed."""
    for token in ({}, {"session_token": ""}, {"session_token": None}, {"session_token": 5}):
        reply = await agent.reply(name, **arguments, **token)
        assert reply.problem is not None
        assert reply.problem.code is Code.BAD_INPUT
        assert "session_token" in reply.text


@pytest.mark.parametrize(("name", "arguments"), TOKEN_OPS.items())
async def test_every_token_tool_judges_the_token(agent: Walker, name: str, arguments: dict[str, Any]) -> None:
    """W-40, W-49."""
    for token, words in (
        ("no dot at all", "missing signature"),
        (agent.token[:-1] + ("0" if agent.token[-1] != "0" else "1"), "signature verification failed"),
        ("x" + agent.token, "signature verification failed"),
        (forged(wf="first-call"), "fields"),
    ):
        refused = await agent.refused(name, **arguments, session_token=token)
        assert refused["code"] == "token_invalid"
        assert "Invalid session token" in refused["message"]
        assert words in refused["message"]
        assert "start_session" in refused["hints"][0]
    assert Code.TOKEN_INVALID.status.http == 401


async def test_an_argument_that_is_not_known_is_named_with_the_nearest(agent: Walker) -> None:
    """W-4: a misspelt token starts no session."""
    reply = await agent.reply("start_session", workflow_id="first-call", sesion_token=agent.token)
    assert reply.problem is not None
    assert "sesion_token" in reply.text
    assert "'session_token'" in reply.text
    refused = await agent.refused("next_activity", activity_id=7)
    assert (refused["code"], "activity_id" in refused["message"]) == ("bad_input", True)


async def test_null_stands_for_an_argument_left_out(agent: Walker) -> None:
    """W-4."""
    await agent.start(session_token=None, agent_id=None)
    await agent.enter("choose", transition_condition=None, step_manifest=None)
    assert agent.warnings == []


async def test_tools_without_parameters_take_anything(agent: Walker) -> None:
    """W-4."""
    for name in ("discover", "list_workflows", "health_check"):
        await agent.plain(name, random_string="x")


async def test_white_space_and_quotes_around_a_token_do_not_count(agent: Walker) -> None:
    """W-40."""
    agent.token = f' `"{agent.token}"`\n'
    await agent.ask("get_workflow")


async def test_another_principals_token_is_no_token(agent: Walker, tmp_path: Path) -> None:
    """W-49, T-22."""
    stranger = agent.another(Principal(id="bea"))
    refused = await stranger.refused("get_workflow", session_token=agent.token)
    damaged = await stranger.refused("get_workflow", session_token=agent.token[:-2] + "zz")
    assert refused == damaged
    async with walking(tmp_path / "free", bind="none") as shared:
        await shared.start()
        await shared.another(Principal(id="bea")).reply("get_workflow", session_token=shared.token)
        kept = shared.another(Principal(id="bea"))
        kept.token = shared.token
        await kept.ask("get_workflow")
        other_tenant = await shared.another(Principal(id="bea", tenant="north")).refused(
            "get_workflow", session_token=kept.token
        )
        assert other_tenant["code"] == "token_invalid"


async def test_an_expired_session_says_so_to_its_owner_alone(agent: Walker) -> None:
    """W-47."""
    agent.clock.advance(91 * 86_400)
    assert "session expired" in (await agent.refused("get_workflow"))["message"]
    stranger = await agent.another(Principal(id="bea")).refused("get_workflow", session_token=agent.token)
    assert "expired" not in stranger["message"]


async def test_an_unknown_workflow_is_named_with_those_there_are(agent: Walker) -> None:
    """Section 14."""
    for id_ in ("first-cal", "../../etc/passwd", "nothing"):
        reply = await agent.reply("start_session", workflow_id=id_)
        assert reply.problem is not None
        assert reply.problem.code is Code.NOT_FOUND
        assert f"Workflow not found: {id_}" in reply.text
        assert "first-call" in reply.text


async def test_a_token_of_another_workflow_does_not_fit(agent: Walker) -> None:
    refused = await agent.refused("start_session", workflow_id="meta", session_token=agent.token)
    assert refused["code"] == "workflow_mismatch"
    assert "Workflow mismatch" in refused["message"]
    assert "'first-call'" in refused["message"]
    assert "'meta'" in refused["message"]


async def test_unknown_activities_and_checkpoints_are_named_with_those_there_are(agent: Walker) -> None:
    refused = await agent.refused("next_activity", activity_id="chose")
    assert (refused["code"], refused["message"]) == ("not_found", "Activity not found: chose")
    assert "choose, trial, note" in refused["hints"][0]
    refused = await agent.refused("get_checkpoint", activity_id="choose", checkpoint_id="x")
    assert "Checkpoint not found: x" in refused["message"]
    assert "tool-confirmed, write-consent" in refused["hints"][0]


async def test_an_answer_to_what_waits_for_none_is_refused(agent: Walker) -> None:
    refused = await agent.refused("respond_checkpoint", checkpoint_id="tool-confirmed", option_id="reads")
    assert (refused["code"], refused["hints"]) == ("not_pending", ["pending: none"])
    await agent.enter("choose")
    refused = await agent.refused("respond_checkpoint", checkpoint_id="answer-fits", option_id="yes")
    assert "not pending" in refused["message"]
    assert refused["hints"] == ["pending: tool-confirmed, write-consent"]


@pytest.mark.parametrize(
    "modes", [{}, {"option_id": "reads", "condition_not_met": True}, {"auto_advance": True, "condition_not_met": True}]
)
async def test_exactly_one_way_of_answering_is_taken(agent: Walker, modes: dict[str, Any]) -> None:
    await agent.enter("choose")
    refused = await agent.refused("respond_checkpoint", checkpoint_id="tool-confirmed", **modes)
    assert refused["code"] == "bad_input"
    for word in ("Exactly one", "option_id", "auto_advance", "condition_not_met"):
        assert word in refused["message"]


async def test_an_option_that_is_none_is_refused_before_its_time_is(agent: Walker) -> None:
    """W-62: the checks have an order."""
    await agent.enter("choose")
    refused = await agent.refused("respond_checkpoint", checkpoint_id="tool-confirmed", option_id="x")
    assert (refused["code"], "Invalid option" in refused["message"]) == ("bad_input", True)
    assert refused["hints"] == ["Valid options: reads, writes, other"]


async def test_time_is_measured_in_milliseconds(agent: Walker) -> None:
    """W-64, W-103: 2,999 ms is too fast for 3 s."""
    await agent.enter("choose")
    agent.clock.advance(2.999)
    reply = await agent.reply(
        "respond_checkpoint", session_token=agent.token, checkpoint_id="tool-confirmed", option_id="reads"
    )
    assert reply.problem is not None
    assert reply.problem.code is Code.TOO_EARLY
    assert reply.problem.retryable
    assert "too fast" in reply.text
    assert "2999 ms of 3000 ms" in reply.text
    assert "retry after 1 ms" in reply.text
    assert reply.problem.details["retry_after"] == 1
    assert Code.TOO_EARLY.status.http == 425
    agent.clock.advance(0.001)
    await agent.answer("tool-confirmed", "reads")


async def test_what_is_blocking_does_not_advance_by_itself(agent: Walker) -> None:
    await agent.enter("choose")
    refused = await agent.refused("respond_checkpoint", checkpoint_id="tool-confirmed", auto_advance=True)
    assert (refused["code"], "blocking" in refused["message"]) == ("not_allowed", True)
    refused = await agent.refused("respond_checkpoint", checkpoint_id="tool-confirmed", condition_not_met=True)
    assert (refused["code"], "no condition" in refused["message"]) == ("not_allowed", True)


CHECKPOINTS = """
- {id: timeless, name: T, message: M, blocking: false, options: [{id: a, label: A}]}
- {id: lost, name: L, message: M, blocking: false, defaultOption: z, autoAdvanceMs: 5, options: [{id: a, label: A}]}
- {id: free, name: F, message: M, required: false, options: [{id: a, label: A}]}
- {id: timed, name: D, message: M, blocking: false, defaultOption: a, autoAdvanceMs: 1500, options: [{id: a, label: A}]}
"""


@pytest.fixture
async def timed(tmp_path: Path) -> AsyncIterator[Walker]:
    directory = tmp_path / "defs"
    directory.mkdir()
    listed = CHECKPOINTS.replace("\n", "\n  ")
    (directory / "timed.yaml").write_text(
        "id: timed\nversion: 1.0.0\ntitle: Timed\nexecutionModel: {roles: [{id: a, description: A}]}\n"
        f"activities:\n- id: one\n  version: 1.0.0\n  name: One\n  checkpoints:{listed}\n"
    )
    async with walking(tmp_path / "timed", dir=(str(directory),)) as walker:
        await walker.start("timed")
        await walker.enter("one")
        yield walker


async def test_advancing_needs_a_default_a_timer_and_the_option_itself(timed: Walker) -> None:
    """W-62."""
    refused = await timed.refused("respond_checkpoint", checkpoint_id="timeless", auto_advance=True)
    assert (refused["code"], "missing defaultOption or autoAdvanceMs" in refused["message"]) == ("not_allowed", True)
    refused = await timed.refused("respond_checkpoint", checkpoint_id="lost", auto_advance=True)
    assert (refused["code"], "Default option" in refused["message"]) == ("not_allowed", True)
    refused = await timed.refused("respond_checkpoint", checkpoint_id="free", auto_advance=True)
    assert "option_id only" in refused["message"]


async def test_a_timer_runs_for_all_of_its_milliseconds(timed: Walker) -> None:
    """W-64, W-56."""
    shown = await timed.ask("get_checkpoint", activity_id="one", checkpoint_id="timed")
    assert shown["auto_advance_in_ms"] == 1500
    timed.clock.advance(1.499)
    refused = await timed.refused("respond_checkpoint", checkpoint_id="timed", auto_advance=True)
    assert (refused["code"], "1499 ms of 1500 ms" in refused["message"]) == ("too_early", True)
    timed.clock.advance(0.001)
    body = await timed.ask("respond_checkpoint", checkpoint_id="timed", auto_advance=True)
    assert body["resolved_option"] == "a"


async def test_an_optional_checkpoint_can_be_answered(timed: Walker) -> None:
    """W-62, W-109."""
    assert (await timed.ask("get_checkpoint", activity_id="one", checkpoint_id="free"))["status"] == "optional"
    body = await timed.answer("free", "a")
    assert body["optional"] is True
    assert body["remaining_checkpoints"] == ["timeless", "lost", "timed"]


async def test_what_get_skill_cannot_give_is_said_plainly(agent: Walker) -> None:
    refused = await agent.refused("get_skill", step_id="search")
    assert "No current activity" in refused["message"]
    await agent.enter("note")
    refused = await agent.refused("get_skill", step_id="x")
    assert "not found in activity" in refused["message"]
    assert refused["hints"] == ["Available steps: write"]
    refused = await agent.refused("get_skill", step_id="write")
    assert "has no associated skill" in refused["message"]


@pytest.mark.parametrize(
    "index", ["99", "../../../etc/passwd", "first-call/../meta/00", "meta/99", "/etc/passwd", "1" * 90, ""]
)
async def test_no_index_reads_outside_of_definitions(agent: Walker, index: str) -> None:
    """W-27, W-101."""
    refused = await agent.refused("get_resource", resource_index=index)
    assert refused["code"] == ("not_found" if index else "bad_input")
    if index:
        assert f"Resource not found: {index} in workflow first-call" in refused["message"]


@pytest.mark.parametrize(
    ("name", "arguments", "size"),
    [
        ("next_activity", {"activity_id": "choose", "transition_condition": "x" * 1025}, "1025 bytes; 1024"),
        ("next_activity", {"activity_id": "choose", "step_manifest": [{"step_id": "a", "output": "b"}] * 501}, "501"),
        (
            "next_activity",
            {"activity_id": "choose", "step_manifest": [{"step_id": "a", "output": "b" * 70_000}]},
            "bytes",
        ),
        ("start_session", {"workflow_id": "first-call", "agent_id": "x" * 129}, "129 characters; 128"),
        ("get_trace", {"trace_tokens": ["x"] * 201}, "201 tokens; 200"),
        ("get_trace", {"trace_tokens": ["x" * 3_000_000]}, "3000000"),
        ("get_workflow", {"session_token": "x" * 20_000}, "20000"),
    ],
)
async def test_what_is_too_large_is_told_its_bound(agent: Walker, name: str, arguments: Any, size: str) -> None:
    """W-44."""
    refused = await agent.refused(name, **arguments)
    assert refused["code"] == "too_large"
    assert size in refused["message"]
    assert Code.TOO_LARGE.status.http == 413


async def test_an_unknown_tool_is_answered_with_the_nearest(agent: Walker) -> None:
    """W-7."""
    reply = await agent.reply("next_activty", activity_id="choose")
    assert reply.problem is not None
    assert "next_activity" in reply.text


async def test_a_refusal_leaves_the_token_as_it_is(agent: Walker) -> None:
    """W-10."""
    token = agent.token
    refused = await agent.refused("next_activity", activity_id="x")
    assert refused["code"] == "not_found"
    await agent.enter("choose")
    reply = await agent.reply("next_activity", session_token=agent.token, activity_id="trial")
    lines = reply.text.splitlines()
    assert lines[0].startswith("Cannot enter 'trial'")
    assert lines[-1] == (
        'next: respond_checkpoint {"checkpoint_id":"tool-confirmed","option_id":"<the person\'s choice>"}'
    )
    assert token not in reply.text


async def test_a_store_that_is_away_is_worth_another_try(agent: Walker, monkeypatch: pytest.MonkeyPatch) -> None:
    """Section 14."""

    async def away(*_: Any) -> None:
        raise Problem(Code.STORE_ERROR, "the disk is full")

    monkeypatch.setattr(agent.gateway._parts.sessions, "advance", away)
    refused = await agent.refused("next_activity", activity_id="choose")
    assert (refused["code"], refused["retryable"]) == ("unavailable", True)
    assert "the disk is full" in refused["message"]
    assert refused["hints"] == ["repeat the same call"]
    assert Code.UNAVAILABLE.status.http == 503
    monkeypatch.setattr(agent.gateway._parts.sessions, "tip", away)
    assert (await agent.plain("health_check"))["status"] == "degraded"  # W-50
