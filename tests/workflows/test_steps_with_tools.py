"""Steps that run tools of the catalog, and questions that only a person can answer."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import mcp_types as types
import msgspec
import pytest
from line_client import served
from mcp import Client
from walking import Walker, settings_of, walking

from listening import listening
from periplus.app import open_gateway
from periplus.app.serving import desks, open_application
from periplus.hosts.identity import AGENT
from periplus.model import LOCAL, Action, Code, Policy, Rule, SourceSpec, Verdict
from periplus.testing.clock import SettableClock

DEMO = '''
"""Tools for a test."""


def echo(text: str) -> dict[str, str]:
    """Say it back."""
    return {"text": text}


def erase(name: str) -> str:
    """Delete a file for good."""
    return f"erased {name}"
'''
ROLES = "executionModel: {roles: [{id: a, description: A}]}"


@asynccontextmanager
async def with_demo(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *rules: Rule, **workflow: Any
) -> AsyncIterator[Walker]:
    """A gateway with `demo/echo` and `demo/erase` in its catalog."""
    (tmp_path / "echoes.py").write_text(DEMO)
    monkeypatch.syspath_prepend(str(tmp_path))
    settings = msgspec.structs.replace(settings_of(tmp_path / "data", **workflow), policy=Policy(rules=rules))
    async with open_gateway(settings, clock=SettableClock()) as gateway:
        await gateway.connect(SourceSpec(id="demo", kind="python", url="echoes"))
        yield Walker(gateway, desks(gateway, settings, ("workflow",))["workflow"], SettableClock())


async def at_trial(agent: Walker) -> dict[str, Any]:
    await agent.start()
    await agent.enter("choose")
    await agent.answer("tool-confirmed", "reads")
    await agent.answer("write-consent")
    return await agent.enter("trial")


async def test_a_step_says_what_it_will_call_and_calls_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """W-90, W-91: the last sample."""
    async with with_demo(tmp_path, monkeypatch, step_tools="on") as agent:
        body = await at_trial(agent)
        tool = body["steps"][0]["tool"]
        assert tool.pop("signature").startswith("demo/echo(")
        assert tool == {
            "ref": "demo/echo",
            "available": True,
            "effects": "write",
            "arguments": {"text": "{goal}"},
            "missing": ["text"],
            "requires": ["tool-confirmed"],
            "save": "trial_result",
            "call": {"tool": "run_step", "arguments": {"step_id": "call"}},
        }
        ran = await agent.ask("run_step", step_id="call", arguments={"text": "ahoy"})
        del ran["session_token"]
        assert ran == {"step_id": "call", "tool": "demo/echo", "result": {"text": "ahoy"}, "saved": "trial_result"}
        events = (await agent.ask("get_trace"))["events"]
        assert events[-1]["d"]["tool"] == "demo/echo"
        rows = await agent.gateway.trail.latest(limit=20)
        call = next(row.event for row in rows if row.event.verb == "call")
        assert call.session == events[-1]["traceId"]
        assert call.parent == events[-1]["spanId"]
        assert events[-1]["d"]["call"] == call.trace
        await agent.answer("answer-fits", "yes")
        await agent.enter("note", step_manifest=[{"step_id": "call", "output": "ahoy"}])
        assert not any("no recorded call" in one for one in agent.warnings)


async def test_a_report_without_a_call_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """W-80."""
    async with with_demo(tmp_path, monkeypatch) as agent:
        await at_trial(agent)
        await agent.answer("answer-fits", "yes")
        await agent.enter("note", step_manifest=[{"step_id": "call", "output": "ahoy"}])
        assert any("no recorded call" in one for one in agent.warnings)


async def test_what_stands_in_a_steps_way_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """W-91, section 14."""
    async with with_demo(tmp_path, monkeypatch) as agent:
        await agent.start()
        await agent.enter("trial")
        refused = await agent.refused("run_step", step_id="call", arguments={"text": "x"})
        assert (refused["code"], "tool-confirmed" in refused["message"]) == ("gate_closed", True)
        assert "has no tool" in (await agent.refused("run_step", step_id="compare"))["message"]
        assert "Available steps" in (await agent.refused("run_step", step_id="none"))["hints"][0]
        await agent.start()
        await at_trial(agent)
        refused = await agent.refused("run_step", step_id="call", arguments={"text": 5})
        assert refused["code"] == "invalid_args"
        assert "/text" in refused["message"] + " ".join(refused["hints"])


async def test_a_step_whose_tool_is_denied_says_by_which_rule(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """W-91, section 14: the tool can be seen, and the session goes on without it."""
    rule = Rule(
        name="no-echo", action=(Action.CALL,), tools=("demo/echo",), verdict=Verdict.DENY, reason="closed today"
    )
    async with with_demo(tmp_path, monkeypatch, rule) as agent:
        body = await at_trial(agent)
        assert body["steps"][0]["tool"]["available"] is True
        refused = await agent.refused("run_step", step_id="call", arguments={"text": "ahoy"})
        assert (refused["code"], refused["retryable"]) == ("forbidden", False)
        said = f"{refused}"
        assert "no-echo" in said
        assert "closed today" in said
        assert Code.FORBIDDEN.status.http == 403
        assert (await agent.ask("get_trace"))["events"][-1]["err"] == refused["message"]
        await agent.answer("answer-fits", "yes")


async def test_a_step_whose_tool_is_hidden_is_as_one_whose_tool_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """W-90."""
    rule = Rule(action=(Action.DISCOVER,), tools=("demo/*",), verdict=Verdict.DENY)
    async with with_demo(tmp_path, monkeypatch, rule) as hidden:
        told = (await at_trial(hidden))["steps"][0]["tool"]
        refused = await hidden.refused("run_step", step_id="call", arguments={"text": "x"})
    async with walking(tmp_path / "empty") as missing:
        assert (await at_trial(missing))["steps"][0]["tool"] == told
        assert told["available"] is False
        assert await missing.refused("run_step", step_id="call", arguments={"text": "x"}) == refused


def bound(root: Path) -> Path:
    """A workflow whose one step destroys, once it is known that it may, and whose question is a person's."""
    root.mkdir()
    (root / "risky.yaml").write_text(
        f"id: risky\nversion: 1.0.0\ntitle: Risky\n{ROLES}\nactivities:\n"
        "- {id: one, version: 1.0.0, name: One,\n"
        "   steps: [{id: wipe, name: Wipe, tool: {ref: demo/erase, arguments: {name: '{file}'}, save: gone},\n"
        "            condition: {type: simple, variable: sure, operator: '==', value: true}}],\n"
        "   checkpoints: [{id: ask, name: Ask, message: 'Erase {file}?', answeredBy: human, options: [\n"
        "      {id: yes, label: Yes, effect: {setVariable: {sure: true, file: a.txt}}},\n"
        "      {id: no, label: No, effect: {setVariable: {sure: false}}}]}]}\n"
    )
    return root


