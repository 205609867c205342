"""Warnings in their order and words; modes, variables and advice that never block."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from walking import Walker, walking

DEFINITION = """
id: tour
version: 1.0.0
title: Tour
variables: [{name: kind, type: string, defaultValue: plain}, {name: agent_says, type: boolean, defaultValue: true}]
modes:
- {id: quick, name: Quick, activationVariable: hurry, skipActivities: [scenic], defaults: {kind: quick}}
executionModel: {roles: [{id: a, description: A}]}
initialActivity: start
activities:
- id: start
  version: 1.0.0
  name: Start
  steps:
  - {id: one, name: One}
  - {id: two, name: Two, required: false}
  - {id: three, name: Three, condition: {type: simple, variable: hurry, operator: "==", value: true}}
  - {id: four, name: Four, actions: [{action: set, target: agent_says}]}
  loops: [{id: l, name: L, type: while, steps: [{id: again, name: Again}]}]
  artifacts: [{id: plan, name: "plan-{kind}.md"}]
  checkpoints:
  - {id: pace, name: Pace, message: "A {kind} tour, {who}?", options: [
      {id: fast, label: F, effect: {setVariable: {hurry: true, note: "{kind}!", echo: "{hurry}", lost: "{nobody}"}}},
      {id: slow, label: S, effect: {setVariable: {hurry: false}, skipActivities: [finish]}},
      {id: back, label: B, effect: {transitionTo: finish}}]}
  - {id: mine, name: Mine, message: M, condition: {type: simple, variable: agent_says, operator: "==", value: true},
     options: [{id: a, label: A, effect: {setVariable: {agent_says: true}}}]}
  transitions:
  - {to: scenic, condition: {type: simple, variable: hurry, operator: "==", value: false}}
  - {to: finish, condition: {type: simple, variable: hurry, operator: "==", value: true}}
  - {to: finish, condition: {type: simple, variable: kind, operator: "==", value: none}}
  - {to: rest, isDefault: true}
- id: scenic
  version: 1.0.0
  name: Scenic
  checkpoints: [{id: usual, name: U, message: M, options: [{id: a, label: A}]}]
  transitions: [{to: finish}]
  modeOverrides:
    quick:
      skipCheckpoints: [usual]
      checkpoints: [{id: hurried, name: H, message: M, options: [{id: a, label: A}]}]
      steps: [{id: extra, name: Extra}]
      transitionOverride: rest
