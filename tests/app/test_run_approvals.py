"""Where a person has to agree to a sequence: one question before it, and one in its middle from which it goes on."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from gateways import Opener
from starlette.responses import Response

from periplus.core.gateway import Gateway
from periplus.model import Approval, Code, Each, Principal, Problem, Retry, SourceSpec, Step
from quay import Quay

pytestmark = pytest.mark.anyio
ANN, BEA = Principal(id="ann"), Principal(id="bea")
BOSS = Principal(id="boss", scopes=frozenset({"admin"}))
STEPS = [
    Step(tool="listBerths", name="all"),
    Step(tool="cancelBerth", arguments={"code": "$all[0].id"}),
    Step(tool="cancelBerth", arguments={"code": "B7"}),
]


async def question(gateway: Gateway, steps: list[Step], who: Principal = ANN, **more: str) -> Approval:
    with pytest.raises(Problem) as caught:
        await gateway.run(steps, principal=who, **more)
    assert caught.value.code is Code.APPROVAL_REQUIRED
    assert "the same steps" in caught.value.hints[1]
    return next(one for one in await gateway.approvals(principal=BOSS) if one.id == caught.value.details["approval"])


async def refused(gateway: Gateway, steps: list[Step], approval: str, who: Principal = ANN) -> Code:
    with pytest.raises(Problem) as caught:
        await gateway.run(steps, principal=who, approval=approval)
    return caught.value.code


async def test_one_question_is_put_for_all_steps_and_nothing_runs_before(harbour: Gateway, office: Quay) -> None:
    """H-65: bound to its steps, to who asks, and good for one run."""
    asked = await question(harbour, STEPS)
    assert [one["arguments"] for one in asked.arguments["calls"]] == [{}, {"code": "$all[0].id"}, {"code": "B7"}]
    assert (await question(harbour, STEPS)).id == asked.id
    assert await refused(harbour, STEPS, asked.id) is Code.APPROVAL_REQUIRED
    await harbour.grant(asked.id, principal=BOSS)
    assert await refused(harbour, STEPS[:2], asked.id) is Code.CONFLICT
    assert await refused(harbour, [*STEPS[:2], Step(tool="cancelBerth", arguments={"code": "B4"})], asked.id)
    assert await refused(harbour, STEPS, asked.id, BEA) is Code.NOT_FOUND
    assert office.asked == []
    ran = await harbour.run(STEPS, principal=ANN, approval=asked.id)
    assert not ran.failed
    assert office.asked == ["GET /berths", "DELETE /berths/B4", "DELETE /berths/B7"]
    assert await refused(harbour, STEPS, asked.id) is Code.CONFLICT
    assert len(office.asked) == 3


async def test_a_person_sees_every_call_of_a_list_or_where_the_list_comes_from(harbour: Gateway) -> None:
    """H-65: a step done for each is not shown as one call."""
    each = Step(tool="cancelBerth", each=Each(items=["B4", "B7"]), arguments={"code": "$item"})
    asked = await question(harbour, [each])
    assert [one["arguments"]["code"] for one in asked.arguments["calls"]] == ["B4", "B7"]
    later = Step(tool="cancelBerth", each=Each(items="$all"), arguments={"code": "$item.id"})
    asked = await question(harbour, [STEPS[0], later])
    assert asked.arguments["calls"][1] == {
        "tool": "quay/berths/cancelBerth",
        "arguments": {"code": "$all[*].id"},
        "for_each": "$all",
    }


async def test_values_that_are_known_are_shown_and_bound_not_their_names(harbour: Gateway, office: Quay) -> None:
    """What a person agreed to cannot become something else by giving the name to another value."""
    await harbour.take(Step(tool="quoteBerth", arguments={"code": "B4"}, name="pick"), principal=ANN, session="s")
    steps = [Step(tool="cancelBerth", arguments={"code": "$pick.berth"})]
    asked = await question(harbour, steps, session="s")
    assert asked.arguments == {"code": "B4"}
    await harbour.grant(asked.id, principal=BOSS)
    await harbour.take(Step(tool="quoteBerth", arguments={"code": "B7"}, name="pick"), principal=ANN, session="s")
    with pytest.raises(Problem) as caught:
        await harbour.run(steps, principal=ANN, approval=asked.id, session="s")
    assert caught.value.code is Code.CONFLICT
    assert [one for one in office.asked if one.startswith("DELETE")] == []


POLICY = """
[policy.defaults]
destroy = "allow"

