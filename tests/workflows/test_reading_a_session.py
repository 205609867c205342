"""What a session reads of its workflow and of its questions, and how a shut gate says what opens it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from walking import Walker, walking, write

ROLES = "executionModel: {roles: [{id: a, description: A}]}\n"
HEAD = f"version: 1.0.0\ntitle: T\n{ROLES}"
QUESTIONS = f"""
id: asked
{HEAD}
author: kept out of the summary
variables: [{{name: place, type: string, defaultValue: quay}}]
artifactLocations: {{planning: plans}}
initialActivity: one
activities:
- id: one
  version: 1.0.0
  name: One
  checkpoints:
  - {{id: plain, name: P, message: "At the {{place}} with {{whom}}?", options: [{{id: a, label: A}}, {{id: b, label: B}}]}}
  - {{id: timed, name: T, message: M, blocking: false, defaultOption: a, autoAdvanceMs: 9000,
     options: [{{id: a, label: A}}], condition: {{type: simple, variable: place, operator: "==", value: quay}}}}
  - {{id: free, name: F, message: M, required: false, options: [{{id: a, label: A}}]}}
  transitions: [{{to: two}}]
- id: two
  version: 1.0.0
  name: Two
  required: false
  checkpoints: [{{id: later, name: L, message: M, options: [{{id: a, label: A}}]}}]
"""


@pytest.fixture
async def agent(tmp_path: Path) -> AsyncIterator[Walker]:
    root = write(tmp_path / "defs", asked_yaml=QUESTIONS)
    async with walking(tmp_path / "data", dir=(str(root),), gate="all", min_response_seconds=3) as walker:
        await walker.start("asked")
        yield walker


async def test_a_workflow_is_read_in_short_or_whole(agent: Walker) -> None:
    """W-52."""
    short = await agent.ask("get_workflow")
    assert list(short) == [
        *("id", "version", "title", "variables", "executionModel", "initialActivity", "artifactLocations"),
        *("activities", "position", "session_token"),
    ]
    assert short["artifactLocations"] == {"planning": {"path": "plans", "gitignored": False}}
    assert short["activities"] == [
        {"id": "one", "name": "One", "required": True},
        {"id": "two", "name": "Two", "required": False},
    ]
    whole = await agent.ask("get_workflow", summary=False)
    assert whole["author"] == "kept out of the summary"
    assert [point["id"] for point in whole["activities"][0]["checkpoints"]] == ["plain", "timed", "free"]
    assert {name: whole[name] for name in short if name not in ("activities", "session_token")} == {
        name: short[name] for name in short if name not in ("activities", "session_token")
    }


async def test_where_a_session_stands_is_part_of_what_it_reads(tmp_path: Path) -> None:
    """W-52: before, in, and after the workflow."""
    async with walking(tmp_path) as agent:
        await agent.start()
        await agent.enter("note")
        await agent.enter("choose")
        assert (await agent.ask("get_workflow"))["position"] == {
            "activity": "choose",
            "pending": ["tool-confirmed", "write-consent"],
            "completed": False,
        }


async def test_of_many_problems_the_first_are_shown_and_all_are_counted(tmp_path: Path) -> None:
    """W-52."""
    odd = "".join(f", odd{number}: 1" for number in range(25))
    text = f"id: w\n{HEAD}activities: [{{id: a, version: 1.0.0, name: A{odd}}}]\n"
    async with walking(tmp_path / "data", dir=(str(write(tmp_path / "defs", w_yaml=text)),)) as agent:
        await agent.start("w")
        told = (await agent.ask("get_workflow"))["load_problems"]
        assert (told["count"], len(told["problems"])) == (25, 20)


async def test_a_question_is_read_with_how_it_stands(agent: Walker) -> None:
    """W-55: whatever the gate says, and for any activity of the workflow."""

    async def read(checkpoint: str, activity: str = "one") -> dict[str, object]:
        body = await agent.ask("get_checkpoint", activity_id=activity, checkpoint_id=checkpoint)
        return {name: body[name] for name in body if name not in ("id", "name", "message", "options", "session_token")}

    flags = {"required": True, "blocking": True}
    assert await read("plain") == flags | {
        "message_text": "At the quay with {whom}?",
        "unresolved": ["whom"],
        "status": "not_issued",
    }
    await agent.enter("one")
    agent.clock.advance(1)
    assert await read("plain") == flags | {
        "message_text": "At the quay with {whom}?",
        "unresolved": ["whom"],
        "status": "pending",
        "answerable_in_ms": 2000,
    }
    timed = await read("timed")
    assert (timed["condition_text"], timed["auto_advance_in_ms"]) == ('place == "quay"', 8000)
    assert (await read("free"))["status"] == "optional"
    assert (await read("later", "two"))["status"] == "not_issued"
    agent.clock.advance(2)
    await agent.answer("plain", "b")
    await agent.answer("timed")
    answered = {name: (await read(name)).get("answer") for name in ("plain", "timed")}
    assert answered == {"plain": {"option": "b"}, "timed": {"dismissed": True}}


async def test_showing_an_open_question_is_remembered(agent: Walker) -> None:
    """W-55, W-45: once, when it was first shown."""
    await agent.enter("one")
    agent.clock.advance(1)
    await agent.ask("get_checkpoint", activity_id="one", checkpoint_id="plain")
    agent.clock.advance(1)
    await agent.ask("get_checkpoint", activity_id="one", checkpoint_id="plain")
    (short,) = await agent.gateway.workflows.sessions(agent.principal, 1)
    waiting = (await agent.gateway.workflows.session(agent.principal, short["sid"]))["waiting"]
    assert [("presented" in one and one["presented"] is not None) for one in waiting] == [True, False]
    assert waiting[0]["presented"] > waiting[0]["issued"]


async def test_a_shut_gate_names_every_way_to_open_it(agent: Walker) -> None:
    """W-61: a complete call for each, with the time that a timer still takes."""
    await agent.enter("one")
    agent.clock.advance(4)
    refused = await agent.refused("next_activity", activity_id="two")
    assert refused["message"].startswith("Cannot enter 'two': 2 unresolved checkpoints on 'one'.")
    assert refused["hints"] == [
        'plain: {"checkpoint_id":"plain","option_id":"a"}, or "b"',
        (
            'timed: {"checkpoint_id":"timed","option_id":"a"}, '
            'or {"checkpoint_id":"timed","auto_advance":true} in 5000 ms, '
            'or {"checkpoint_id":"timed","condition_not_met":true}'
        ),
    ]
    agent.clock.advance(5)
    read = await agent.refused("get_workflow")
    assert read["message"].startswith("2 unresolved checkpoints on 'one'.")
    assert '"auto_advance":true}, or' in read["hints"][1]  # its time has come
