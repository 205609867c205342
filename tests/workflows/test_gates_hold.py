"""Every way in which a gate could be opened without an answer, each tried (W-100), and what may be done while it is shut."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from walking import Walker, walking

PENDING = ["tool-confirmed", "write-consent"]


@pytest.fixture
async def agent(tmp_path: Path) -> AsyncIterator[Walker]:
    async with walking(tmp_path) as walker:
        await walker.start()
        await walker.enter("choose")
        yield walker


async def still_shut(agent: Walker, token: str = "") -> bool:
    """Whether the gate of `choose` is as shut as it was."""
    refused = await agent.refused("next_activity", activity_id="trial", **({"session_token": token} if token else {}))
    return str(refused["code"]) == "gate_closed" and "2 unresolved checkpoints" in refused["message"]


@pytest.mark.parametrize("flags", [{"auto_advance": False}, {"condition_not_met": False}, {"option_id": ""}, {}])
async def test_a_flag_that_is_false_resolves_nothing(agent: Walker, flags: dict[str, Any]) -> None:
    """W-63, W-100."""
    refused = await agent.refused("respond_checkpoint", checkpoint_id="write-consent", **flags)
    assert refused["code"] == "bad_input"
    assert await still_shut(agent)


async def test_reading_a_checkpoint_of_another_activity_moves_nobody(agent: Walker) -> None:
    """W-41, W-100."""
    shown = await agent.ask("get_checkpoint", activity_id="trial", checkpoint_id="answer-fits")
    assert shown["status"] == "not_issued"
    assert await still_shut(agent)
    assert (await agent.ask("get_workflow"))["position"]["activity"] == "choose"


async def test_entering_the_present_activity_again_keeps_its_questions(agent: Walker) -> None:
    """W-53, W-100."""
    for arguments in ({}, {"step_manifest": [{"step_id": "search", "output": "x"}]}):
        body = await agent.enter("choose", **arguments)
        assert body["next"]["pending"] == PENDING
    assert await still_shut(agent)


async def test_an_older_token_of_the_visit_opens_nothing(agent: Walker) -> None:
    """W-46, W-100."""
    older = agent.token
    await agent.ask("get_workflow")
    assert await still_shut(agent, older)


async def test_a_token_from_before_the_gate_opens_nothing(tmp_path: Path) -> None:
    """W-46, W-60: pending is read from the record, never from the token."""
    async with walking(tmp_path) as agent:
        await agent.start()
        before = agent.token
        await agent.enter("choose")
        refused = await agent.refused("next_activity", activity_id="trial", session_token=before)
        assert refused["code"] == "token_stale"
        assert "choose" in refused["message"]
        assert refused["next_action"]["op"] == "start_session"
        assert await still_shut(agent)


async def test_a_worker_that_joins_is_held_by_the_same_gate(agent: Walker) -> None:
    """W-48, W-51."""
    worker = agent.another()
    await worker.start(session_token=agent.token, agent_id="worker-1")
    assert await still_shut(worker)
    await worker.answer("tool-confirmed", "reads")
    refused = await agent.refused("next_activity", activity_id="trial")
    assert "1 unresolved checkpoint on" in refused["message"]


async def test_an_answer_sent_twice_answers_once(agent: Walker) -> None:
    """W-65, W-103: replays change nothing."""
    token = agent.token
    first = await agent.answer("tool-confirmed", "reads")
    again = await agent.reply(
        "respond_checkpoint", session_token=token, checkpoint_id="tool-confirmed", option_id="reads"
    )
    assert again.structured is not None
    assert again.structured["replayed"] is True
    assert again.structured["remaining_checkpoints"] == first["remaining_checkpoints"] == ["write-consent"]
    other = await agent.refused("respond_checkpoint", checkpoint_id="tool-confirmed", option_id="writes")
    assert other["code"] == "not_pending"
    assert "'reads'" in other["hints"][0]


async def test_a_token_of_another_server_is_worth_nothing(agent: Walker, tmp_path: Path) -> None:
    """W-42, W-100."""
    async with walking(tmp_path / "other") as foreign:
        foreign.clock.token(7)  # its keys differ from ours
        await foreign.start()
        await foreign.enter("note")
    (tmp_path / "other" / "keys.json").unlink()
    tampered = foreign.token[:-8] + "00000000"
    refused = await agent.refused("next_activity", activity_id="trial", session_token=tampered)
    assert refused["code"] == "token_invalid"
    assert await still_shut(agent)


async def test_a_fork_of_the_record_does_not_reset_the_gate(agent: Walker) -> None:
    """W-48: both go on from what is stored."""
    fork = agent.another()
    fork.token = agent.token
    await agent.answer("tool-confirmed", "other")
    await agent.answer("write-consent")
    assert (await agent.enter("choose"))["next"]["pending"] == PENDING  # a new visit, asked for by the answer
    refused = await fork.refused("next_activity", activity_id="trial")
    assert refused["code"] == "token_stale"
    assert await still_shut(agent)


async def test_the_end_is_behind_the_gate_too(agent: Walker) -> None:
    """W-75."""
    refused = await agent.refused("next_activity", activity_id="__terminal__")
    assert refused["code"] == "gate_closed"


async def test_reading_goes_on_while_the_gate_is_shut(agent: Walker) -> None:
    """W-60, W-121."""
    await agent.ask("get_skills")
    await agent.ask("get_skill", step_id="search")
    await agent.ask("get_resource", resource_index="01")
    await agent.ask("get_workflow", summary=False)


async def test_a_gate_for_all_shuts_every_tool_but_those_that_open_it(tmp_path: Path) -> None:
    """W-60."""
    async with walking(tmp_path, gate="all") as agent:
        await agent.start()
        await agent.enter("choose")
        for name, arguments in (
            ("get_skill", {"step_id": "search"}),
            ("get_skills", {}),
            ("get_workflow", {}),
            ("get_resource", {"resource_index": "01"}),
            ("next_activity", {"activity_id": "trial"}),
        ):
            refused = await agent.refused(name, **arguments)
            assert refused["code"] == "gate_closed"
            assert "unresolved checkpoint" in refused["message"]
            assert "respond_checkpoint" in refused["message"]
        await agent.ask("get_trace")
        await agent.ask("get_checkpoint", activity_id="choose", checkpoint_id="tool-confirmed")
        await agent.enter("choose")
        await agent.start(session_token=agent.token)
        await agent.answer("tool-confirmed", "reads")
        await agent.answer("write-consent")
        await agent.ask("get_skill", step_id="search")


async def test_a_lost_answer_is_given_again(agent: Walker) -> None:
    """W-54, W-103."""
    await agent.answer("tool-confirmed", "reads")
    await agent.answer("write-consent")
    left = agent.token
    first = await agent.enter("trial", transition_condition="default")
    trace = agent.meta["trace_token"]
    agent.token = left
    again = await agent.enter("trial", transition_condition="default")
    assert again["replayed"] is True
    assert again["steps"] == first["steps"]
    assert agent.meta["trace_token"] == trace
    agent.token = left
    other = await agent.refused("next_activity", activity_id="trial", transition_condition="something else")
    assert other["code"] == "token_stale"


async def test_each_visit_asks_anew(agent: Walker) -> None:
    """W-53."""
    await agent.answer("tool-confirmed", "other")
    body = await agent.answer("write-consent")
    assert body["next"]["requested"] == body["next"]["suggested"] == "choose"
    entered = await agent.enter("choose")
    assert entered["next"]["pending"] == PENDING


async def test_a_checkpoint_that_an_edit_removed_strands_nobody(tmp_path: Path) -> None:
    """W-67, W-26, W-103."""
    source = definition(
        tmp_path / "defs", checkpoints="[{id: gone, name: G, message: M, options: [{id: a, label: A}]}]"
    )
    async with walking(tmp_path / "data", dir=(str(source),)) as agent:
        await agent.start("small")
        await agent.enter("one")
        definition(tmp_path / "defs", checkpoints="[]")
        body = await agent.answer("gone", "a")
        assert body["remaining_checkpoints"] == []
        assert any("no longer exists" in warning for warning in agent.warnings)
        assert any("definition changed" in warning for warning in agent.warnings)
        await agent.enter("two")


def definition(directory: Path, *, checkpoints: str) -> Path:
    (directory / "small").mkdir(parents=True, exist_ok=True)
    (directory / "small" / "workflow.yaml").write_text(
        "id: small\nversion: 1.0.0\ntitle: Small\ninitialActivity: one\n"
        "executionModel: {roles: [{id: agent, description: All of it}]}\n"
        "activities:\n"
        f"- {{id: one, version: 1.0.0, name: One, checkpoints: {checkpoints}, transitions: [{{to: two}}]}}\n"
        "- {id: two, version: 1.0.0, name: Two}\n"
    )
    return directory