async def test_only_a_person_answers_what_is_a_persons(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """W-95, then W-91 with an approval in the middle."""
    async with with_demo(tmp_path, monkeypatch, dir=(str(bound(tmp_path / "defs")),)) as agent:
        await agent.start("risky")
        await agent.enter("one")
        refused = await agent.refused("respond_checkpoint", checkpoint_id="ask", option_id="yes")
        assert refused["code"] == "approval_required"
        assert "auto" not in str(refused["hints"])
        approval = refused["details"]["approval"]
        again = await agent.refused("respond_checkpoint", checkpoint_id="ask", option_id="yes")
        assert again["details"]["approval"] == approval
        await agent.gateway.grant(approval, principal=LOCAL, why="asked")
        other = await agent.refused("respond_checkpoint", checkpoint_id="ask", option_id="no")
        assert other["code"] == "approval_required"  # the person chose another option
        body = await agent.answer("ask", "yes")
        assert body["resolved_option"] == "yes"
        await _wiped(agent)


async def _wiped(agent: Walker) -> None:
    refused = await agent.refused("run_step", step_id="wipe")
    assert refused["code"] == "approval_required"
    approval = refused["details"]["approval"]
    assert refused["next_action"] == {"op": "run_step", "args": {"step_id": "wipe", "approval_id": approval}}
    await agent.gateway.grant(approval, principal=LOCAL)
    ran = await agent.ask("run_step", step_id="wipe", approval_id=approval)
    assert ran["result"] == "erased a.txt"
    refused = await agent.refused("run_step", step_id="wipe", approval_id=approval)
    assert refused["code"] == "conflict"  # an approval is good for one use
    seen = await agent.gateway.workflows.sessions(AGENT, 1)
    whole = await agent.gateway.workflows.session(AGENT, seen[0]["sid"])
    assert {name: value["source"] for name, value in whole["variables"].items()} == {
        "sure": "effect",
        "file": "effect",
        "gone": "tool",
    }


async def test_a_step_that_is_known_not_to_apply_does_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """W-91."""
    async with with_demo(tmp_path, monkeypatch, dir=(str(bound(tmp_path / "defs")),)) as agent:
        await agent.start("risky")
        await agent.enter("one")
        refused = await agent.refused("respond_checkpoint", checkpoint_id="ask", option_id="no")
        await agent.gateway.grant(refused["details"]["approval"], principal=LOCAL)
        await agent.answer("ask", "no")
        assert (await agent.refused("run_step", step_id="wipe"))["code"] == "not_allowed"


async def test_the_thirteenth_tool_comes_and_goes_with_definitions(tmp_path: Path) -> None:
    """W-92."""
    root = tmp_path / "defs"
    root.mkdir()
    with served(tmp_path / "data", "--workflows", str(root)) as client:
        assert len(client.request("tools/list", {})["tools"]) == 12
        bound(tmp_path / "more")
        (root / "risky.yaml").write_text((tmp_path / "more" / "risky.yaml").read_text())
        client.body("list_workflows")
        client.body("list_workflows")
        assert "notifications/tools/list_changed" in client.notices
        assert client.request("tools/list", {})["tools"][12]["name"] == "run_step"


async def test_step_tools_can_be_switched_off(tmp_path: Path) -> None:
    """W-92."""
    async with walking(tmp_path, step_tools="off") as agent:
        assert len(agent.desk.face.operations) == 12
        reply = await agent.reply("run_step", session_token="x", step_id="y")
        assert reply.problem is not None
        assert "there is no tool 'run_step'" in reply.text
    async with walking(tmp_path, step_tools="auto") as agent:
        assert len(agent.desk.face.operations) == 13  # the shipped example binds one


async def test_a_hidden_workflow_answers_as_a_missing_one(tmp_path: Path) -> None:
    """W-49."""
    rule = Rule(action=(Action.DISCOVER,), tools=("workflow/first-*",), verdict=Verdict.DENY)
    settings = msgspec.structs.replace(settings_of(tmp_path), policy=Policy(rules=(rule,)))
    async with open_gateway(settings, clock=SettableClock()) as gateway:
        agent = Walker(gateway, desks(gateway, settings, ("workflow",))["workflow"], SettableClock())
        assert await agent.plain("list_workflows") == []
        hidden = await agent.reply("start_session", workflow_id="first-call")
        missing = await agent.reply("start_session", workflow_id="none-call")
        assert hidden.text == missing.text.replace("none-call", "first-call")


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
async def test_a_client_that_can_ask_its_person_asks(tmp_path: Path, mode: str) -> None:
    """W-95, T-5: the question goes to the person at the client, whose agreement lets the answer through."""
    asked: list[str] = []

    async def person(_context: Any, params: Any) -> types.ElicitResult:
        asked.append(params.message)
        return types.ElicitResult(action="accept", content={"approve": True})

    settings = settings_of(tmp_path / "data", dir=(str(bound(tmp_path / "defs")),))
    with listening(lambda: open_application(settings)) as base:
        async with Client(f"{base}/mcp/workflow", mode=mode, elicitation_callback=person) as client:

            async def ask(name: str, **arguments: Any) -> dict[str, Any]:
                result = await client.call_tool(name, arguments)
                assert not result.is_error, result.content
                assert result.structured_content is not None
                return result.structured_content

            token = (await ask("start_session", workflow_id="risky"))["session_token"]
            token = (await ask("next_activity", session_token=token, activity_id="one"))["session_token"]
            answer = {"session_token": token, "checkpoint_id": "ask", "option_id": "no"}
            assert (await ask("respond_checkpoint", **answer))["resolved_option"] == "no"
    (message,) = asked
    assert "Erase {file}?" in message
    assert "'no'" in message
