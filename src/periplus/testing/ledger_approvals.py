"""What approvals promise: one answer, one use, for nothing but what was asked."""
# ruff: noqa: S101 - assert is how pytest speaks; a test's name says what it shows

from __future__ import annotations

from typing import Any

import anyio
import msgspec
import pytest

from periplus.model import Approval, ApprovalState, Code, Problem
from periplus.ports import Ledger
from periplus.testing.ledgers import make_approval

PENDING, GRANTED, REFUSED, SPENT, EXPIRED = ApprovalState


async def answer(ledger: Ledger, asked: Approval, state: ApprovalState = GRANTED, at: float = 2.0) -> Approval:
    said: dict[str, Any] = {
        "state": state,
        "settled_by": "bea",
        "settled_at": at,
        "settled_why": "fine",
        "grant": "sealed",
    }
    return await ledger.settle(msgspec.structs.replace(asked, **said))


class LedgerApprovals:
    """`ask`, `approval`, `approvals`, `settle`, `spend`, and what `sweep` does to them."""

    async def test_a_question_is_asked_answered_and_spent_once(self, ledger: Ledger) -> None:
        """T-31."""
        asked = await ledger.ask(make_approval())
        granted = await answer(ledger, asked)
        assert (granted.state, granted.settled_by, granted.settled_why, granted.grant) == (
            GRANTED,
            "bea",
            "fine",
            "sealed",
        )
        spent = await ledger.spend("a1", "of a1", 3.0)
        assert spent == msgspec.structs.replace(granted, state=SPENT)
        assert await ledger.approval("a1") == spent
        with pytest.raises(Problem, match="was used already") as caught:
            await ledger.spend("a1", "of a1", 3.0)
        assert caught.value.code is Code.CONFLICT

    async def test_of_many_who_spend_at_once_one_succeeds(self, ledger: Ledger) -> None:
        """T-31."""
        await answer(ledger, await ledger.ask(make_approval()))
        won: list[Approval] = []
        lost: list[Problem] = []

        async def use() -> None:
            try:
                won.append(await ledger.spend("a1", "of a1", 3.0))
            except Problem as problem:
                lost.append(problem)

        async with anyio.create_task_group() as tasks:
            for _ in range(20):
                tasks.start_soon(use)
        assert (len(won), {problem.code for problem in lost}, len(lost)) == (1, {Code.CONFLICT}, 19)

    async def test_the_same_question_is_not_put_twice_while_it_is_open(self, ledger: Ledger) -> None:
        first = await ledger.ask(make_approval("a1", binding="b"))
        assert await ledger.ask(make_approval("a2", binding="b", asked_at=5.0)) == first
        granted = await answer(ledger, first)
        assert await ledger.ask(make_approval("a3", binding="b", asked_at=6.0)) == granted
        await ledger.spend("a1", "b", 7.0)
        assert (await ledger.ask(make_approval("a4", binding="b", asked_at=8.0))).id == "a4"

    @pytest.mark.parametrize("after", ["refused", "expired"])
    async def test_a_question_that_is_closed_can_be_put_anew(self, ledger: Ledger, after: str) -> None:
        first = await ledger.ask(make_approval("a1", binding="b"))
        if after == "refused":
            await answer(ledger, first, REFUSED)
        again = make_approval("a2", binding="b", asked_at=5.0 if after == "refused" else 100.0, expires_at=200.0)
        assert await ledger.ask(again) == again

    @pytest.mark.parametrize(
        ("binding", "now", "why"),
        [("of another", 3.0, "given for another call"), ("of a1", 100.0, "has expired")],
    )
    async def test_a_grant_is_good_for_its_own_call_and_time_alone(
        self, ledger: Ledger, binding: str, now: float, why: str
    ) -> None:
        """T-31: other arguments, another tool version, another time are refused, and spend nothing."""
        await answer(ledger, await ledger.ask(make_approval()))
        with pytest.raises(Problem, match=why) as caught:
            await ledger.spend("a1", binding, now)
        assert caught.value.code is Code.CONFLICT
        assert (await ledger.spend("a1", "of a1", 99.0)).state is SPENT

    @pytest.mark.parametrize("state", [PENDING, REFUSED])
    async def test_what_nobody_granted_cannot_be_spent(self, ledger: Ledger, state: ApprovalState) -> None:
        asked = await ledger.ask(make_approval())
        if state is REFUSED:
            await answer(ledger, asked, REFUSED)
        with pytest.raises(Problem, match=f"is {state.value}, not granted"):
            await ledger.spend("a1", "of a1", 3.0)
        with pytest.raises(Problem, match="not known"):
            await ledger.spend("none", "of a1", 3.0)

    async def test_a_question_is_answered_once_and_in_time(self, ledger: Ledger) -> None:
        asked = await ledger.ask(make_approval())
        with pytest.raises(Problem, match="expired") as late:
            await answer(ledger, asked, at=100.0)
        await answer(ledger, asked, REFUSED)
        with pytest.raises(Problem, match="is refused already") as twice:
            await answer(ledger, asked)
        with pytest.raises(Problem) as unknown:
            await answer(ledger, make_approval("none"))
        codes = [caught.value.code for caught in (late, twice, unknown)]
        assert codes == [Code.CONFLICT, Code.CONFLICT, Code.NOT_FOUND]

    async def test_an_answer_changes_nothing_of_the_question(self, ledger: Ledger) -> None:
        await ledger.ask(make_approval())
        settled = await answer(ledger, make_approval(tool="zoo/burn", arguments={}, binding="x", expires_at=9e9))
        assert (settled.tool, settled.arguments, settled.binding, settled.expires_at) == (
            "zoo/feed",
            {"animal": "ox"},
            "of a1",
            100.0,
        )

    async def test_questions_are_listed_in_the_order_they_were_asked(self, ledger: Ledger) -> None:
        for number, tenant in enumerate(["", "north", "", "north", "north"]):
            await ledger.ask(make_approval(f"a{9 - number}", tenant=tenant, asked_at=float(number // 2)))
        await answer(ledger, make_approval("a6", tenant="north"))

        async def ids(tenant: str | None, state: ApprovalState | None, after: str = "", limit: int = 9) -> list[str]:
            return [approval.id for approval in await ledger.approvals(tenant, state, after, limit)]

        assert await ids(None, None) == ["a8", "a9", "a6", "a7", "a5"]
        assert await ids(None, None, "a9", 2) == ["a6", "a7"]
        assert await ids("north", None) == ["a8", "a6", "a5"]
        assert await ids("north", PENDING) == ["a8", "a5"]
        assert await ids("", GRANTED) == []

    async def test_questions_past_their_time_are_marked_as_expired(self, ledger: Ledger) -> None:
        await ledger.ask(make_approval("pending"))
        await answer(ledger, await ledger.ask(make_approval("granted")))
        await ledger.ask(make_approval("young", expires_at=101.0))
        assert await ledger.sweep(100.0, 1e9) == 2
        states = {approval.id: approval.state for approval in await ledger.approvals(None, None, "", 9)}
        assert states == {"pending": EXPIRED, "granted": EXPIRED, "young": PENDING}
        assert [approval.id for approval in await ledger.approvals(None, EXPIRED, "", 9)] == ["granted", "pending"]