[[policy.rules]]
verdict = "ask"
tools = ["*/cancelBerth"]
when = "code == 'B7'"

[[policy.rules]]
verdict = "deny"
action = ["call"]
tools = ["*/reserveBerth"]
"""


async def test_a_question_that_a_value_raises_pauses_the_run_and_its_answer_goes_on(
    opened: Opener, office: Quay, tmp_path: Path
) -> None:
    """What was done is not done again."""
    file = tmp_path / "policy.toml"
    file.write_text(POLICY)
    steps = [
        Step(tool="listBerths", name="all"),
        Step(tool="cancelBerth", each=Each(items="$all"), arguments={"code": "$item.id"}),
        Step(tool="quoteBerth", arguments={"code": "$all[1].id"}),
    ]
    async with opened(file) as gateway:
        await gateway.connect(SourceSpec(id="quay", url=office.document))
        office.asked.clear()
        first = await gateway.run(steps, principal=ANN)
        assert [one.state.value for one in first.steps] == ["ok", "error", "not_run"]
        problem = first.problem
        assert problem is not None
        assert problem.code is Code.APPROVAL_REQUIRED
        approval = problem.details["approval"]
        assert office.asked == ["GET /berths", "DELETE /berths/B4"]
        await gateway.grant(approval, principal=BOSS)
        assert await refused(gateway, steps[:2], approval) is Code.CONFLICT
        second = await gateway.run(steps, principal=ANN, approval=approval)
        assert [one.state.value for one in second.steps] == ["ok", "ok", "ok"]
        assert office.asked[2:] == ["DELETE /berths/B7", "GET /berths/B7/quote"]
        assert len(second.steps[1].value) == 2
        assert (await gateway.run(steps, principal=ANN, approval=approval)).problem is not None
        assert office.asked[4:] == []


CANCEL = Step(tool="cancelBerth", arguments={"code": "$all[1].id"}, retry=Retry(times=2, delay_s=0))


@pytest.mark.parametrize(
    "cancel",
    [CANCEL, msgspec.structs.replace(CANCEL, each=Each(items="$all[1:2]"), arguments={"code": "$item.id"})],
)
async def test_a_call_that_was_agreed_to_is_tried_again_under_the_same_word(
    opened: Opener, office: Quay, tmp_path: Path, cancel: Step
) -> None:
    """H-65, H-69: the approval is spent by the first attempt; it is good for this call and for no other."""
    file = tmp_path / "policy.toml"
    file.write_text(POLICY)
    steps = [Step(tool="listBerths", name="all"), cancel]
    async with opened(file, calls__attempts=1) as gateway:
        await gateway.connect(SourceSpec(id="quay", url=office.document))
        first = await gateway.run(steps, principal=ANN)
        assert first.problem is not None
        approval = first.problem.details["approval"]
        await gateway.grant(approval, principal=BOSS)
        office.asked.clear()
        office.trouble += [Response(status_code=429, headers={"retry-after": "0"}) for _ in range(2)]
        second = await gateway.run(steps, principal=ANN, approval=approval)
        assert second.problem is None, second.problem
        assert office.asked == ["DELETE /berths/B7"] * 3
        again = await gateway.run(steps, principal=ANN, approval=approval)
        assert again.problem is not None
        assert again.problem.code is Code.CONFLICT
        assert office.asked == ["DELETE /berths/B7"] * 3


async def test_a_step_that_is_forbidden_refuses_the_sequence_before_it_begins(
    opened: Opener, office: Quay, tmp_path: Path
) -> None:
    """H-48: the same decision point as for one call."""
    file = tmp_path / "policy.toml"
    file.write_text(POLICY)
    async with opened(file) as gateway:
        await gateway.connect(SourceSpec(id="quay", url=office.document))
        office.asked.clear()
        with pytest.raises(Problem) as caught:
            await gateway.run([STEPS[0], Step(tool="reserveBerth", arguments={"code": "$all[0].id", "ship": {}})])
        assert (caught.value.code, caught.value.details["step"]) == (Code.FORBIDDEN, 1)
        assert office.asked == []
