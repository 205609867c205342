"""What the server makes of the parts of a definition: conditions, ways out, and instructions that are the agent's alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from walking import Walker, walking, write

ROLES = "executionModel: {roles: [{id: a, description: A}]}\n"
HEAD = f"version: 1.0.0\ntitle: T\n{ROLES}"
ONE = "version: 1.0.0, name: One"


def conditional(condition: str) -> str:
    return f"id: w\n{HEAD}activities: [{{id: a, {ONE}, transitions: [{{to: a, condition: {condition}}}]}}]\n"


@pytest.mark.parametrize(
    ("condition", "where", "said"),
    [
        ("{type: simple, variable: x, operator: '='}", "condition.operator", '"=" is none of'),
        ("{type: simple, variable: '', operator: exists}", "condition.variable", "is empty"),
        ("{type: simple, variable: x, operator: '==', value: [1]}", "condition.value", "a list"),
        ("{type: simple, operator: exists}", "condition.variable", "is missing"),
        ("{type: and, conditions: [{type: simple, variable: x, operator: exists}]}", "condition.conditions", "1 items"),
        ("{type: not}", "condition.condition", "is missing"),
        ("{type: xor, conditions: []}", "condition.type", '"xor" is none of'),
    ],
)
async def test_a_condition_that_is_none_is_told_with_its_place(
    tmp_path: Path, condition: str, where: str, said: str
) -> None:
    """W-30, W-24."""
    root = write(tmp_path / "defs", w_yaml=conditional(condition))
    async with walking(tmp_path / "data", dir=(str(root),)) as agent:
        (listed,) = await agent.plain("list_workflows")
        (problem,) = listed["problems"]
        assert problem["where"] == f"activities[0].transitions[0].{where}"
        assert said in problem["message"]


@pytest.mark.parametrize(
    ("condition", "text"),
    [
        ("{type: simple, variable: x, operator: '>=', value: 3}", "x >= 3"),
        ("{type: simple, variable: x, operator: '==', value: null}", "x == null"),
        ("{type: simple, variable: x, operator: notExists}", "x notExists"),
        (
            (
                "{type: not, condition: {type: or, conditions: [{type: simple, variable: x, operator: exists}, "
                "{type: simple, variable: y, operator: '!=', value: z}]}}"
            ),
            'NOT (x exists OR y != "z")',
        ),
    ],
)
async def test_every_kind_of_condition_is_returned_with_its_text(tmp_path: Path, condition: str, text: str) -> None:
    """W-30, W-33."""
    root = write(tmp_path / "defs", w_yaml=conditional(condition))
    async with walking(tmp_path / "data", dir=(str(root),)) as agent:
        await agent.start("w")
        body = await agent.enter("a")
        assert body["transitions"][0]["condition_text"] == text
        assert body["next"]["transitions"][0]["condition_text"] == text


WAYS = f"""
id: ways
{HEAD}
modes: [{{id: quick, name: Q, activationVariable: hurry}}]
activities:
- id: a
  version: 1.0.0
  name: A
  transitions:
  - {{to: b, condition: {{type: simple, variable: x, operator: exists}}}}
  - {{to: c}}
  decisions:
  - {{id: d, name: D, branches: [
      {{id: again, label: A, transitionTo: b, condition: {{type: simple, variable: x, operator: exists}}}},
      {{id: other, label: O, transitionTo: b, condition: {{type: simple, variable: x, operator: notExists}}}},
      {{id: end, label: E}}]}}
  checkpoints:
  - {{id: ask, name: N, message: M, options: [
      {{id: go, label: G, effect: {{transitionTo: c, setVariable: {{hurry: true}}}}}}, {{id: stay, label: S}}]}}
  modeOverrides: {{quick: {{transitionOverride: d}}}}
- {{id: b, {ONE}}}
- {{id: c, {ONE}}}
- {{id: d, {ONE}}}
"""


async def test_ways_out_come_in_their_order_each_once(tmp_path: Path) -> None:
    """W-36: transitions, branches, options, and the active mode's own; the same target and condition count once."""
    root = write(tmp_path / "defs", ways_yaml=WAYS)
    async with walking(tmp_path / "data", dir=(str(root),)) as agent:
        await agent.start("ways")
        before = await agent.enter("a")
        ways = [("b", "x exists"), ("c", None), ("b", "x notExists"), ("c", "checkpoint:ask:go")]
        assert told(before) == ways
        assert before["next"]["terminal"] is True  # a branch without a target ends the workflow
        answered = await agent.answer("ask", "go")
        assert told(answered) == [*ways, ("d", None)]
        assert answered["next"]["modes"] == ["quick"]


