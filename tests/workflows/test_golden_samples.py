"""The worked example of the protocol, run once from the top: every body is what is printed there, tokens to the byte."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from walking import Walker, walking

from periplus.testing.clock import SettableClock

SID = "00000000-0000-4000-8000-000000000001"
T0 = (
    "eyJ3ZiI6ImZpcnN0LWNhbGwiLCJhY3QiOiIiLCJza2lsbCI6IiIsImNvbmQiOiIiLCJ2IjoiMS4wLjAiLCJzZXEiOjAsInRzIjoxNzY3MzIzMDQ1"
    "LCJzaWQiOiIwMDAwMDAwMC0wMDAwLTQwMDAtODAwMC0wMDAwMDAwMDAwMDEiLCJhaWQiOiIiLCJwY3AiOltdLCJwY3B0IjowLCJ2aXMiOjAsImtp"
    "ZCI6ImsxIn0.86d297ab643f6d07e7e1e96840409828624db6c56494dda768b853324fdf8eac"
)
ENTERED_MAC = "d5e226b6d7eed217823c14844e1e7b5f1d1df63a7e9d07de5360b76f3103d63b"
DESCRIPTION = "From a goal to one tool, one harmless trial and a note that others can use."


class Standing(SettableClock):
    """The clock of the samples: it stands, and names the first session."""

    def __init__(self) -> None:
        super().__init__(1767323045.678)

    def token(self, size: int) -> bytes:
        return bytes(15) + b"\x01" if size == 16 else super().token(size)


@pytest.fixture
async def agent(tmp_path: Path) -> AsyncIterator[Walker]:
    key = tmp_path / "interop.key"
    key.write_bytes(bytes(range(32)))
    drafts = tmp_path / "drafts"
    (drafts / "draft").mkdir(parents=True)
    (drafts / "draft" / "workflow.toon").write_text(
        "id: draft\nversion: 1.0.0\ntitle: A draft\nrules[1]:\n  - none\n\ntags[3]:\n  - a\n  - b\ninitialActivity: x\n"
    )
    async with walking(
        tmp_path / "data",
        clock=Standing(),
        dir=(str(drafts),),
        examples=True,
        interop_key=str(key),
        server_version="1.0.0",
    ) as walker:
        yield walker


def without(body: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in body.items() if name not in names}


async def test_the_first_token_is_the_printed_one_to_the_byte(agent: Walker) -> None:
    """W-40: `start_session`, then `next_activity` directly after it."""
    assert await agent.start() == {
        "workflow": {
            "id": "first-call",
            "version": "1.0.0",
            "title": "First call to an unknown tool",
            "description": DESCRIPTION,
        },
        "session_token": T0,
    }
    assert agent.meta == {"session_token": T0, "validation": {"status": "valid", "warnings": []}}
    await agent.enter("choose")
    assert agent.token.endswith(f".{ENTERED_MAC}")


async def test_the_samples_outside_a_session(agent: Walker) -> None:
    """W-50."""
    discovered = await agent.plain("discover")
    assert discovered["discovery"].startswith("# How to begin")
    assert without(discovered, "discovery") == {
        "server": "periplus",
        "version": "1.0.0",
        "available_workflows": [{"id": "first-call", "title": "First call to an unknown tool", "version": "1.0.0"}],
        "broken_workflows": ["draft"],
    }
    assert await agent.plain("list_workflows") == [
        {
            "id": "draft",
            "title": "draft",
            "version": "0.0.0",
            "status": "broken",
            "problems": [
                {
                    "severity": "error",
                    "code": "parse_error",
                    "workflow": "draft",
                    "file": "draft/workflow.toon",
                    "line": 7,
                    "message": "the list promises 3 items and has 2",
                }
            ],
        },
        {
            "id": "first-call",
            "title": "First call to an unknown tool",
            "version": "1.0.0",
            "description": DESCRIPTION,
        },
    ]
    assert await agent.plain("health_check") == {
        "status": "healthy",
        "server": "periplus",
        "version": "1.0.0",
        "workflows_available": 1,
        "uptime_seconds": 0,
        "workflows_broken": 1,
        "load_problems": 1,
    }


async def test_the_samples_of_one_run_from_the_top(agent: Walker) -> None:
    """W-123."""
    await agent.start()
    await _what_a_session_reads(agent)
    await _the_first_activity(agent)
    await _its_checkpoints(agent)
    await _skill_and_resource(agent)
    await _the_second_activity(agent)
    await _the_trace(agent)
    await _the_end(agent)


async def _what_a_session_reads(agent: Walker) -> None:
    skills = await agent.ask("get_skills")
    assert skills["scope"] == "workflow"
    assert [(name, skill["id"], skill["version"]) for name, skill in skills["skills"].items()] == [
        ("session-protocol", "session-protocol", "1.0.0"),
        ("execute-activity", "execute-activity", "1.0.0"),
    ]
    workflow = await agent.ask("get_workflow")
    assert list(workflow) == [
        *("id", "version", "title", "description", "rules", "variables", "executionModel", "initialActivity", "modes"),
        *("activities", "position", "session_token"),
    ]
    assert workflow["variables"] == [
        {"name": "goal", "type": "string", "required": True},
        {"name": "tool_writes", "type": "boolean", "defaultValue": False, "required": False},
        {"name": "dry_run", "type": "boolean", "defaultValue": False, "required": False},
    ]
    assert workflow["activities"] == [
        {"id": "choose", "name": "Choose a tool", "required": True},
        {"id": "trial", "name": "Try it", "required": True},
        {"id": "note", "name": "Write the note", "required": True},
    ]
    assert workflow["position"] == {"activity": "", "pending": [], "completed": False}


async def _the_first_activity(agent: Walker) -> None:
    body = await agent.enter("choose")
    assert agent.meta["trace_token"]
    assert list(body) == [
        *("id", "version", "name", "skills", "steps", "checkpoints", "loops", "transitions", "required", "next"),
        "session_token",
    ]
    assert body["steps"] == [
        {"id": "search", "name": "Search the catalog", "skill": "weigh-candidates", "required": True},
        {"id": "inspect", "name": "Read the schema of the best candidate", "required": True},
    ]
    confirmed, consent = body["checkpoints"]
    assert (confirmed["required"], confirmed["blocking"]) == (True, True)
    assert without(consent, "name", "message", "options") == {
        "id": "write-consent",
        "condition": {"type": "simple", "variable": "tool_writes", "operator": "==", "value": True},
        "condition_text": "tool_writes == true",
        "required": True,
        "blocking": True,
    }
    assert body["loops"][0]["condition_text"] == "hits < 1"
    assert body["loops"][0]["maxIterations"] == 3
    assert body["transitions"][0]["condition_text"] == "dry_run == true"
    assert [(one["to"], one["isDefault"]) for one in body["transitions"]] == [("note", False), ("trial", True)]
    assert body["next"] == {
        "pending": ["tool-confirmed", "write-consent"],
        "transitions": [
            {"to": "note", "condition_text": "dry_run == true", "default": False, "holds": False, "basis": "default"},
            {"to": "trial", "default": True, "holds": True, "basis": "default"},
            {
                "to": "choose",
                "condition_text": "checkpoint:tool-confirmed:other",
                "default": False,
                "holds": None,
                "basis": "unknown",
            },
        ],
        "suggested": "trial",
        "skipped": [],
        "modes": [],
        "terminal": False,
    }
    assert await agent.refused("next_activity", activity_id="trial") == {
        "code": "gate_closed",
        "message": "Cannot enter 'trial': 2 unresolved checkpoints on 'choose'. Answer each with respond_checkpoint.",
        "hints": [
            'tool-confirmed: {"checkpoint_id":"tool-confirmed","option_id":"reads"}, or "writes", or "other"',
            (
                'write-consent: {"checkpoint_id":"write-consent","option_id":"agree"}, or "stop", '
                'or {"checkpoint_id":"write-consent","condition_not_met":true}'
            ),
        ],
        "next_action": {
            "op": "respond_checkpoint",
            "args": {"checkpoint_id": "tool-confirmed", "option_id": "<the person's choice>"},
        },
        "retryable": False,
    }


async def _its_checkpoints(agent: Walker) -> None:
    shown = await agent.ask("get_checkpoint", activity_id="choose", checkpoint_id="tool-confirmed")
    assert without(shown, "options", "session_token") == {
        "id": "tool-confirmed",
        "name": "Confirm the tool",
        "message": "Use this tool for: {goal}?",
        "required": True,
        "blocking": True,
        "message_text": "Use this tool for: {goal}?",
        "unresolved": ["goal"],
        "status": "pending",
        "answerable_in_ms": 0,
    }
    assert without(await agent.answer("tool-confirmed", "reads"), "session_token") == {
        "checkpoint_id": "tool-confirmed",
        "resolved": True,
        "remaining_checkpoints": ["write-consent"],
        "resolved_option": "reads",
        "effect": {"setVariable": {"tool_writes": False}},
    }
    dismissed = await agent.answer("write-consent")
    assert without(dismissed, "next", "session_token") == {
        "checkpoint_id": "write-consent",
        "resolved": True,
        "remaining_checkpoints": [],
        "dismissed": True,
    }
    assert without(dismissed["next"], "transitions") == {
        "pending": [],
        "suggested": "trial",
        "skipped": [],
        "modes": [],
        "terminal": False,
    }
    assert agent.warnings == []


async def _skill_and_resource(agent: Walker) -> None:
    assert without(await agent.ask("get_skill", step_id="search"), "session_token") == {
        "skill": {
            "id": "weigh-candidates",
            "version": "1.0.0",
            "capability": "Compare candidate tools for a goal",
            "_resources": [
                {"index": "01", "id": "scorecard", "version": "1.0.0"},
                {"index": "meta/00", "id": "bootstrap", "version": "1.0.0"},
            ],
        },
        "source": "first-call",
    }
    assert (await agent.ask("get_resource", resource_index="1"))["resource"] == {
        "index": "1",
        "id": "scorecard",
        "version": "1.0.0",
        "content": "# Scorecard\n\nFit, side effects, required arguments.",
    }


async def _the_second_activity(agent: Walker) -> None:
    manifest = [{"step_id": "search", "output": "3 candidates"}]
    body = await agent.enter("trial", transition_condition="default", step_manifest=manifest)
    assert agent.meta["validation"] == {
        "status": "warning",
        "warnings": ["Missing steps in the manifest of 'choose': inspect"],
    }
    assert body["steps"][0] == {
        "id": "call",
        "name": "Call the tool on harmless input",
        "tool": {"ref": "demo/echo", "available": False, "requires": ["tool-confirmed"], "save": "trial_result"},
        "required": True,
    }
    joined = await agent.start(session_token=agent.token, agent_id="worker-1")
    assert joined["inherited"] is True
    assert joined["workflow"]["description"] == DESCRIPTION
    assert await agent.refused("respond_checkpoint", checkpoint_id="answer-fits", auto_advance=True) == {
        "code": "too_early",
        "message": "auto-advance of 'answer-fits': timer not elapsed, 0 ms of 10000 ms.",
        "hints": ["retry after 10000 ms", 'or answer with option_id "yes" or "no"'],
        "next_action": {
            "op": "respond_checkpoint",
            "args": {"checkpoint_id": "answer-fits", "auto_advance": True},
        },
        "retryable": True,
    }


async def _the_trace(agent: Walker) -> None:
    trace = await agent.ask("get_trace")
    assert without(trace, "events", "session_token") == {
        "traceId": SID,
        "source": "memory",
        "tracing_enabled": True,
        "event_count": 13,
    }
    first = trace["events"][0]
    assert without(first, "spanId") == {
        "traceId": SID,
        "name": "start_session",
        "ts": 1767323045,
        "ms": 0,
        "s": "ok",
        "wf": "first-call",
        "act": "",
        "aid": "",
        "seq": 0,
    }
    answered = next(one for one in trace["events"] if one["name"] == "respond_checkpoint")
    assert without(answered, "spanId", "traceId") == {
        "name": "respond_checkpoint",
        "ts": 1767323045,
        "ms": 0,
        "s": "ok",
        "wf": "first-call",
        "act": "choose",
        "aid": "",
        "seq": 5,
        "d": {"mode": "option_id", "option": "reads", "effect": {"setVariable": {"tool_writes": False}}},
    }


async def _the_end(agent: Walker) -> None:
    await agent.answer("answer-fits", "yes")
    await agent.enter("note")
    ended = await agent.enter("__terminal__")
    assert msgspec.json.decode(msgspec.json.encode(without(ended, "session_token"))) == {
        "id": "__terminal__",
        "name": "Workflow complete",
        "completed": True,
        "visited": ["choose", "trial", "note"],
        "answers": {
            "choose/tool-confirmed": {"option": "reads"},
            "choose/write-consent": {"dismissed": True},
            "trial/answer-fits": {"option": "yes"},
        },
        "variables": {"tool_writes": False, "trial_ok": True},
        "next": {"pending": [], "transitions": [], "skipped": [], "modes": [], "terminal": True},
    }


async def test_a_dismissal_is_refused_once_the_consent_is_due(agent: Walker) -> None:
    """W-66: after "writes" it is not allowed."""
    await agent.start()
    await agent.enter("choose")
    await agent.answer("tool-confirmed", "writes")
    refused = await agent.refused("respond_checkpoint", checkpoint_id="write-consent", condition_not_met=True)
    assert refused["code"] == "not_allowed"
    assert "tool_writes == true" in refused["message"]
    assert "tool_writes = true (effect)" in refused["message"]


async def test_a_step_without_a_skill_of_its_own_has_that_of_its_activity(agent: Walker) -> None:
    """W-87."""
    await agent.start()
    await agent.enter("choose")
    body = await agent.ask("get_skill", step_id="inspect")
    assert (body["skill"]["id"], body["source"], body["via"]) == ("execute-activity", "periplus", "activity")
