"""Sessions: one record behind every token, wherever it is served and whoever holds it."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import anyio
import msgspec
import pytest
from walking import Walker, walking

from periplus.app.keyring import rotate
from periplus.core.workflows.tokens import trace_token
from periplus.model import Principal
from periplus.testing.clock import SettableClock


async def through(agent: Walker, option: str = "reads") -> None:
    """From a fresh session to the second activity of the example."""
    await agent.enter("choose")
    await agent.answer("tool-confirmed", option)
    await agent.answer("write-consent", "" if option == "reads" else "agree")
    await agent.enter("trial", transition_condition="default")


async def test_numbers_of_tokens_grow_and_are_never_used_twice(tmp_path: Path) -> None:
    """W-41."""
    async with walking(tmp_path) as agent:
        await agent.start()
        seen = [fields(agent.token)["seq"]]
        for _ in range(3):
            await agent.ask("get_workflow")
            seen.append(fields(agent.token)["seq"])
        await agent.refused("next_activity", activity_id="x")
        await agent.enter("choose")
        seen.append(fields(agent.token)["seq"])
        assert seen == [0, 1, 2, 3, 4]


async def test_who_loses_a_race_is_judged_again(tmp_path: Path) -> None:
    """W-48: of many changes at once each counts once."""
    async with walking(tmp_path) as agent:
        await agent.start()
        await agent.enter("choose")
        token = agent.token
        outcomes: list[Any] = []

        async def answer(option: str) -> None:
            reply = await agent.reply(
                "respond_checkpoint", session_token=token, checkpoint_id="tool-confirmed", option_id=option
            )
            outcomes.append(reply.problem.code.value if reply.problem else reply.body.get("replayed", "first"))

        async with anyio.create_task_group() as tasks:
            for number in range(8):
                tasks.start_soon(answer, "reads" if number % 2 else "writes")
        assert outcomes.count("first") == 1
        assert outcomes.count("not_pending") == 4
        assert outcomes.count(True) == 3
        events = (await agent.ask("get_trace"))["events"]
        assert len(events) == 2 + 8
        assert len({event["spanId"] for event in events}) == len(events)


async def test_two_hundred_sessions_at_once_do_not_disturb_each_other(tmp_path: Path) -> None:
    async with walking(tmp_path) as agent:

        async def walk(number: int) -> None:
            own = agent.another(Principal(id=f"p{number % 7}"))
            await own.start()
            await own.enter("choose")
            await own.answer("tool-confirmed", "reads")
            refused = await own.refused("next_activity", activity_id="trial")
            assert refused["code"] == "gate_closed"

        async with anyio.create_task_group() as tasks:
            for number in range(200):
                tasks.start_soon(walk, number)


async def test_an_old_token_reads_where_it_stood(tmp_path: Path) -> None:
    """W-46."""
    async with walking(tmp_path) as agent:
        await agent.start()
        await agent.enter("choose")
        old = agent.token
        await agent.answer("tool-confirmed", "reads")
        await agent.answer("write-consent")
        await agent.enter("note")
        now, agent.token = agent.token, old
        body = await agent.ask("get_skill", step_id="search")
        assert body["skill"]["id"] == "weigh-candidates"
        assert any("stale token" in warning for warning in agent.warnings)
        assert (await agent.refused("respond_checkpoint", checkpoint_id="x", option_id="y"))["code"] == "token_stale"
        again = await agent.start(session_token=agent.token)
        assert again["resumed_from"]["act"] == "choose"
        assert (await agent.ask("get_workflow"))["position"]["activity"] == "note"
        assert agent.warnings == []
        agent.token = now
        await agent.ask("get_workflow")


async def test_a_lost_record_is_made_again_from_its_token(tmp_path: Path) -> None:
    """W-47."""
    clock = SettableClock()
    async with walking(tmp_path, clock=clock, min_response_seconds=3) as agent:
        await agent.start()
        await agent.enter("choose")
        token = agent.token
        forget(tmp_path, "DELETE FROM session")
        body = await agent.ask("get_workflow")
        assert body["position"] == {
            "activity": "choose",
            "pending": ["tool-confirmed", "write-consent"],
            "completed": False,
        }
        assert any("session restored" in warning for warning in agent.warnings)
        early = await agent.refused("respond_checkpoint", checkpoint_id="tool-confirmed", option_id="reads")
        assert early["code"] == "too_early"
        forget(tmp_path, "DELETE FROM session")
    async with walking(tmp_path, clock=clock, restore=False) as strict:
        refused = await strict.refused("get_workflow", session_token=token)
        assert "session expired" in refused["message"]
    clock.advance(91 * 86_400)
    async with walking(tmp_path, clock=clock) as late:
        assert "session expired" in (await late.refused("get_workflow", session_token=token))["message"]


async def test_a_record_that_is_behind_its_token_catches_up(tmp_path: Path) -> None:
    """W-47: a store that was restored from a backup."""
    async with walking(tmp_path) as agent:
        await agent.start()
        await agent.enter("choose")
        backup = dump(tmp_path)
        await agent.answer("tool-confirmed", "reads")
        await agent.answer("write-consent")
        await agent.enter("trial")
        forget(tmp_path, "UPDATE session SET slots = ?", backup)
        body = await agent.ask("get_workflow")
        assert body["position"]["activity"] == "trial"
        assert any("session restored" in warning for warning in agent.warnings)
        await agent.answer("answer-fits", "yes")


async def test_handles_are_short_and_stand_for_the_same(tmp_path: Path) -> None:
    """W-43: both forms are always accepted."""
    async with walking(tmp_path, token_form="short") as agent:
        await agent.start(agent_id="lead")
        assert agent.token.startswith("pw1.")
        assert len(agent.token) < 60
        worker = agent.another()
        await agent.enter("choose")
        old = agent.token
        await worker.start(session_token=agent.token, agent_id="worker-1")
        await worker.ask("get_workflow")
        await agent.answer("tool-confirmed", "reads")
        await worker.answer("write-consent")
        await agent.start(session_token=agent.token)
        await agent.enter("trial")
        assert (await worker.refused("next_activity", activity_id="note"))["code"] == "token_stale"
        agent.token = old
        body = await agent.ask("get_skill", step_id="search")
        assert body["skill"]["id"] == "weigh-candidates"
        events = (await agent.ask("get_trace"))["events"]
        told = [(event["name"], event["aid"]) for event in events if event["name"] == "respond_checkpoint"]
        assert told == [("respond_checkpoint", "lead"), ("respond_checkpoint", "worker-1")]
        short = agent.token
    async with walking(tmp_path) as full:
        full.token = short
        await full.ask("get_workflow")
        assert full.token.startswith("eyJ")


async def test_tokens_outlive_a_new_key_but_not_the_loss_of_theirs(tmp_path: Path) -> None:
    """W-42."""
    clock = SettableClock()
    async with walking(tmp_path, clock=clock) as agent:
        await agent.start()
        token = agent.token
    rotate(tmp_path, clock)
    async with walking(tmp_path, clock=clock) as agent:
        agent.token = token
        await agent.ask("get_workflow")
        assert fields(agent.token)["kid"] != fields(token)["kid"]
    for _ in range(3):
        rotate(tmp_path, clock)
    async with walking(tmp_path, clock=clock) as agent:
        assert (await agent.refused("get_workflow", session_token=token))["code"] == "token_invalid"


async def test_a_fresh_starter_hears_of_its_running_session(tmp_path: Path) -> None:
    """W-51, W-110."""
    async with walking(tmp_path) as agent:
        assert "notice" not in await agent.start()
        await agent.enter("choose")
        second = agent.another()
        notice = (await second.start())["notice"]
        assert "'choose'" in notice or "choose" in notice
        assert "session_token" in notice
        assert "notice" not in await agent.another(Principal(id="bea")).start()


async def test_agents_are_kept_changed_and_cleared(tmp_path: Path) -> None:
    """W-51."""
    async with walking(tmp_path) as agent:
        await agent.start(agent_id="lead")
        await agent.start(session_token=agent.token, agent_id="worker-1")
        assert fields(agent.token)["aid"] == "worker-1"
        await agent.start(session_token=agent.token)
        assert fields(agent.token)["aid"] == "worker-1"
        await agent.start(session_token=agent.token, agent_id="")
        assert fields(agent.token)["aid"] == ""


async def test_the_end_can_be_left_again(tmp_path: Path) -> None:
    """W-75."""
    async with walking(tmp_path) as agent:
        await agent.start()
        await agent.enter("note")
        ended = await agent.enter("workflow-end", step_manifest=[{"step_id": "write", "output": "note.md"}])
        assert ended["completed"] is True
        assert agent.meta["trace_token"]
        assert (await agent.ask("get_workflow"))["position"]["completed"] is True
        await agent.enter("note")
        assert any("was complete" in warning for warning in agent.warnings)
        assert (await agent.ask("get_workflow"))["position"]["completed"] is False


# --- the trace -------------------------------------------------------------------------------------------------


async def test_trace_tokens_together_are_the_trace(tmp_path: Path) -> None:
    """W-84, W-85, W-86."""
    clock = SettableClock()
    traces: list[str] = []
    async with walking(tmp_path, clock=clock) as agent:
        await agent.start()
        for name in ("choose", "trial", "note"):
            clock.advance(0.1)
            if name == "trial":
                await agent.answer("tool-confirmed", "reads")
                await agent.answer("write-consent")
            if name == "note":
                await agent.answer("answer-fits", "yes")
            await agent.refused("get_skill", step_id="none")
            await agent.enter(name)
            traces.append(agent.meta["trace_token"])
        whole = await agent.ask("get_trace")
        signer = agent.gateway.workflows._room.traces
        opened = [trace_token(signer, text) for text in traces]
        assert [(one.act, one.from_, one.to, one.prev) for one in opened] == [
            ("choose", 0, 3, ""),
            ("trial", 3, 7, "choose"),
            ("note", 7, 10, "trial"),
        ]
    async with walking(tmp_path, clock=clock) as later:
        proved = await later._kept(
            await later.reply("get_trace", session_token=agent.token, trace_tokens=[*traces[::-1], traces[0]])
        )
        assert proved["source"] == "tokens"
        assert proved["events"] == whole["events"][: len(proved["events"])]
        assert proved["event_count"] == 10
        bad = await later._kept(
            await later.reply("get_trace", session_token=later.token, trace_tokens=["x.y", traces[0][:-1] + "!"])
        )
        assert [text.partition(" #")[0] for text in bad["token_errors"]] == ["Invalid trace token"] * 2
        await later.start()
        foreign = await later.ask("get_trace", trace_tokens=[traces[0]])
        assert "another session" in foreign["token_errors"][0]
        assert foreign["events"] == []


async def test_the_trace_and_the_logs_hold_no_token(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """W-83, W-108."""
    async with walking(tmp_path) as agent:
        await agent.start()
        first = agent.token
        await agent.enter("choose")
        await agent.refused("get_workflow", session_token=first[:-1] + "x")
        await agent.refused("get_workflow", sesion_token=first)
        trace = await agent.ask("get_trace")
        rows = await agent.gateway.trail.latest(limit=50)
        said = msgspec.json.encode([trace["events"], [row.event for row in rows]]).decode() + caplog.text
        assert first not in said
        assert first.partition(".")[0] not in said
        assert "session_token" not in said


async def test_the_trace_says_how_each_question_was_resolved(tmp_path: Path) -> None:
    """W-82, W-102."""
    async with walking(tmp_path) as agent:
        await agent.start()
        await through(agent)
        events = {(one["name"], one["seq"]): one.get("d") for one in (await agent.ask("get_trace"))["events"]}
        assert list(events.values()) == [
            None,
            {"to": "choose"},
            {"mode": "option_id", "option": "reads", "effect": {"setVariable": {"tool_writes": False}}},
            {"mode": "condition_not_met"},
            {"to": "trial", "cond": "default"},
        ]
        verified = await agent.gateway.trail.verify()
        assert verified.faults == ()


async def test_the_trail_of_a_session_is_kept_with_auditing_off(tmp_path: Path) -> None:
    """W-45: the event is part of the change."""
    async with walking(tmp_path) as agent:
        msgspec.structs.force_setattr(agent.gateway._audit._rules, "enabled", False)
        await agent.start()
        await agent.enter("choose")
        assert (await agent.ask("get_trace"))["event_count"] == 2


def fields(token: str) -> dict[str, Any]:
    from periplus.core.workflows.tokens import _content  # noqa: PLC0415 - a test looks inside

    made: dict[str, Any] = msgspec.json.decode(_content(token.rpartition(".")[0]))
    return made


def forget(data: Path, sql: str, *values: Any) -> None:
    connection = sqlite3.connect(data / "ledger.db")
    with connection:
        connection.execute(sql, values)
    connection.close()


def dump(data: Path) -> Any:
    connection = sqlite3.connect(data / "ledger.db")
    slots = connection.execute("SELECT slots FROM session").fetchone()[0]
    connection.close()
    return slots
