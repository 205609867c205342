"""Calls of native actions: what is sent, and what a site's answers mean."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from starlette.requests import Request
from starlette.responses import Response

from periplus.app.parts import transport
from periplus.model import Answer, Code, Effect, Problem, SourceSpec, Tool
from periplus.ports import Site
from sending import CALLING, call
from sites import Site as Web
from sites import site as web

EXECUTE = "/.well-known/elemm/execute"
QUOTE = Tool(
    source="harbour",
    path="berths/quote",
    key="berths:quote",
    origin="execute berths:quote",
    effect=Effect.WRITE,
    binding={"kind": "native", "method": "POST", "action": "berths:quote"},
)


@pytest.fixture
def harbour() -> Iterator[Web]:
    with web() as made:
        yield made


async def said(harbour: Web, body: Any, status: int = 200, tool: Tool = QUOTE, **more: Any) -> Answer:
    """The outcome of a call to which the site answers this."""
    text = body if isinstance(body, str) else json.dumps(body)
    harbour.write(EXECUTE, text, status=status)
    return await call(transport("native"), tool, harbour.base, {"berth": "B4"}, **more)


async def refused(harbour: Web, body: Any, status: int = 200, tool: Tool = QUOTE, **more: Any) -> Problem:
    with pytest.raises(Problem) as caught:
        await said(harbour, body, status, tool, **more)
    return caught.value


async def test_a_call_names_its_action_and_gives_its_parameters(harbour: Web) -> None:
    """H-78: with the site's credentials, too."""
    bodies: list[tuple[str, dict[str, str], Any]] = []

    async def execute(request: Request) -> Response:
        bodies.append((request.url.query, dict(request.headers), await request.json()))
        return Response('{"cost": 90}', media_type="application/json")

    harbour.serve(f"/v2{EXECUTE}", execute)
    answer = await call(
        transport("native"), QUOTE, f"{harbour.base}/v2", {"berth": "B4"},
        headers={"Authorization": "Bearer s3cret"}, query="tenant=t1",
    )  # fmt: skip
    assert answer.value == {"cost": 90}
    ((query, headers, body),) = bodies
    assert body == {"action": "berths:quote", "parameters": {"berth": "B4"}}
    assert (query, headers["authorization"], headers["content-type"]) == (
        "tenant=t1", "Bearer s3cret", "application/json",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("body", "value"),
    [
        ([{"id": "B4"}], [{"id": "B4"}]),
        ("pong", "pong"),
        ('"pong"', "pong"),
        ("null", None),
        ("", None),
        ({"status": "ok"}, {"status": "ok"}),
        ({"status": "success", "data": 1}, {"status": "success", "data": 1}),
    ],
)
async def test_a_result_is_what_the_site_gave(harbour: Web, body: Any, value: Any) -> None:
    assert (await said(harbour, body)).value == value


async def test_a_result_with_remarks_is_taken_out_of_its_wrapping(harbour: Web) -> None:
    """H-59: what another Periplus says around a result that it cut."""
    body = {"status": "success", "data": [1, 2], "_HYGIENE_NOTICE": "rows 1-2 of 75", "_NOTES": ["ignored: x"]}
    answer = await said(harbour, body)
    assert (answer.value, answer.notes, answer.truncated) == ([1, 2], ("rows 1-2 of 75", "ignored: x"), True)


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"message": "No."}, Code.UPSTREAM_ERROR),
        ({"message": "Action 'berths:quote' not found."}, Code.NOT_FOUND),
        ({"message": "There is no action 'berths:quote' on site x."}, Code.NOT_FOUND),
        ({"message": "berth not found"}, Code.UPSTREAM_ERROR),
        ({"message": "Missing", "expected_schema": {"x": "integer"}}, Code.INVALID_ARGS),
        ({"message": "Odd", "valid_options": ["a"]}, Code.INVALID_ARGS),
        ({"message": "x", "_PROTOCOL_ERROR": "ACCESS_DENIED"}, Code.FORBIDDEN),
        ({"message": "x", "_PROTOCOL_ERROR": "APPROVAL_REQUIRED", "approval_id": "a1"}, Code.FORBIDDEN),
        ({"message": "x", "_PROTOCOL_ERROR": "RATE_LIMIT_EXCEEDED"}, Code.RATE_LIMITED),
        ({"message": "x", "_PROTOCOL_ERROR": "EXECUTION_FAILED"}, Code.UPSTREAM_ERROR),
        ({"message": None}, Code.UPSTREAM_ERROR),
        ({}, Code.UPSTREAM_ERROR),
    ],
)
async def test_an_error_object_is_a_refusal_whatever_its_status(harbour: Web, body: Any, code: Code) -> None:
    """H-78"""
    problem = await refused(harbour, {"status": "error"} | body)
    assert problem.code is code
    assert problem.details["http_status"] == 200
    assert (body.get("message") or "no message") in problem.message


