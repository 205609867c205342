"""Calls of GraphQL fields: what is sent, over which form of HTTP, and what a server's answers mean."""

from __future__ import annotations

import json
from typing import Any

import pytest
from graphql_desk import Caller, Service
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from periplus.model import Code, EventFilter


async def test_the_golden_document_is_sent_and_its_field_is_the_value(call: Caller) -> None:
    """S-85, S-86, section 17"""
    result = await call("berth", {"id": "b1"})
    assert call.service.asked == (
        "query berth($id: ID!) { berth(id: $id) { id code lengthM state owner { id name } } }"
    )
    assert call.service.bodies[-1]["variables"] == {"id": "b1"}
    assert result.value == {
        "id": "b1", "code": "B4", "lengthM": 40.0, "state": "FREE", "owner": {"id": "o1", "name": "Port"},
    }  # fmt: skip
    request = call.service.requests[-1]
    assert (request.method, request.headers["content-type"]) == ("POST", "application/json")
    assert request.headers["accept"].startswith("application/graphql-response+json")
    assert result.meta["http_status"] == 200
    assert result.notes == ()


async def test_values_travel_as_variables_whatever_they_are(call: Caller) -> None:
    """S-83, S-85: nested inputs, enums, lists of non-null, nulls, integers beyond 64 bits."""
    berth = {
        "code": 'a") { x } #', "sizes": [{"lengthM": 1.5}, {"lengthM": 2, "beamM": None}], "state": "TAKEN",
        "inner": {"code": 7, "sizes": []},
    }  # fmt: skip
    result = await call("echo", {"berth": berth, "ids": [1, -(2**31)], "flags": [True, None]})
    assert call.service.bodies[-1]["variables"] == {"berth": berth, "ids": [1, -(2**31)], "flags": [True, None]}
    told = json.loads(result.value)
    assert told["ids"] == [1, -(2**31)]
    assert told["berth"]["inner"] == {"code": "7", "sizes": [], "state": "FREE"}
    assert (await call("total", {"of": 10**30})).value == 10**30
    assert (await call("by", {"by": {"code": "B4"}})).value["id"] == "b1"


@pytest.mark.parametrize(
    ("tool", "arguments", "says"),
    [
        ("echo", {"berth": {"code": 1, "sizes": []}, "ids": [None]}, "/ids/0"),
        ("echo", {"berth": {"code": 1, "sizes": [{}]}, "ids": []}, "/berth/sizes/0/lengthM"),
        ("echo", {"berth": {"code": 1, "sizes": [], "state": "GONE"}, "ids": []}, "/berth/state"),
        ("count", {"state": 1}, "/state"),
        ("by", {"by": {"id": "1", "code": "B4"}}, "/by"),
        ("echo", {"ids": [2**31], "berth": {"code": 1, "sizes": []}}, "/ids/0"),
    ],
)
async def test_values_that_break_the_schema_never_leave(
    call: Caller, tool: str, arguments: dict[str, Any], says: str
) -> None:
    """S-59, S-83"""
    code, message, sent = await call.refusal(tool, arguments)
    assert (code, sent) == (Code.INVALID_ARGS, 0)
    assert says in message


async def test_a_field_behind_a_namespace_is_reached_through_it(call: Caller) -> None:
    """S-81"""
    assert (await call("Mutation:crew.sign", {"name": "Argo II"})).value["name"] == "Argo II"
    assert call.service.asked.startswith("mutation sign($name: String!) { crew { sign(name: $name) {")
    assert (await call("hours")).value == "8 to 17 "


async def test_arguments_that_are_not_given_are_not_declared(call: Caller) -> None:
    await call("berths", {"first": 1})
    assert call.service.asked.startswith("query berths($first: Int) { berths(first: $first) { nodes {")
    await call("count")
    assert call.service.bodies[-1] == {"query": "query count {\n  count\n}"}


async def test_the_next_page_is_told_in_the_arguments_of_the_same_tool(call: Caller) -> None:
    """S-77, S-84"""
    result = await call("berths", {"first": 1})
    assert result.meta["next"] == {"arguments": {"first": 1, "after": "c1"}}
    assert "next" not in (await call("berths", result.meta["next"]["arguments"])).meta


