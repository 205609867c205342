"""The door: in which order it checks, and what it lets through."""

from __future__ import annotations

import re
from typing import Any

import pytest
from calls_desk import AGENT, OTHER, Watched, fill

from periplus.core.gateway import Gateway, Parts
from periplus.model import Answer, Code, EventFilter, Problem
from periplus.testing.catalogs import make_row


async def refusal(gateway: Gateway, tool: str, arguments: Any, **asked: Any) -> Problem:
    with pytest.raises(Problem) as caught:
        await gateway.call(tool, arguments, principal=AGENT, **asked)
    return caught.value


async def test_a_call_sends_its_arguments_and_gives_the_answer(gateway: Gateway, upstream: Watched) -> None:
    result = await gateway.call("harbour/berths/reserve", {"berth": "B4", "nights": 2}, principal=AGENT)
    assert upstream.sent == [{"berth": "B4", "nights": 2}]
    assert result.value == {"berth": "B4", "nights": 2}
    assert (str(result.tool), result.handle, result.truncated) == ("harbour/berths/reserve", "", False)
    assert re.fullmatch("[0-9a-f]{32}", result.trace)


async def test_every_call_has_its_row_in_the_trail_whatever_becomes_of_it(gateway: Gateway, parts: Parts) -> None:
    """T-40"""
    done = await gateway.call("reserve", {"berth": "B4"}, principal=AGENT, session="s1")
    await refusal(gateway, "reserve", {"berth": "Z9"})
    await refusal(gateway, "nothing", {})
    rows = [row.event for row in await parts.ledger.events(EventFilter(verb="call"), 0, 10)]
    assert [(row.subject, row.outcome) for row in rows] == [
        ("harbour/berths/reserve", "ok"),
        ("harbour/berths/reserve", "invalid_args"),
        ("nothing", "tool_not_found"),
    ]
    assert (rows[0].trace, rows[0].session, rows[0].rule) == (done.trace, "s1", "default for write")
    assert rows[0].detail["arguments"] == {"berth": "B4"}
    assert rows[0].detail["status"] == 200


@pytest.mark.parametrize(
    ("arguments", "pointer", "words"),
    [
        ({}, "/berth", "is required"),
        ({"berth": "B44"}, "/berth", "did you mean 'B4'?"),
        ({"berth": "B4", "nights": "two"}, "/nights", 'is not of type "integer"'),
        ({"berth": "B4", "nights": 31}, "/nights", "greater than the maximum of 30"),
        ({"berth": "B4", "nigths": 3}, "/nigths", "did you mean 'nights'?"),
        ({"berth": "B4", "ship": {"length_m": "long"}}, "/ship/length_m", 'is not of type "number"'),
    ],
)
async def test_arguments_that_break_the_schema_never_leave(
    gateway: Gateway, upstream: Watched, arguments: dict[str, Any], pointer: str, words: str
) -> None:
    """S-59, E-35"""
    problem = await refusal(gateway, "harbour/berths/reserve", arguments)
    assert problem.code is Code.INVALID_ARGS
    assert upstream.sent == []
    found = {one["pointer"]: one["message"] for one in problem.details["violations"]}
    assert words in found[pointer]
    assert pointer in problem.message


async def test_everything_that_is_wrong_is_said_at_once(gateway: Gateway) -> None:
    problem = await refusal(gateway, "reserve", {"nights": 0, "extra": 1})
    assert len(problem.hints) == 3


async def test_a_body_given_whole_is_spread_over_the_arguments(gateway: Gateway, upstream: Watched) -> None:
    """S-45"""
    await gateway.call("reserve", {"body": {"berth": "B4", "nights": 2}}, principal=AGENT)
    await gateway.call("reserve", {"payload": {"berth": "A1"}, "nights": 1}, principal=AGENT)
    assert upstream.sent == [{"berth": "B4", "nights": 2}, {"nights": 1, "berth": "A1"}]
    problem = await refusal(gateway, "reserve", {"body": {"berth": "B4"}, "berth": "A1"})
    assert "twice" in problem.message


async def test_an_argument_answers_to_its_plain_name(gateway: Gateway, upstream: Watched) -> None:
    """S-41: the form with letters, digits, - and _ alone, as model APIs show it, is an alias."""
    await gateway.call("reserve", {"berth": "B4", "X-Trace": "a"}, principal=AGENT)
    assert upstream.sent[-1] == {"berth": "B4", "X-Trace": "a"}


async def test_arguments_have_a_depth_and_a_size(gateway: Gateway, upstream: Watched) -> None:
    """T-35"""
    deep: dict[str, Any] = {}
    for _ in range(100):
        deep = {"a": deep}
    problem = await refusal(gateway, "list", {"q": deep})
    assert (problem.code, "calls.arguments_depth" in problem.message) == (Code.OVER_LIMIT, True)
    problem = await refusal(gateway, "list", {"q": "x" * (9 << 20)})
    assert (problem.code, "calls.arguments_bytes" in problem.message) == (Code.OVER_LIMIT, True)
    problem = await refusal(gateway, "list", ["q"])
    assert problem.code is Code.BAD_INPUT
    assert upstream.sent == []


async def test_a_hidden_tool_and_a_missing_one_answer_the_same(gateway: Gateway) -> None:
    hidden = await refusal(gateway, "harbour/secret/door", {})
    missing = await refusal(gateway, "harbour/secret/gate", {})
    assert hidden.code is missing.code is Code.TOOL_NOT_FOUND
    assert hidden.message.replace("door", "gate") == missing.message


async def test_a_result_that_is_not_what_was_declared_is_a_note(
    gateway: Gateway, parts: Parts, upstream: Watched
) -> None:
    """S-75"""
    await fill(parts, rows=[make_row("tide", result_schema={"type": "object", "required": ["height"]})])
    upstream.answer({"height_m": 1})
    result = await gateway.call("tide", {}, principal=AGENT)
    assert result.value == {"height_m": 1}
    assert "is not what harbour/tide declares" in result.notes[0]
    assert gateway.drift() == {"harbour/tide": 1}


async def test_one_key_is_one_call(gateway: Gateway, upstream: Watched) -> None:
    """M-23"""
    asked: dict[str, Any] = {"principal": AGENT, "idempotency_key": "k1"}
    first = await gateway.call("reserve", {"berth": "B4"}, **asked)
    again = await gateway.call("reserve", {"berth": "B4"}, **asked)
    assert (again.value, again.meta["replayed"], len(upstream.sent)) == (first.value, True, 1)
    problem = await refusal(gateway, "reserve", {"berth": "A1"}, idempotency_key="k1")
    assert problem.code is Code.IDEMPOTENCY_CONFLICT
    await gateway.call("reserve", {"berth": "B4"}, principal=OTHER, idempotency_key="k1")
    assert len(upstream.sent) == 2


async def test_an_unknown_transport_answer_type_passes_through_untouched(gateway: Gateway, upstream: Watched) -> None:
    upstream.answer([10**40, 1.5, None, "x"])
    assert (await gateway.call("list", {}, principal=AGENT)).value == [10**40, 1.5, None, "x"]
    assert isinstance(upstream.callings[0].timeout_s, float)
    assert Answer().value is None