def told(body: dict[str, Any]) -> list[tuple[str, str | None]]:
    return [(one["to"], one.get("condition_text")) for one in body["next"]["transitions"]]


INSTRUCTIONS = f"""
id: told
{HEAD}
variables: [{{name: n, type: number, defaultValue: 1}}]
activities:
- id: a
  version: 1.0.0
  name: A
  entryActions: [{{action: set, target: n, value: 5}}, {{action: emit, target: news}}]
  exitActions: [{{action: validate, message: "is it so?"}}]
  triggers: [{{workflow: other, passContext: [n]}}]
  decisions: [{{id: d, name: D, branches: [{{id: x, label: X}}, {{id: y, label: Y}}]}}]
  loops: [{{id: l, name: L, type: doWhile, maxIterations: 1, breakCondition: {{type: simple, variable: n, operator: ">",
    value: 3}}, steps: [{{id: turn, name: T, skill: session-protocol}}]}}]
  transitions: [{{to: b}}]
- {{id: b, {ONE}}}
"""


async def test_loops_decisions_triggers_and_actions_are_the_agents_to_follow(tmp_path: Path) -> None:
    """W-35: they are returned as written and looked at for steps and targets; the server runs none of them."""
    root = write(
        tmp_path / "defs", told_yaml=INSTRUCTIONS, other_yaml=f"id: other\n{HEAD}activities: [{{id: a, {ONE}}}]\n"
    )
    async with walking(tmp_path / "data", dir=(str(root),)) as agent:
        await agent.start("told")
        body = await agent.enter("a")
        assert [one["action"] for one in (*body["entryActions"], *body["exitActions"])] == ["set", "emit", "validate"]
        assert body["loops"][0]["breakCondition_text"] == "n > 3"
        assert body["triggers"] == [{"workflow": "other", "passContext": ["n"]}]
        assert (await agent.ask("get_skill", step_id="turn"))["skill"]["id"] == "session-protocol"
        turns = [{"step_id": "turn", "output": "x"}] * 3  # more turns than the loop is meant to make
        await agent.enter("b", step_manifest=turns)
        assert agent.warnings == []
        assert (await agent.enter("__terminal__"))["variables"] == {}
        assert [one["workflow"] for one in await agent.gateway.workflows.sessions(agent.principal, 9)] == ["told"]


@pytest.mark.parametrize("named", ["target: paid", "variable: paid"])
async def test_what_an_action_sets_is_the_agents_whichever_key_names_it(tmp_path: Path, named: str) -> None:
    """W-70: definitions in use name the variable of a `set` by either key."""
    text = (
        f"id: w\n{HEAD}activities:\n- id: a\n  version: 1.0.0\n  name: A\n"
        f"  loops: [{{id: l, name: L, type: while, steps: [{{id: s, name: S, actions: [{{action: set, {named}}}]}}]}}]\n"
        "  checkpoints:\n"
        "  - {id: pay, name: P, message: M, options: [{id: yes, label: Y, effect: {setVariable: {paid: true}}}]}\n"
        "  - {id: receipt, name: R, message: M, options: [{id: yes, label: Y}],\n"
        "     condition: {type: simple, variable: paid, operator: '==', value: true}}\n"
    )
    async with walking(tmp_path / "data", dir=(str(write(tmp_path / "defs", w_yaml=text)),)) as agent:
        await agent.start("w")
        await agent.enter("a")
        await agent.answer("pay", "yes")
        assert (await agent.answer("receipt"))["dismissed"] is True
        assert any("not verified" in one for one in agent.warnings)


async def test_a_number_where_a_text_belongs_is_told_how_to_be_one(tmp_path: Path) -> None:
    """W-24: YAML makes a number of `1.0`."""
    root = write(tmp_path / "defs", w_yaml=f"id: w\n{HEAD.replace('1.0.0', '1.0')}activities: [{{id: a, {ONE}}}]\n")
    async with walking(tmp_path / "data", dir=(str(root),)) as agent:
        (listed,) = await agent.plain("list_workflows")
        assert listed["problems"][0]["message"] == "1.0 is not a text: put it in quotes"
        refused = await refusal(agent, "w")
        assert "version: 1.0 is not a text" in refused


async def refusal(agent: Walker, workflow: str) -> str:
    reply = await agent.reply("start_session", workflow_id=workflow)
    assert reply.problem is not None
    return reply.text
