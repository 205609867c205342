"""How clients of the published server walk, against the start command: what they send, look for and rely on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from line_client import LineClient, served

WORKFLOW = """id: parcel
version: 1.0.0
title: Send a parcel
rules[1]:
  - Nothing is sent unweighed
variables[2]{name,type}:
  fragile,boolean
  abroad,boolean
executionModel:
  roles[1]{id,description}:
    agent,Does it
skills[1]: pack-well
initialActivity: weigh
"""
WEIGH = """id: weigh
version: 1.0.0
name: Weigh it
skills:
  supporting[1]:
    - use-scales
entryActions[1]{action,message}:
  log,Weighing begins
steps[3]:
  - id: look
    name: Look at it
  - id: scales
    name: Put it on the scales
    skill: use-scales
  - id: pad
    name: Pad it
    condition:
      type: simple
      variable: fragile
      operator: ==
      value: true
loops[1]:
  - id: again
    name: Weigh again
    type: while
    steps[1]:
      - id: tare
        name: Tare
        skill: use-scales
checkpoints[2]:
  - id: kind
    name: Kind
    message: "Is it fragile?"
    options[2]:
      - id: glass
        label: Yes
        effect:
          setVariable:
            fragile: true
      - id: brick
        label: No
  - id: stamp
    name: Stamp
    condition:
      type: simple
      variable: abroad
      operator: "=="
      value: true
    message: "Stamps for where?"
    options[1]{id,label}:
      far,Far away
transitions[2]:
  - to: customs
    condition:
      type: simple
      variable: abroad
      operator: ==
      value: true
  - to: post
    isDefault: true
"""
SKILL = 'id: {id}\nversion: 1.0.0\ncapability: C\nresources[2]:\n  - "01"\n  - meta/00\n'
FILES = {
    "workflow.toon": WORKFLOW,
    "activities/01-weigh.toon": WEIGH,
    "activities/02-customs.toon": "id: customs\nversion: 1.0.0\nname: Customs\ntransitions[0]:\n",
    "activities/03-post.toon": "id: post\nversion: 1.0.0\nname: Post\n",
    "skills/01-pack-well.toon": SKILL.format(id="pack-well"),
    "skills/02-use-scales.toon": SKILL.format(id="use-scales"),
    "resources/01-tables.md": "---\nid: tables\nversion: 2.0.0\n---\n\n# Tables\n",
}


@pytest.fixture(params=["activity", "all"])
def gate(request: pytest.FixtureRequest) -> str:
    """Either rule of the gate."""
    return str(request.param)


@pytest.fixture
def client(gate: str, tmp_path: Path) -> Iterator[LineClient]:
    """The start command over definitions as they are published."""
    for name, text in FILES.items():
        file = tmp_path / "defs" / "parcel" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    with served(tmp_path / "data", "--workflows", str(tmp_path / "defs"), PERIPLUS_WORKFLOW__GATE=gate) as process:
        yield process


def started(client: LineClient) -> str:
    return str(client.body("start_session", workflow_id="parcel", agent_id="lead")["session_token"])


def entered(client: LineClient, token: str, activity: str, **more: Any) -> dict[str, Any]:
    result = client.call("next_activity", session_token=token, activity_id=activity, **more)
    assert not result.get("isError"), result
    return result


def weighed(client: LineClient) -> str:
    """Through all questions of the first activity by their first options, with the token out of each body."""
    result = entered(client, started(client), "weigh")
    token, body = result["_meta"]["session_token"], result["structuredContent"]
    for point in body["checkpoints"]:
        answer = {"checkpoint_id": point["id"], "option_id": point["options"][0]["id"]}
        token = client.body("respond_checkpoint", session_token=token, **answer)["session_token"]
    return str(token)


def refused(client: LineClient, name: str, **arguments: Any) -> str:
    result = client.call(name, **arguments)
    assert result["isError"] is True
    return str(result["content"][0]["text"])


def warned(result: dict[str, Any]) -> str:
    return " | ".join(result["_meta"]["validation"]["warnings"])


def test_the_lifecycle_runs_on_tokens_from_bodies(client: LineClient) -> None:
    """W-120, W-57: start, skills, workflow, activity, answers, a step's skill, its resources, the next activity."""
    token = started(client)
    skills = client.body("get_skills", session_token=token)
    assert (skills["scope"], list(skills["skills"])) == ("workflow", ["pack-well"])
    workflow = client.body("get_workflow", session_token=skills["session_token"])
    assert "steps" not in workflow["activities"][0]
    whole = client.body("get_workflow", session_token=workflow["session_token"], summary=False)
    assert "steps" in whole["activities"][0]
    token = weighed(client)
    skill = client.body("get_skill", session_token=token, step_id="scales")
    assert "resources" not in skill["skill"]
    assert skill["skill"]["_resources"][0] == {"index": "01", "id": "tables", "version": "2.0.0"}
    read = client.body("get_resource", session_token=skill["session_token"], resource_index="01")
    assert read["resource"] == {"index": "01", "id": "tables", "version": "2.0.0", "content": "# Tables"}
    assert client.body("get_skill", session_token=read["session_token"], step_id="tare")["skill"]["id"] == "use-scales"