async def test_a_source_that_is_asked_by_get_still_changes_things_by_post(call: Caller) -> None:
    """S-85: GET only by setting, and never for a mutation."""
    await call.connect(transport="get")
    await call("berth", {"id": "b1", "_select": "id"})
    assert call.service.requests[-1].method == "GET"
    assert call.service.bodies[-1]["variables"] == {"id": "b1"}
    await call("save", {"input": {"code": "B4", "sizes": []}})
    assert call.service.requests[-1].method == "POST"


async def test_files_go_as_a_multipart_form_with_a_map(call: Caller) -> None:
    """S-85: an `Upload` is null among the variables, and a part of its own."""
    seen: list[dict[str, Any]] = []

    async def answer(request: Request) -> Response:
        async with request.form() as form:
            parts = {name: part if isinstance(part, str) else await part.read() for name, part in form.items()}
            names = {name: part.filename for name, part in form.items() if not isinstance(part, str)}
        seen.append(parts | {"names": names})
        return JSONResponse({"data": {"attach": "done"}})

    call.service.answer = answer
    files = {"file": {"text": "chart", "filename": "a.txt"}, "more": ["data:text/plain;base64,aGk=", "plain"]}
    result = await call("attach", files | {"label": "x"})
    assert result.value == "done"
    (parts,) = seen
    operations = json.loads(parts["operations"])
    assert operations["variables"] == {"file": None, "more": [None, None], "label": "x"}
    assert operations["query"].startswith("mutation attach($file: Upload!, $more: [Upload!], $label: String)")
    where = json.loads(parts["map"])
    assert where == {"0": ["variables.file"], "1": ["variables.more.0"], "2": ["variables.more.1"]}
    assert [parts[number] for number in "012"] == [b"chart", b"hi", b"plain"]
    assert parts["names"]["0"] == "a.txt"
    assert "apollo-require-preflight" in call.service.requests[-1].headers


async def test_the_trail_names_the_endpoint_and_the_field(call: Caller) -> None:
    """T-40, S-61"""
    await call("berth", {"id": "b1"})
    row = (await call.gateway.trail.latest(EventFilter(verb="call"), limit=1))[0].event
    assert row.detail["request"] == f"POST {call.service.site.base} query berth"


async def test_a_schema_without_an_endpoint_cannot_be_called(call: Caller) -> None:
    """S-51, S-80"""
    await call.connect(endpoint="")
    problem = await call.refused("count")
    assert problem.code is Code.NOT_CALLABLE
    assert "endpoint" in problem.hints[0]


@pytest.mark.parametrize("status", [200, 400, 403, 500])
@pytest.mark.parametrize(
    ("error", "code"),
    [
        ({"extensions": {"code": "UNAUTHENTICATED"}}, Code.UPSTREAM_UNAUTHENTICATED),
        ({"extensions": {"code": "FORBIDDEN"}}, Code.FORBIDDEN),
        ({"extensions": {"code": "BAD_USER_INPUT"}}, Code.INVALID_ARGS),
        ({"extensions": {"code": "NOT_FOUND"}}, Code.NOT_FOUND),
        ({"type": "NOT_FOUND"}, Code.NOT_FOUND),
        ({"extensions": {"code": "RATE_LIMITED"}}, Code.RATE_LIMITED),
        ({"extensions": {"code": "PERSISTED_QUERY_NOT_FOUND"}}, Code.UNSUPPORTED),
    ],
)
async def test_errors_without_a_value_are_a_refusal_by_their_code_in_any_status(
    call: Caller, service: Service, error: dict[str, Any], code: Code, status: int
) -> None:
    """S-86"""
    service.says({"data": None, "errors": [{"message": "no, thanks"} | error, {"message": "and so"}]}, status)
    problem = await call.refused("berth", {"id": "b1"})
    assert (problem.code, problem.message) == (code, "berth failed: no, thanks")
    assert "and so" in problem.hints
    assert problem.details["errors"][0]["message"] == "no, thanks"
    assert problem.details["http_status"] == status


