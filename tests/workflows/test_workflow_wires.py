"""The workflow face as clients meet it: a process over stdio, MCP and plain HTTP from one address."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from line_client import LineClient, served
from mcp import Client
from walking import SAMPLES, needs_samples, settings_of

from listening import listening
from periplus.app.serving import open_application

TWELVE = [
    *("discover", "list_workflows", "get_workflow", "next_activity", "get_checkpoint", "respond_checkpoint"),
    *("get_trace", "health_check", "start_session", "get_skills", "get_skill", "get_resource"),
]


@pytest.fixture
def process(tmp_path: Path) -> Iterator[LineClient]:
    if not SAMPLES.is_dir():
        pytest.skip("the sample definitions are not here")
    with served(tmp_path / "data", "--workflows", str(SAMPLES)) as client:
        yield client


@pytest.fixture
def base(tmp_path: Path) -> Iterator[str]:
    with listening(lambda: open_application(settings_of(tmp_path, min_response_seconds=3))) as url:
        yield url


def test_the_start_command_serves_twelve_tools_in_their_order(process: LineClient) -> None:
    """W-1, W-2, W-5, W-6, T-2."""
    listed = process.request("tools/list", {})["tools"]
    assert [tool["name"] for tool in listed] == TWELVE
    size = len(json.dumps(listed, separators=(",", ":")))
    assert size < 10_000
    assert size / 4 < 2_500
    assert all(tool["inputSchema"]["additionalProperties"] is False for tool in listed)
    hints = {tool["name"]: tool["annotations"] for tool in listed}
    assert all(hints[name]["readOnlyHint"] for name in TWELVE if name.startswith(("get", "list", "discover", "health")))
    for name in ("next_activity", "respond_checkpoint"):
        assert (hints[name]["idempotentHint"], hints[name]["destructiveHint"]) == (True, False)
    discovered = process.body("discover")
    assert process.hello["serverInfo"]["name"] == discovered["server"] == "periplus"
    assert process.hello["serverInfo"]["version"] == discovered["version"]
    capabilities = process.hello["capabilities"]
    assert (capabilities["tools"]["listChanged"], capabilities["resources"]["listChanged"]) == (True, True)
    assert {one["id"] for one in discovered["available_workflows"]} == {
        "prism-evaluate",
        "work-packages",
        "workflow-design",
    }
    assert "# Bootstrap Procedure" in discovered["discovery"]  # the directory's own, over the shipped one


TOKEN = {"session_token": "string"}
PARAMETERS: dict[str, tuple[dict[str, str], dict[str, str]]] = {  # required, optional
    "discover": ({}, {}),
    "list_workflows": ({}, {}),
    "get_workflow": (TOKEN, {"summary": "boolean"}),
    "next_activity": (
        TOKEN | {"activity_id": "string"},
        {"transition_condition": "string", "step_manifest": "array", "activity_manifest": "array"},
    ),
    "get_checkpoint": (TOKEN | {"activity_id": "string", "checkpoint_id": "string"}, {}),
    "respond_checkpoint": (
        TOKEN | {"checkpoint_id": "string"},
        {"option_id": "string", "auto_advance": "boolean", "condition_not_met": "boolean"},
    ),
    "get_trace": (TOKEN, {"trace_tokens": "array"}),
    "health_check": ({}, {}),
    "start_session": ({"workflow_id": "string"}, {"session_token": "string", "agent_id": "string"}),
    "get_skills": (TOKEN, {}),
    "get_skill": (TOKEN | {"step_id": "string"}, {}),
    "get_resource": (TOKEN | {"resource_index": "string"}, {}),
}


def test_every_tool_takes_the_published_parameters(process: LineClient) -> None:
    """W-2, W-3, W-4: names and types are exact."""
    told: dict[str, tuple[dict[str, str], dict[str, str]]] = {}
    for tool in process.request("tools/list", {})["tools"]:
        schema = tool["inputSchema"]
        types = {name: one["type"] for name, one in schema["properties"].items()}
        required = set(schema.get("required", ()))
        told[tool["name"]] = (
            {name: type_ for name, type_ in types.items() if name in required},
            {name: type_ for name, type_ in types.items() if name not in required},
        )
        if "session_token" in types:
            assert schema["properties"]["session_token"]["minLength"] == 1
    assert told == PARAMETERS


def test_schemas_are_a_resource_with_two_names(process: LineClient) -> None:
    """W-6."""
    assert [one["uri"] for one in process.request("resources/list", {})["resources"]] == ["periplus://workflow/schemas"]
    texts = [
        process.request("resources/read", {"uri": uri})["contents"][0]["text"]
        for uri in ("periplus://workflow/schemas", "workflow-server://schemas")
    ]
    assert texts[0] == texts[1]
    schemas = json.loads(texts[0])
    assert list(schemas) == ["workflow", "activity", "condition", "skill", "state"]
    assert all(schema["$schema"].endswith("2020-12/schema") for schema in schemas.values())


def test_answers_stand_in_text_structure_and_meta(process: LineClient) -> None:
    """W-9."""
    started = process.call("start_session", workflow_id="work-packages")
    text = started["content"][0]["text"]
    assert len(started["content"]) == 1
    assert json.loads(text) == started["structuredContent"]
    assert text == json.dumps(json.loads(text), separators=(",", ":"), ensure_ascii=False)
    token = started["_meta"]["session_token"]
    assert token == started["structuredContent"]["session_token"]
    assert started["_meta"]["validation"] == {"status": "valid", "warnings": []}
    listed = process.call("list_workflows")
    assert json.loads(listed["content"][0]["text"]) == listed["structuredContent"]["workflows"]
    assert "_meta" not in listed or "session_token" not in listed["_meta"]
    refused = process.call("next_activity", session_token=token, activity_id="nowhere")
    assert refused["isError"] is True
    assert refused["structuredContent"]["error"]["code"] == "not_found"


def test_an_unknown_tool_is_no_error_of_the_protocol(process: LineClient) -> None:
    """W-7."""
    result = process.call("start_sesion", workflow_id="x")
    assert result["isError"] is True
    assert "start_session" in result["content"][0]["text"]


def test_a_session_goes_on_after_its_process_was_killed(tmp_path: Path) -> None:
    """W-45, W-123: kill -9 between calls, then another process over the same data directory."""
    data = tmp_path / "data"
    with served(data) as first:
        token = first.body("start_session", workflow_id="first-call")["session_token"]
        token = first.body("next_activity", session_token=token, activity_id="choose")["session_token"]
        answer = {"session_token": token, "checkpoint_id": "tool-confirmed", "option_id": "writes"}
        token = first.body("respond_checkpoint", **answer)["session_token"]
        first.kill()
    with served(data) as second:
        shut = second.call("next_activity", session_token=token, activity_id="trial")
        assert "1 unresolved checkpoint on" in shut["content"][0]["text"]
        met = second.call(
            "respond_checkpoint", session_token=token, checkpoint_id="write-consent", condition_not_met=True
        )
        assert met["structuredContent"]["error"]["code"] == "not_allowed"  # what was answered before is known
        trace = second.body("get_trace", session_token=token)
        names = [event["name"] for event in trace["events"]]
        assert names[:3] == ["start_session", "next_activity", "respond_checkpoint"]
        assert [event["s"] for event in trace["events"]] == ["ok", "ok", "ok", "error", "error"]


def test_no_line_leaves_a_client_waiting(tmp_path: Path) -> None:
    """T-2: what is no message is answered, and half an emoji, which clients leave where they cut a text, is read."""
    with served(tmp_path / "data") as client:
        assert client.line("{nonsense")["error"]["code"] == -32700
        assert client.line('\n\n{"id": 7, "text": 1}') | {"error": 0} == {"jsonrpc": "2.0", "id": 7, "error": 0}
        assert client.line("[1]")["error"]["code"] == -32600
        token = client.body("start_session", workflow_id="first-call")["session_token"]
        arguments = {"session_token": token, "resource_index": "\ud83d"}
        call = {"name": "get_resource", "arguments": arguments}
        cut = {"jsonrpc": "2.0", "id": "cut", "method": "tools/call", "params": call}
        answered = client.line(json.dumps(cut))
        assert answered["id"] == "cut"
        assert "Resource not found: \ufffd" in answered["result"]["content"][0]["text"]
        assert client.body("health_check")["status"] == "healthy"


def test_two_processes_serve_one_session(tmp_path: Path) -> None:
    """W-45, W-123."""
    data = tmp_path / "data"
    with served(data) as one, served(data) as other:
        token = one.body("start_session", workflow_id="first-call")["session_token"]
        token = other.body("next_activity", session_token=token, activity_id="choose")["session_token"]
        answer = {"checkpoint_id": "tool-confirmed", "option_id": "reads"}
        token = one.body("respond_checkpoint", session_token=token, **answer)["session_token"]
        token = other.body(
            "respond_checkpoint", session_token=token, checkpoint_id="write-consent", condition_not_met=True
        )["session_token"]
        body = one.body("next_activity", session_token=token, activity_id="trial")
        assert body["id"] == "trial"


@needs_samples
def test_the_directory_may_be_named_as_other_servers_name_it(tmp_path: Path) -> None:
    """Section 2: WORKFLOW_DIR counts when nothing else names one."""
    with served(tmp_path / "data", WORKFLOW_DIR=str(SAMPLES)) as client:
        assert len(client.body("discover")["available_workflows"]) == 3


async def test_mcp_over_http_has_the_face_at_its_own_address(base: str) -> None:
    """W-1."""
    async with Client(f"{base}/mcp/workflow") as client:
        assert [tool.name for tool in (await client.list_tools()).tools][:12] == TWELVE
        result = await client.call_tool("start_session", {"workflow_id": "first-call"})
        assert result.structured_content is not None
        assert result.meta is not None
        assert result.structured_content["session_token"] == result.meta["session_token"]


def test_plain_http_gives_body_and_meta_in_one_object(base: str) -> None:
    """W-9, W-10, W-64."""
    started = post(base, "start_session", workflow_id="first-call").json()
    assert started["_meta"]["session_token"] == started["session_token"]
    entered = post(base, "next_activity", session_token=started["session_token"], activity_id="choose").json()
    early = post(
        base,
        "respond_checkpoint",
        session_token=entered["session_token"],
        checkpoint_id="tool-confirmed",
        option_id="reads",
    )
    assert early.status_code == 425
    assert early.headers["retry-after"] == "3"
    assert list(early.json()) == ["error"]
    assert post(base, "get_workflow").status_code == 400
    assert post(base, "get_workflow", session_token="a.b").status_code == 401


@pytest.mark.parametrize("name", ["start_session", "list_sessions", "inspect_session"])
def test_a_body_that_is_no_text_is_refused_in_words(base: str, name: str) -> None:
    """T-2, W-10: bytes that are not UTF-8, inside a text of otherwise good JSON."""
    body = b'{"workflow_id": "\xff\xfe", "sid": "\xff"}'
    answer = httpx2.post(f"{base}/v1/workflow/{name}", content=body)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "bad_input")
    assert "utf-8" in answer.json()["error"]["message"].lower()
    called = b'{"jsonrpc": "2.0", "id": 1, "method": "workflow.start_session", "params": ' + body + b"}"
    assert httpx2.post(f"{base}/rpc", content=called).json()["error"]["code"] == -32700


def test_a_token_of_any_characters_is_refused_as_one(base: str) -> None:
    """W-40, section 14."""
    for token in ("a.é", "é.é", "pw1.é.é", "_v8.00", "pw1._v8.00"):
        answer = post(base, "get_workflow", session_token=token)
        assert (answer.status_code, answer.json()["error"]["code"]) == (401, "token_invalid")


def test_json_rpc_carries_problems_as_data(base: str) -> None:
    """W-10."""
    asked = {"jsonrpc": "2.0", "id": 1, "method": "workflow.start_session", "params": {"workflow_id": "none"}}
    answer = httpx2.post(f"{base}/rpc", json=asked).json()
    assert answer["error"]["data"]["code"] == "not_found"
    step = asked | {"method": "workflow.run_step", "params": {"session_token": "x", "step_id": "y"}}
    assert httpx2.post(f"{base}/rpc", json=step).json()["error"]["data"]["code"] == "token_invalid"


def test_operators_read_sessions_while_their_gates_are_shut(base: str) -> None:
    """W-96."""
    started = post(base, "start_session", workflow_id="first-call").json()
    post(base, "next_activity", session_token=started["session_token"], activity_id="choose")
    listed = post(base, "list_sessions").json()["sessions"]
    assert [(one["workflow"], one["activity"]) for one in listed] == [("first-call", "choose")]
    seen = post(base, "inspect_session", sid=listed[0]["sid"]).json()
    assert [one["id"] for one in seen["waiting"]] == ["tool-confirmed", "write-consent"]
    assert [one["name"] for one in seen["timeline"]] == ["start_session", "next_activity"]
    (lost,) = post(base, "list_problems").json()["problems"]
    assert (lost["code"], lost["where"]) == ("unresolved_tool", "trial.call")
    assert post(base, "inspect_session", sid="none").status_code == 404


def post(base: str, name: str, **arguments: Any) -> httpx2.Response:
    return httpx2.post(f"{base}/v1/workflow/{name}", json=arguments)