def test_a_token_from_before_the_activity_still_reads(client: LineClient) -> None:
    """W-120, W-46: clients keep using the token of the start to read."""
    first = started(client)
    entered(client, first, "weigh")
    for name, arguments in (
        ("get_skills", {}),
        ("get_checkpoint", {"activity_id": "weigh", "checkpoint_id": "kind"}),
        ("get_trace", {}),
    ):
        assert client.body(name, session_token=first, **arguments)["session_token"]


def test_the_next_activity_is_shut_until_each_question_is_answered(client: LineClient, gate: str) -> None:
    """W-120, W-60: under either rule; under `all` the skills of steps are, too, and for whoever joins."""
    token = entered(client, started(client), "weigh")["_meta"]["session_token"]
    shut = refused(client, "next_activity", session_token=token, activity_id="post")
    assert [word in shut for word in ("unresolved checkpoint", "respond_checkpoint", "checkpoint_id", "option_id")] == [
        True
    ] * 4
    assert entered(client, token, "weigh")["structuredContent"]["id"] == "weigh"
    joined = client.body("start_session", workflow_id="parcel", session_token=token, agent_id="worker-1")
    assert joined["inherited"] is True
    reads = client.call("get_skill", session_token=joined["session_token"], step_id="scales")
    assert reads.get("isError", False) is (gate == "all")
    token = weighed(client)
    joined = client.body("start_session", workflow_id="parcel", session_token=token, agent_id="worker-1")
    assert client.body("get_skill", session_token=joined["session_token"], step_id="scales")["skill"]
    assert entered(client, joined["session_token"], "post")["structuredContent"]["id"] == "post"


def test_reports_and_claims_are_judged_and_never_block(client: LineClient) -> None:
    """W-120, W-80."""
    every = [{"step_id": id_, "output": "done"} for id_ in ("look", "scales", "pad")]
    right = entered(client, weighed(client), "post", transition_condition="default", step_manifest=every)
    assert right["_meta"]["validation"] == {"status": "valid", "warnings": []}
    assert len(right["_meta"]["trace_token"]) > 10
    assert "No step_manifest" in warned(entered(client, weighed(client), "post"))
    assert "Missing steps" in warned(entered(client, weighed(client), "post", step_manifest=every[:1]))
    assert "order mismatch" in warned(entered(client, weighed(client), "post", step_manifest=every[::-1]))
    assert "Condition mismatch" in warned(entered(client, weighed(client), "customs", transition_condition="x == true"))
    claimed = entered(client, weighed(client), "customs", transition_condition="abroad == true", step_manifest=every)
    assert "ondition" not in warned(claimed)


def test_the_trace_is_read_with_tokens_and_without(client: LineClient) -> None:
    """W-120, W-57, W-84, W-85."""
    first = entered(client, started(client), "weigh")
    token = first["_meta"]["session_token"]
    assert "Cannot enter" in refused(client, "next_activity", session_token=token, activity_id="weigh-it")
    trace = client.body("get_trace", session_token=token)
    assert [event["name"] for event in trace["events"]] == ["start_session", "next_activity", "next_activity"]
    assert trace["events"][2]["s"] == "error"
    assert "session_token" not in str(trace["events"])
    proved = client.body("get_trace", session_token=token, trace_tokens=[first["_meta"]["trace_token"], "a.b.c"])
    assert (proved["source"], proved["event_count"], len(proved["token_errors"])) == ("tokens", 2, 1)


def test_names_that_are_no_tools_any_more_are_refused_in_words(client: LineClient) -> None:
    """W-120, W-7."""
    for name in ("get_activities", "get_rules", "match_goal"):
        assert name in refused(client, name, prompt="x")