@pytest.mark.parametrize(
    ("errors", "status", "code"),
    [
        ([{"message": "x"}], 200, Code.UPSTREAM_ERROR),
        ([{"message": "x", "extensions": {"code": "ODD"}}], 422, Code.INVALID_ARGS),
        ([{"message": "x"}], 500, Code.UPSTREAM_ERROR),
        (["x"], 200, Code.UPSTREAM_ERROR),
        ([{}], 200, Code.UPSTREAM_ERROR),
    ],
)
async def test_errors_without_a_known_code_go_by_the_status(
    call: Caller, service: Service, errors: list[Any], status: int, code: Code
) -> None:
    service.says({"errors": errors}, status, "application/graphql-response+json")
    assert (await call.refused("save", {"input": {"code": "B4", "sizes": []}})).code is code


async def test_a_value_with_errors_is_a_success_with_notes(call: Caller, service: Service) -> None:
    """S-86: partial data."""
    errors = [{"message": "owner is private", "path": ["search", 0, "owner"]}]
    service.says({"data": {"search": [{"__typename": "Berth", "id": "b1", "code": "B4"}]}, "errors": errors})
    result = await call("search", {"text": "x"})
    assert result.value[0]["id"] == "b1"
    assert "search.0.owner: owner is private" in result.notes


async def test_what_is_no_graphql_is_read_like_any_answer(call: Caller, service: Service) -> None:
    """S-78, S-79, S-86"""
    service.says("<html><title>Sign in</title></html>", 200, "text/html")
    result = await call("count")
    assert any(note.startswith("looks_like_login") for note in result.notes)
    assert "the answer is no GraphQL: it has neither data nor errors" in result.notes
    service.says("<html><title>Bad gateway</title></html>", 502, "text/html")
    problem = await call.refused("save", {"input": {"code": "B4", "sizes": []}})
    assert (problem.code, problem.message) == (Code.UPSTREAM_ERROR, "the upstream answered 502: Bad gateway")
    service.says({"message": "who are you?"}, 401)
    assert (await call.refused("count")).code is Code.UPSTREAM_UNAUTHENTICATED
    service.says('{"data": {"count": 7}}', 200, "text/plain")
    assert (await call("count")).value == 7
    service.says({"hello": 1})
    assert "no GraphQL" in (await call("count")).notes[0]


async def test_a_payload_that_reports_errors_is_a_success_that_says_so(call: Caller, service: Service) -> None:
    """S-87"""
    faults = [{"field": ["input", "code"], "message": "is taken"}, {"message": "and late"}]
    service.says({"data": {"save": {"berth": None, "userErrors": faults}}})
    result = await call("save", {"input": {"code": "B4", "sizes": []}})
    assert "reports_errors: userErrors: input.code: is taken; and late" in result.notes
    service.says({"data": {"save": {"berth": None, "userErrors": []}}})
    assert (await call("save", {"input": {"code": "B4", "sizes": []}})).notes == ()


async def test_an_error_member_of_a_union_is_a_success_that_says_so(call: Caller, service: Service) -> None:
    """S-87"""
    result = await call("reserve", {"id": "b9"})
    assert result.value["__typename"] == "NotFoundError"
    assert result.notes == ("reports_errors: NotFoundError: no berth b9",)
    service.says({"data": {"reserve": {"__typename": "Taken", "message": "by the Argo"}}})
    assert not [note for note in (await call("reserve", {"id": "b1"})).notes if "reports_errors" in note]


async def test_a_server_that_changed_its_schema_is_said_to_have(call: Caller, service: Service) -> None:
    error = {"message": 'Cannot query field "code"', "extensions": {"code": "GRAPHQL_VALIDATION_FAILED"}}
    service.says({"errors": [error]}, 400)
    problem = await call.refused("berth", {"id": "b1"})
    assert problem.details["outdated"] is True
    assert "sync the source" in problem.hints[-1]


async def test_a_secret_that_a_server_repeats_is_in_neither_value_nor_refusal(
    call: Caller, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S-79, T-23"""
    monkeypatch.setenv("QUAY_TOKEN", "s3cret-0123456789")
    await call.connect(headers={"Authorization": "Bearer env:QUAY_TOKEN"})
    service.says({"data": {"echo": "you sent s3cret-0123456789"}})
    result = await call("echo", {"berth": {"code": 1, "sizes": []}, "ids": []})
    assert "s3cret" not in str(result)
    service.says({"errors": [{"message": "bad s3cret-0123456789"}]})
    problem = await call.refused("count")
    assert "s3cret" not in f"{problem.message}{problem.details}"
    assert service.requests[-1].headers["authorization"] == "Bearer s3cret-0123456789"
