"""Calls of manifest tools: what is sent, and what is in the envelopes that come back."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from starlette.requests import Request
from starlette.responses import Response

from periplus.app.parts import transport
from periplus.model import Answer, Code, Effect, Problem, SourceSpec, Tool
from periplus.ports import Site
from sending import CALLING, call
from sites import Site as Web
from sites import site as web

EXECUTE = "/api/v1/tools/execute"
FIND = Tool(
    source="harbour",
    path="find_berths",
    key="find_berths",
    origin="execute find_berths",
    effect=Effect.READ,
    binding={"kind": "manifest", "method": "POST", "endpoint": EXECUTE, "name": "find_berths"},
)
POLLING = {"status_tool": "status", "status_tool_id_param": "run", "operation_id_field": "data.run"}


@pytest.fixture
def harbour() -> Iterator[Web]:
    with web() as made:
        yield made


def tool(**members: Any) -> Tool:
    return msgspec.structs.replace(FIND, **members)


async def said(harbour: Web, body: Any, status: int = 200, made: Tool = FIND, **more: Any) -> Answer:
    """The outcome of a call to which the service answers this."""
    text = body if isinstance(body, str) else json.dumps(body)
    harbour.write(EXECUTE, text, status=status, **more)
    return await call(transport("manifest"), made, harbour.base, {"date": "2031-05-02"})


async def refused(harbour: Web, body: Any, status: int = 200, made: Tool = FIND, **more: Any) -> Problem:
    with pytest.raises(Problem) as caught:
        await said(harbour, body, status, made, **more)
    return caught.value


@pytest.mark.parametrize("endpoint", [EXECUTE, "/run/{tool_name}", "/run/{name}/now"])
async def test_a_call_names_its_tool_and_gives_its_arguments(harbour: Web, endpoint: str) -> None:
    """M-58, section 3"""
    bodies: list[tuple[dict[str, str], Any]] = []

    async def execute(request: Request) -> Response:
        bodies.append((dict(request.headers), await request.json()))
        return Response('{"success": true, "result": {"free": 3}}', media_type="application/json")

    harbour.serve(endpoint.format(tool_name="find_berths", name="find_berths"), execute)
    made = tool(binding=FIND.binding | {"endpoint": endpoint})
    answer = await call(transport("manifest"), made, harbour.base, {"date": "2031-05-02"}, headers={"X-Api-Key": "k"})
    assert answer.value == {"free": 3}
    ((headers, body),) = bodies
    assert body == {"tool_name": "find_berths", "arguments": {"date": "2031-05-02"}}
    assert (headers["idempotency-key"], headers["x-api-key"]) == ("k1", "k")


def test_a_name_stays_one_segment_of_the_path() -> None:
    """S-48"""
    made = tool(binding={"endpoint": "/run/{tool_name}", "name": "../admin?x#y"})
    site = Site(spec=SourceSpec(id="h", kind="manifest", url="x"), site={"base": "https://h.example"})
    assert transport("manifest").prepare(made, site, {}, CALLING).path == "/run/..%2Fadmin%3Fx%23y"
    with pytest.raises(Problem):
        transport("manifest").prepare(tool(binding={"endpoint": "/run/{name}", "name": ".."}), site, {}, CALLING)


@pytest.mark.parametrize(
    ("body", "value"),
    [
        ({"success": True, "result": {"free": 3}}, {"free": 3}),
        ({"success": True, "result": {"value": [1]}}, [1]),
        ({"success": True, "result": {"value": 1, "unit": "m"}}, {"value": 1, "unit": "m"}),
        ({"success": True}, None),
        ({"free": 3}, {"free": 3}),
        ([1, 2], [1, 2]),
        ("plain", "plain"),
    ],
)
async def test_a_result_is_what_lies_in_the_envelope(harbour: Web, body: Any, value: Any) -> None:
    """M-18"""
    assert (await said(harbour, body)).value == value


async def test_a_member_called_value_stays_where_the_tool_declares_it(harbour: Web) -> None:
    made = tool(result_schema={"type": "object", "properties": {"value": {"type": "number"}}})
    assert (await said(harbour, {"success": True, "result": {"value": 1}}, made=made)).value == {"value": 1}


async def test_success_decides_before_the_status(harbour: Web) -> None:
    """M-59"""
    assert (await said(harbour, {"success": True, "result": {"a": 1}}, 500)).value == {"a": 1}
    assert (await refused(harbour, {"success": False, "error": "No."}, 200)).code is Code.UPSTREAM_ERROR


@pytest.mark.parametrize(
    ("code", "status", "expected"),
    [
        ("invalid_args", 400, Code.INVALID_ARGS),
        ("unauthenticated", 401, Code.UPSTREAM_UNAUTHENTICATED),
        ("not_enabled", 403, Code.FORBIDDEN),
        ("unknown_tool", 500, Code.NOT_FOUND),
        ("approval_required", 409, Code.FORBIDDEN),
        ("schema_changed", 409, Code.SCHEMA_CHANGED),
        ("rate_limited", 429, Code.RATE_LIMITED),
        ("internal_error", 500, Code.UPSTREAM_ERROR),
        ("timeout", 200, Code.TIMEOUT),
        ("something", 503, Code.UNAVAILABLE),
        (None, 404, Code.NOT_FOUND),
        (7, 500, Code.UPSTREAM_ERROR),
    ],
)
async def test_a_refusal_is_told_by_its_code_then_by_its_status(
    harbour: Web, code: Any, status: int, expected: Code
) -> None:
    """M-59"""
    problem = await refused(harbour, {"success": False, "error": "It failed.", "code": code}, status)
    assert (problem.code, problem.message) == (expected, "find_berths failed: It failed.")
    assert problem.details["http_status"] == status


async def test_hints_and_waiting_times_are_kept(harbour: Web) -> None:
    """M-19, M-22"""
    hints = [{"pointer": "/date", "message": "not a date", "expected": "YYYY-MM-DD"}, "Try again.", None, {}]
    body = {"success": False, "error": {"message": "Slow down."}, "code": "rate_limited", "hints": hints}
    problem = await refused(harbour, body, 429, retry_after="7")
    assert problem.hints == ("/date: not a date, YYYY-MM-DD", "Try again.")
    assert (problem.retryable, problem.details["retry_after"]) == (True, 7.0)


async def test_an_approval_of_the_service_is_named_and_is_not_ours(harbour: Web) -> None:
    """M-38"""
    body = {"success": False, "error": "Ask.", "code": "approval_required", "result": {"approval_id": "apr_31"}}
    problem = await refused(harbour, body, 409)
    assert problem.hints == ("the service wants an approval of its own: apr_31",)


async def test_a_tool_that_is_no_longer_there_says_so(harbour: Web) -> None:
    assert (await refused(harbour, {"success": False, "code": "unknown_tool", "error": "x"}, 404)).details["outdated"]


async def test_a_failure_in_the_dialect_that_writes_no_false_is_a_failure(harbour: Web) -> None:
    """M-1, M-2"""
    problem = await refused(harbour, {"error": "It failed.", "executionTimeMs": "12"})
    assert problem.message == "find_berths failed: It failed."


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"success": True, "is_async": True, "status": "pending", "result": {"data": {"run": "r7"}}}, 202),
        ({"success": True, "isAsync": True, "status": "pending", "runId": "r7", "result": {}}, 200),
        ({"success": True, "status": "pending", "run_id": "r7"}, 202),
    ],
)
async def test_a_run_that_goes_on_is_told_with_the_call_that_follows_it(harbour: Web, body: Any, status: int) -> None:
    """M-28, M-29: in the strict statuses and the reference's."""
    made = tool(metadata={"long_running": True, "async_behavior": {"status_polling": POLLING}})
    answer = await said(harbour, body, status, made)
    assert answer.meta["run"] == {"id": "r7", "status": "pending", "tool": "status", "arguments": {"run": "r7"}}
    assert answer.meta["http_status"] == status