- {id: rest, version: 1.0.0, name: Rest, transitions: [{to: rest}, {to: finish}], steps: [{id: nap, name: Nap}]}
- {id: finish, version: 1.0.0, name: Finish}
"""


@pytest.fixture
async def agent(tmp_path: Path) -> AsyncIterator[Walker]:
    (tmp_path / "defs").mkdir()
    (tmp_path / "defs" / "tour.yaml").write_text(DEFINITION)
    async with walking(tmp_path / "data", dir=(str(tmp_path / "defs"),)) as walker:
        await walker.start("tour")
        yield walker


async def at_start(agent: Walker, pace: str) -> dict[str, Any]:
    await agent.enter("start")
    await agent.answer("pace", pace)
    return await agent.answer("mine", "a")


def reported(*ids: str) -> list[dict[str, str]]:
    return [{"step_id": id_, "output": "x"} for id_ in ids]


async def test_the_first_activity_should_be_the_initial_one(agent: Walker) -> None:
    """W-80, group 1."""
    await agent.enter("rest")
    assert agent.warnings == ["First activity must be 'start' (initialActivity), not 'rest'"]


async def test_a_way_that_is_none_is_noticed(agent: Walker) -> None:
    """W-80, group 1."""
    await agent.enter("rest")
    await agent.enter("scenic", step_manifest=reported("nap"))
    (warning,) = agent.warnings
    assert "not a direct transition" in warning
    assert "Valid transitions: rest, finish" in warning


@pytest.mark.parametrize(
    ("target", "claimed", "words"),
    [
        ("finish", "", "requires condition"),
        ("finish", "default", "requires condition"),
        ("rest", "hurry == true", "is the default"),
        ("rest", "default", ""),
        ("finish", "hurry = true", ""),
        ("finish", 'kind=="none"', ""),
        ("finish", "checkpoint:pace:back", "Condition mismatch"),
        ("finish", "hurry == false", "Condition mismatch"),
        ("scenic", "hurry == true", "Condition mismatch"),
    ],
)
async def test_what_a_client_claims_is_held_against_every_way(
    agent: Walker, target: str, claimed: str, words: str
) -> None:
    """W-80, group 3; W-105: two conditional ways to one target are both good."""
    await at_start(agent, "fast")
    await agent.enter(target, transition_condition=claimed, step_manifest=reported("one", "three", "four"))
    about = [one for one in agent.warnings if "is skipped" not in one]
    assert [words in one for one in about] == ([True] if words else [])


async def test_reports_of_steps_are_held_against_those_that_apply(agent: Walker) -> None:
    """W-80, group 4, in its order; optional steps may be left out (W-105)."""
    await at_start(agent, "slow")
    await agent.enter("rest")
    assert agent.warnings[0].startswith("No step_manifest")
    await agent.start("tour")
    await at_start(agent, "fast")
    manifest = [*reported("four", "one", "one", "ghost", "again", "again"), {"step_id": "two", "output": " "}]
    await agent.enter("rest", step_manifest=manifest)
    assert agent.warnings == [
        "Missing steps in the manifest of 'start': three",
        "Unexpected steps in the manifest of 'start': ghost",
        "Step order mismatch in the manifest of 'start': four, one, two",
        "step 'one' is reported twice",
        "step 'two' has empty output",
    ]
    await agent.start("tour")
    await at_start(agent, "slow")
    await agent.enter("scenic", step_manifest=reported("one", "four"))
    assert agent.warnings == []


async def test_reports_of_activities_are_advice(agent: Walker) -> None:
    """W-80, group 5."""
    await agent.enter("start", activity_manifest=[])
    assert agent.warnings == ["Empty activity_manifest"]
    await agent.enter(
        "start",
        activity_manifest=[
            {"activity_id": "none", "outcome": "x"},
            {"activity_id": "start", "outcome": "", "transition_condition": "hurry == 7"},
            {"activity_id": "start", "outcome": "x", "transition_condition": "default"},
        ],
    )
    assert [
        words in warning
        for words, warning in zip(
            ("unknown activity", "has empty outcome", "not found in workflow transitions"), agent.warnings, strict=True
        )
    ] == [True] * 3


async def test_groups_of_warnings_come_in_their_order(agent: Walker) -> None:
    """W-80, W-81."""
    await agent.enter("start")
    await agent.answer("pace", "slow")
    await agent.answer("mine")
    assert any("not verified" in one for one in agent.warnings)
    await agent.enter("finish", transition_condition="x == 1", step_manifest=[], activity_manifest=[])
    words = ("Condition mismatch", "Missing steps", "Empty activity_manifest", "is skipped")
    assert [word in one for word, one in zip(words, agent.warnings, strict=True)] == [True] * 4
    quiet = [one for one in agent.warnings if not one.startswith("Condition")]
    assert not any("condition" in one.lower() for one in quiet)


async def test_an_answered_way_that_is_not_taken_is_noticed(agent: Walker) -> None:
    """W-80, group 6."""
    body = await at_start(agent, "back")
    assert (body["next"]["requested"], body["next"]["suggested"]) == ("finish", "finish")
    route = next(one for one in body["next"]["transitions"] if one.get("condition_text") == "checkpoint:pace:back")
    assert (route["holds"], route["basis"]) == (True, "known")
    await agent.enter("rest", step_manifest=reported("one", "four"))
    assert any("asks for activity 'finish'" in one for one in agent.warnings)


async def test_a_mode_changes_what_is_asked_and_where_it_leads(agent: Walker) -> None:
    """W-71, W-72, W-53, W-104."""
    body = await at_start(agent, "fast")
    assert (body["next"]["modes"], body["next"]["skipped"]) == (["quick"], ["scenic"])
    assert body["next"]["suggested"] == "finish"
    entered = await agent.enter("scenic", step_manifest=reported("one", "three", "four"))
    assert any("is skipped" in one for one in agent.warnings)
    assert entered["next"]["pending"] == ["hurried"]
    assert entered["next"]["suggested"] == "rest"
    assert entered["modeOverrides"]["quick"]["transitionOverride"] == "rest"  # as authored
    await agent.answer("hurried", "a")
    await agent.enter("rest", step_manifest=reported("extra"))
    assert agent.warnings == []


async def test_variables_are_known_by_where_they_come_from(agent: Walker) -> None:
    """W-70, W-104: effects are known, defaults are assumed, what agents set is theirs."""
    entered = await agent.enter("start")
    assert entered["checkpoints"][0]["message_text"] == "A plain tour, {who}?"
    assert entered["artifacts"][0]["name_text"] == "plan-plain.md"
    assert entered["next"]["transitions"][0]["holds"] is None
    await agent.answer("pace", "fast")
    await agent.answer("mine", "a")
    ended = await agent.enter("finish", step_manifest=reported("one", "three", "four"))
    assert ended["next"]["terminal"] is True
    done = await agent.enter("__terminal__")
    assert done["variables"] == {
        "hurry": True,
        "note": "plain!",
        "echo": "{hurry}",
        "lost": "{nobody}",
        "agent_says": True,
    }


async def test_what_belongs_to_the_agent_can_always_be_dismissed(agent: Walker) -> None:
    """W-66, W-70, W-104: a value that an action tells the agent to set is never certain."""
    await agent.enter("start")
    await agent.answer("mine")
    assert any("not verified" in one and "agent_says = true (default)" in one for one in agent.warnings)


@pytest.mark.parametrize(("verify", "outcome"), [("refuse", "not_allowed"), ("warn", "warned"), ("off", "accepted")])
async def test_how_strictly_dismissals_are_judged_is_a_setting(tmp_path: Path, verify: str, outcome: str) -> None:
    """W-66."""
    async with walking(tmp_path, verify_conditions=verify) as agent:
        await agent.start()
        await agent.enter("choose")
        await agent.answer("tool-confirmed", "writes")
        if outcome == "not_allowed":
            refused = await agent.refused("respond_checkpoint", checkpoint_id="write-consent", condition_not_met=True)
            assert refused["code"] == outcome
            return
        await agent.answer("write-consent")
        assert bool(agent.warnings) == (outcome == "warned")


async def test_an_activity_that_lists_itself_is_entered_anew_with_a_report(agent: Walker) -> None:
    """W-53."""
    await agent.enter("rest")
    first = (await agent.gateway.workflows.sessions(agent.principal, 1))[0]["sid"]
    await agent.enter("rest")
    await agent.enter("rest", step_manifest=reported("nap"))
    seen = await agent.gateway.workflows.session(agent.principal, first)
    assert [(one["activity"], one["steps"]) for one in seen["visits"]] == [("rest", ["nap"]), ("rest", [])]
