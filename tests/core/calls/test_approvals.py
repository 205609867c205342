"""Approvals: bound to everything a person saw, and good for one use (T-31, H-65)."""

from __future__ import annotations

from typing import Any

import anyio
import msgspec
import pytest
from calls_desk import AGENT, BOSS, OTHER, ROWS, Watched, fill, governed

from periplus.core.gateway import Gateway, Parts
from periplus.model import (
    LOCAL,
    Action,
    ApprovalState,
    Code,
    Effect,
    EventFilter,
    Policy,
    Principal,
    Problem,
    Rule,
    Step,
    Verdict,
)
from periplus.testing.catalogs import make_row
from periplus.testing.clock import SettableClock

B4 = {"berth": "B4"}


async def asked(gateway: Gateway, arguments: dict[str, Any] | None = None, principal: Principal = AGENT) -> str:
    """Call the tool that destroys, and give the approval that it waits for."""
    with pytest.raises(Problem) as caught:
        await gateway.call("harbour/berths/cancel", arguments or B4, principal=principal)
    assert caught.value.code is Code.APPROVAL_REQUIRED
    return str(caught.value.details["approval"])


async def refused(gateway: Gateway, approval: str, arguments: Any = None, **changes: Any) -> Problem:
    with pytest.raises(Problem) as caught:
        await gateway.call(
            "harbour/berths/cancel", arguments or B4, approval=approval, **({"principal": AGENT} | changes)
        )
    return caught.value


async def test_a_call_that_needs_a_person_waits_for_one_and_then_runs_once(gateway: Gateway, upstream: Watched) -> None:
    id_ = await asked(gateway)
    assert upstream.sent == []
    assert (await refused(gateway, id_)).code is Code.APPROVAL_REQUIRED
    granted = await gateway.grant(id_, principal=BOSS, why="the berth is needed")
    assert (granted.state, granted.settled_by, granted.settled_why) == (
        ApprovalState.GRANTED,
        "boss",
        "the berth is needed",
    )
    await gateway.call("harbour/berths/cancel", B4, principal=AGENT, approval=id_)
    assert upstream.sent == [B4]
    problem = await refused(gateway, id_)
    assert (problem.code, "used already" in problem.message) == (Code.CONFLICT, True)
    assert len(upstream.sent) == 1


async def test_asking_twice_is_one_question(gateway: Gateway) -> None:
    assert await asked(gateway) == await asked(gateway)
    assert await asked(gateway, {"berth": "A1"}) != await asked(gateway)


async def test_an_approval_fits_nothing_that_was_not_shown(gateway: Gateway, parts: Parts, upstream: Watched) -> None:
    id_ = await asked(gateway)
    await gateway.grant(id_, principal=BOSS)
    other = await refused(gateway, id_, {"berth": "A1"})
    assert "other arguments" in other.message
    assert (await refused(gateway, id_, principal=OTHER)).code is Code.NOT_FOUND
    policy = Policy(rules=(Rule(verdict=Verdict.ASK, tools=("harbour/berths/cancel",)),))
    assert "another policy" in (await refused(governed(parts, policy), id_)).message
    changed = [row for row in ROWS if row.path != "berths/cancel"]
    args = {"type": "object", "properties": {"berth": {"type": "string"}}}
    changed.append(make_row("berths/cancel", effect=Effect.DESTROY, args_schema=args, fingerprint="new"))
    await fill(parts, rows=changed)
    assert "another version of the tool" in (await refused(gateway, id_)).message
    assert upstream.sent == []


async def test_a_refusal_says_why(gateway: Gateway) -> None:
    id_ = await asked(gateway)
    await gateway.refuse(id_, principal=BOSS, why="it is taken")
    assert "refused: it is taken" in (await refused(gateway, id_)).message
    assert await asked(gateway) != id_


async def test_an_approval_lapses(gateway: Gateway, clock: SettableClock) -> None:
    id_ = await asked(gateway)
    await gateway.grant(id_, principal=BOSS)
    clock.advance(3601)
    assert "expired" in (await refused(gateway, id_)).message


async def test_of_two_uses_at_the_same_time_one_runs(gateway: Gateway, upstream: Watched) -> None:
    id_ = await asked(gateway)
    await gateway.grant(id_, principal=BOSS)
    outcomes: list[str] = []

    async def use() -> None:
        try:
            await gateway.call("harbour/berths/cancel", B4, principal=AGENT, approval=id_)
            outcomes.append("ran")
        except Problem as problem:
            outcomes.append(problem.code.value)

    async with anyio.create_task_group() as tasks:
        for _ in range(5):
            tasks.start_soon(use)
    assert sorted(outcomes) == ["conflict"] * 4 + ["ran"]
    assert len(upstream.sent) == 1