async def test_message_and_remedy_are_kept(harbour: Web) -> None:
    """H-78"""
    body = {"status": "error", "message": "No berth Z9.", "remedy": "List the berths.", "valid_options": ["B4", "B7"]}
    problem = await refused(harbour, body)
    assert problem.message == "the site answered: No berth Z9."
    assert problem.hints == ("List the berths.", "allowed: B4, B7")


async def test_an_action_brings_its_own_remedy_where_the_answer_has_none(harbour: Web) -> None:
    """H-77"""
    tool = Tool(**{name: getattr(QUOTE, name) for name in QUOTE.__struct_fields__} | {"metadata": {"remedy": "Ask."}})
    assert (await refused(harbour, {"status": "error", "message": "No."}, tool=tool)).hints == ("Ask.",)


@pytest.mark.parametrize("status", [400, 404, 422, 500, 503])
async def test_a_status_that_is_no_success_keeps_message_and_remedy(harbour: Web, status: int) -> None:
    """H-78: non-2xx is a failure."""
    body = {"status": "error", "message": "Invalid tool call.", "remedy": "Read the manifest."}
    problem = await refused(harbour, body, status)
    assert "Invalid tool call." in problem.message
    assert problem.hints[0] == "Read the manifest."
    assert problem.details["http_status"] == status


async def test_a_known_action_that_is_gone_says_so(harbour: Web) -> None:
    """H-79: it is read again when it answers "not found" for a known action."""
    gone = await refused(harbour, {"status": "error", "message": "Action 'berths:quote' not found."})
    other = await refused(harbour, {"status": "error", "_PROTOCOL_ERROR": "NOT_FOUND", "message": "no berth 'Z9'"})
    assert gone.details.get("outdated") is True
    assert "outdated" not in other.details


async def test_a_secret_that_a_site_repeats_is_not_shown(harbour: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    """H-45, S-79"""
    monkeypatch.setenv("HARBOUR_TOKEN", "s3cret-0123456789")
    body = {"status": "error", "message": "bad token s3cret-0123456789"}
    problem = await refused(harbour, body, headers={"Authorization": "Bearer env:HARBOUR_TOKEN"})
    assert "bad token" in problem.message
    assert "s3cret" not in f"{problem.message}{problem.hints}{problem.details}"


@pytest.mark.parametrize("value", ["$step0", "owe $step12 you", {"a": ["$STEP1.id"]}])
async def test_a_text_that_a_site_would_replace_is_refused(harbour: Web, value: Any) -> None:
    """H-98: callers of a reference site share its memory, so `$step0` is what somebody else was answered."""
    with pytest.raises(Problem) as caught:
        await call(transport("native"), QUOTE, harbour.base, {"berth": value})
    assert caught.value.code is Code.INVALID_ARGS
    assert caught.value.message.startswith("/berth")
    assert harbour.asked() == []
    harbour.write(EXECUTE, "1")
    assert (await call(transport("native"), QUOTE, harbour.base, {"berth": "$100, step 1"})).value == 1


@pytest.mark.parametrize("base", ["", "harbour.json", "ftp://x", "http://u:p@x"])
def test_a_site_that_nobody_named_cannot_be_called(base: str) -> None:
    """S-51"""
    site = Site(spec=SourceSpec(id="harbour", kind="native", url="x"), site={"base": base})
    with pytest.raises(Problem) as caught:
        transport("native").prepare(QUOTE, site, {}, CALLING)
    assert caught.value.code is Code.NOT_CALLABLE
    assert "base_url" in caught.value.hints[0]


def test_what_was_judged_is_what_is_sent() -> None:
    """S-61"""
    site = Site(
        spec=SourceSpec(id="harbour", kind="native", url="x", base_url="https://h.example/a b"), site={"base": ""}
    )
    prepared = transport("native").prepare(QUOTE, site, {"berth": "B4"}, CALLING)
    assert (prepared.method, prepared.origin, prepared.template) == ("POST", "https://h.example", "berths:quote")
    assert prepared.path == prepared.wire.target == f"/a%20b{EXECUTE}"
    assert prepared.size == len(prepared.wire.body)