async def test_a_result_that_is_no_run_is_none(harbour: Web) -> None:
    assert "run" not in (await said(harbour, {"success": True, "run_id": "r7", "result": {}})).meta


@pytest.mark.parametrize("body", ['{"success": tru', "<html>", '{"success": "yes"}', "[]", "\x00"])
@pytest.mark.parametrize("status", [200, 500])
async def test_no_body_raises_anything_but_a_problem(harbour: Web, body: str, status: int) -> None:
    try:
        await said(harbour, body, status)
    except Problem as problem:
        assert status == 500
        assert problem.code is Code.UPSTREAM_ERROR  # noqa: PT017


async def test_a_service_that_is_not_there_says_that_nothing_was_sent() -> None:
    with pytest.raises(Problem) as caught:
        await call(transport("manifest"), FIND, "http://127.0.0.1:9")
    assert caught.value.code is Code.UNAVAILABLE


def test_a_manifest_in_a_file_cannot_be_called_without_an_address() -> None:
    """S-51"""
    site = Site(spec=SourceSpec(id="harbour", kind="manifest", url="x"), site={"base": ""})
    with pytest.raises(Problem) as caught:
        transport("manifest").prepare(FIND, site, {}, CALLING)
    assert caught.value.code is Code.NOT_CALLABLE