async def test_only_administrators_of_the_tenant_answer(gateway: Gateway) -> None:
    """T-22"""
    id_ = await asked(gateway)
    stranger = Principal(id="boss", tenant="other", scopes=frozenset({"admin"}))
    with pytest.raises(Problem) as caught:
        await gateway.grant(id_, principal=stranger)
    assert caught.value.code is Code.NOT_FOUND
    with pytest.raises(Problem) as caught:
        await gateway.grant(id_, principal=AGENT)
    assert caught.value.code is Code.FORBIDDEN
    assert [one.id for one in await gateway.approvals(principal=AGENT)] == [id_]
    assert [one.id for one in await gateway.approvals(principal=LOCAL)] == [id_]
    assert await gateway.approvals(principal=OTHER) == await gateway.approvals(principal=stranger) == ()


async def test_a_row_that_was_edited_grants_nothing(gateway: Gateway, parts: Parts) -> None:
    id_ = await asked(gateway)
    approval = await parts.ledger.approval(id_)
    assert approval is not None
    forged = msgspec.structs.replace(approval, state=ApprovalState.GRANTED, settled_by="boss", grant="forged")
    await parts.ledger.settle(forged)
    assert "not one that this gateway granted" in (await refused(gateway, id_)).message


async def test_what_a_person_is_shown_holds_no_secrets(gateway: Gateway, parts: Parts) -> None:
    args = {"type": "object", "properties": {"pin": {"type": "string", "format": "password"}, "token": {}, "to": {}}}
    await fill(parts, rows=[make_row("wipe", effect=Effect.DESTROY, args_schema=args)])
    with pytest.raises(Problem) as caught:
        await gateway.call("wipe", {"pin": "4711", "token": "s3cr3t", "to": "all"}, principal=AGENT)
    approval = await parts.ledger.approval(caught.value.details["approval"])
    assert approval is not None
    assert approval.arguments["to"] == "all"
    assert "4711" not in str(approval)
    assert "s3cr3t" not in str(approval)


async def test_who_granted_what_is_in_the_trail(gateway: Gateway, parts: Parts) -> None:
    id_ = await asked(gateway)
    await gateway.grant(id_, principal=BOSS, why="fine")
    (row,) = await parts.ledger.events(EventFilter(verb="grant"), 0, 10)
    assert (row.event.principal, row.event.subject, row.event.outcome) == ("boss", "harbour/berths/cancel", "granted")
    assert row.event.detail == {"approval": id_, "asked_by": "agent-1", "why": "fine"}


STEPS = (
    Step(tool="harbour/berths/list", arguments={"q": "free"}),
    Step(tool="harbour/berths/cancel", arguments=B4),
    Step(tool="harbour/pilots/assign", arguments={"berth": "$s2.berth", "note": "for ${s1.id}"}),
)


async def test_several_calls_are_asked_for_together_and_permitted_together(gateway: Gateway, upstream: Watched) -> None:
    """H-65: one question, bound to all steps as they are written; references are filled in later."""
    approval = await gateway.ask(STEPS, principal=AGENT)
    assert approval is not None
    assert (approval.tool, approval.effect) == ("3 calls", "destroy")
    assert [one["tool"] for one in approval.arguments["calls"]] == [step.tool for step in STEPS]
    with pytest.raises(Problem) as caught:
        await gateway.leave(approval.id, STEPS, principal=AGENT)
    assert caught.value.code is Code.APPROVAL_REQUIRED
    await gateway.grant(approval.id, principal=BOSS)
    leave = await gateway.leave(approval.id, STEPS, principal=AGENT)
    await gateway.call("cancel", B4, principal=AGENT, leave=leave)
    await gateway.call("assign", {"berth": "B4", "note": "for 7"}, principal=AGENT, leave=leave)
    assert len(upstream.sent) == 2
    for tool, arguments, principal in (
        ("cancel", {"berth": "A1"}, AGENT),
        ("cancel", B4, OTHER),
        ("assign", {"berth": "B4"}, AGENT),
    ):
        with pytest.raises(Problem) as caught:
            await gateway.call(tool, arguments, principal=principal, leave=leave)
        assert caught.value.code is Code.APPROVAL_REQUIRED
    with pytest.raises(Problem) as caught:
        await gateway.leave(approval.id, STEPS, principal=AGENT)
    assert "used already" in caught.value.message


async def test_nothing_is_asked_where_nothing_needs_it_and_nothing_where_one_step_is_denied(
    gateway: Gateway, parts: Parts
) -> None:
    assert await gateway.ask(STEPS[:1], principal=AGENT) is None
    policy = Policy(rules=(Rule(verdict=Verdict.DENY, action=(Action.CALL,), tools=("*/assign",)),))
    with pytest.raises(Problem) as caught:
        await governed(parts, policy).ask(STEPS, principal=AGENT)
    assert caught.value.code is Code.FORBIDDEN
    with pytest.raises(Problem) as caught:
        await gateway.ask([Step(tool="cancel", arguments={"berth": "Z"})], principal=AGENT)
    assert caught.value.code is Code.INVALID_ARGS
