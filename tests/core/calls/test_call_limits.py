"""Limits, retries and upstreams that fail (T-32, S-69)."""

from __future__ import annotations

from typing import Any

import anyio
import pytest
from calls_desk import AGENT, BOSS, OTHER, Watched, fill, governed

from periplus.core.gateway import Gateway, Parts
from periplus.model import Answer, Code, Limit, Prepared, Problem
from periplus.ports import Calling
from periplus.testing.catalogs import make_row
from periplus.testing.clock import SettableClock

DOWN = Problem(Code.UPSTREAM_ERROR, "the upstream answered 503", details={"http_status": 503})
BUSY = Problem(Code.RATE_LIMITED, "the upstream answered 429", details={"http_status": 429, "retry_after": 0.01})
GONE = Problem(Code.UNAVAILABLE, "no connection", details={"not_processed": True})
CUT = Problem(Code.UNAVAILABLE, "the connection was cut")


async def problem_of(gateway: Gateway, tool: str, arguments: Any = None, **asked: Any) -> Problem:
    with pytest.raises(Problem) as caught:
        await gateway.call(tool, arguments or {}, **({"principal": AGENT} | asked))
    return caught.value


async def test_a_read_is_repeated_until_it_succeeds(gateway: Gateway, upstream: Watched) -> None:
    upstream.refuse(DOWN, CUT, "at last")
    result = await gateway.call("list", {}, principal=AGENT)
    assert (result.value, result.meta["attempts"], len(upstream.sent)) == ("at last", 3, 3)


async def test_a_read_is_not_repeated_for_ever_nor_for_a_fault_of_its_own(gateway: Gateway, upstream: Watched) -> None:
    upstream.refuse(DOWN, DOWN, DOWN, "never")
    assert (await problem_of(gateway, "list")).details["attempts"] == 3
    upstream.refuse(Problem(Code.NOT_FOUND, "404", details={"http_status": 404}), "never")
    await problem_of(gateway, "list")
    assert len(upstream.sent) == 4


@pytest.mark.parametrize(
    ("fault", "times"),
    [
        (GONE, 2),
        (BUSY, 2),
        (Problem(Code.UPSTREAM_ERROR, "503", details={"http_status": 503, "retry_after": 0.01}), 2),
        (DOWN, 1),
        (CUT, 1),
        (Problem(Code.RATE_LIMITED, "429", details={"http_status": 429}), 1),
    ],
)
async def test_a_write_is_repeated_only_if_it_certainly_was_not_done(
    gateway: Gateway, upstream: Watched, fault: Problem, times: int
) -> None:
    upstream.refuse(fault, "done")
    try:
        await gateway.call("reserve", {"berth": "B4"}, principal=AGENT)
    except Problem:
        assert times == 1
    assert len(upstream.sent) == times


async def test_an_upstream_that_wants_a_long_wait_is_not_waited_for(gateway: Gateway, upstream: Watched) -> None:
    upstream.refuse(Problem(Code.RATE_LIMITED, "429", details={"http_status": 429, "retry_after": 600}), "never")
    problem = await problem_of(gateway, "list")
    assert (problem.code, problem.details["retry_after"], len(upstream.sent)) == (Code.RATE_LIMITED, 600, 1)


async def test_a_call_ends_with_its_deadline(gateway: Gateway, upstream: Watched) -> None:
    async def hang(prepared: Prepared, calling: Calling) -> Answer:
        await anyio.sleep_forever()
        raise AssertionError

    upstream.reply = hang
    problem = await problem_of(gateway, "reserve", {"berth": "B4"}, timeout_s=0.05)
    assert (problem.code, problem.retryable) == (Code.TIMEOUT, False)
    assert "may have been done" in problem.hints[0]
    assert (await problem_of(gateway, "list", timeout_s=0)).code is Code.BAD_INPUT


async def test_the_shortest_of_all_times_holds(parts: Parts, upstream: Watched) -> None:
    gateway = governed(parts, timeout_seconds=20.0, limits=(Limit(timeout_seconds=7.0, tools=("*/reserve",)),))
    await gateway.call("list", {}, principal=AGENT)
    await gateway.call("reserve", {"berth": "B4"}, principal=AGENT)
    await gateway.call("reserve", {"berth": "B4"}, principal=AGENT, timeout_s=3)
    assert [round(calling.timeout_s) for calling in upstream.callings] == [20, 7, 3]
    await fill(parts, rows=[make_row("slow", metadata={"timeout": 900})])
    await gateway.call("slow", {}, principal=AGENT)
    assert round(upstream.callings[-1].timeout_s) == 300


async def test_a_rate_is_each_principals_own_and_comes_back_with_time(
    parts: Parts, upstream: Watched, clock: SettableClock
) -> None:
    gateway = governed(parts, limits=(Limit(rate=("2/m",), tools=("harbour/berths/*",)),))
    for _ in range(2):
        await gateway.call("list", {}, principal=AGENT)
    problem = await problem_of(gateway, "list")
    assert (problem.code, problem.retryable, problem.details["retry_after"]) == (Code.RATE_LIMITED, True, 30.0)
    assert "2/m of limit 1" in problem.message
    await gateway.call("list", {}, principal=OTHER)
    clock.advance(31)
    await gateway.call("list", {}, principal=AGENT)
    assert len(upstream.sent) == 4


async def test_each_tool_can_have_its_own_measure(parts: Parts) -> None:
    gateway = governed(parts, limits=(Limit(rate=("1/d",), each=True),))
    await gateway.call("list", {}, principal=AGENT)
    await gateway.call("reserve", {"berth": "B4"}, principal=AGENT)
    assert (await problem_of(gateway, "list")).code is Code.RATE_LIMITED


async def test_calls_over_the_concurrency_wait(parts: Parts, upstream: Watched) -> None:
    gateway = governed(parts, limits=(Limit(concurrency=2),))
    running, most = 0, 0

    async def slow(prepared: Prepared, calling: Calling) -> Answer:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await anyio.sleep(0.01)
        running -= 1
        return Answer()

    upstream.reply = slow
    async with anyio.create_task_group() as tasks:
        for _ in range(8):
            tasks.start_soon(lambda: gateway.call("list", {}, principal=AGENT))
    assert (most, len(upstream.sent)) == (2, 8)


async def test_a_failing_upstream_is_left_alone_and_tried_again(
    parts: Parts, upstream: Watched, clock: SettableClock
) -> None:
    gateway = governed(parts, attempts=1, breaker_failures=3, breaker_seconds=10.0)
    upstream.refuse(CUT, CUT, CUT, CUT, "back")
    for _ in range(3):
        await problem_of(gateway, "list")
    shut = await problem_of(gateway, "list")
    assert (shut.code, len(upstream.sent)) == (Code.UNAVAILABLE, 3)
    assert "failed 3 times in a row" in shut.message
    clock.advance(10.1)
    await problem_of(gateway, "list")
    assert "left alone" in (await problem_of(gateway, "list")).message
    clock.advance(10.1)
    assert (await gateway.call("list", {}, principal=AGENT)).value == "back"
    upstream.answer("well")
    assert (await gateway.call("list", {}, principal=AGENT)).value == "well"


async def test_too_many_requests_never_close_an_upstream(parts: Parts, upstream: Watched) -> None:
    gateway = governed(parts, attempts=1, breaker_failures=2)
    upstream.refuse(*[BUSY] * 6, "well")
    for _ in range(6):
        assert (await problem_of(gateway, "list")).code is Code.RATE_LIMITED
    assert (await gateway.call("list", {}, principal=AGENT)).value == "well"


async def test_a_refusal_by_a_limit_uses_no_approval_up(parts: Parts, clock: SettableClock) -> None:
    gateway = governed(parts, limits=(Limit(rate=("1/m",)),))
    await gateway.call("list", {}, principal=AGENT)
    asked = await problem_of(gateway, "cancel", {"berth": "B4"})
    id_ = asked.details["approval"]
    await gateway.grant(id_, principal=BOSS)
    assert (await problem_of(gateway, "cancel", {"berth": "B4"}, approval=id_)).code is Code.RATE_LIMITED
    clock.advance(61)
    await gateway.call("cancel", {"berth": "B4"}, principal=AGENT, approval=id_)
