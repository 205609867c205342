"""Sequences over real HTTP: checked before anything runs, every step through the one door, values left for later."""

from __future__ import annotations

from typing import Any

import anyio
import pytest
from gateways import Opener
from starlette.responses import JSONResponse

from periplus.core.gateway import Gateway
from periplus.core.mending.lenient import Leniency
from periplus.core.sequence.plan import Bounds
from periplus.model import Code, Each, EventFilter, Principal, Problem, Ran, Retry, SourceSpec, Step, Together
from quay import Quay

pytestmark = pytest.mark.anyio
ANN, BEA = Principal(id="ann"), Principal(id="bea")
LENIENT = Leniency(unknown="drop", repair=True, placeholders=("UNKNOWN", "PLACEHOLDER"))
LIST = Step(tool="listBerths", name="free", select="id")
SHIP = {"length_m": 80}


async def refusal(gateway: Gateway, *steps: Step | Together, **more: Any) -> Problem:
    with pytest.raises(Problem) as caught:
        await gateway.run(steps, **more)
    return caught.value


def states(ran: Ran) -> list[str]:
    return [one.state.value for one in ran.steps]


async def test_steps_refer_to_what_earlier_ones_gave(harbour: Gateway, office: Quay) -> None:
    """H-63, H-67: the published example: a list, a step for each of it, and one that its condition skips."""
    ran = await harbour.run(
        [
            LIST,
            Step(tool="quoteBerth", each=Each(items="$free"), arguments={"code": "$item.id", "note": "n$index"}),
            Step(
                tool="reserveBerth",
                condition="$step1[0].cost < 50",
                arguments={"code": "$free[0].id", "ship": SHIP},
            ),
        ]
    )
    assert states(ran) == ["ok", "ok", "skipped"]
    assert ran.steps[0].value == [{"id": "B4"}, {"id": "B7"}]
    assert ran.steps[1].value == [{"berth": "B4", "cost": 90}, {"berth": "B7", "cost": 70}]
    assert not ran.failed
    assert office.asked == ["GET /berths", "GET /berths/B4/quote?note=n0", "GET /berths/B7/quote?note=n1"]


async def test_a_reference_brings_its_type_and_a_text_around_it_makes_text(harbour: Gateway, office: Quay) -> None:
    """H-63."""
    steps = [
        Step(tool="listBerths", name="all"),
        Step(
            tool="reserveBerth",
            arguments={
                "code": "$all[0].id",
                "ship": {"length_m": "$all[0].length_m", "name": "for ${all[0].id} at $$5, $nope"},
                "tags": "$all[*].id",
            },
        ),
    ]
    assert not (await harbour.run(steps)).failed
    assert office.bodies == [{"ship": {"length_m": 90, "name": "for B4 at $5, $nope"}, "tags": ["B4", "B7"]}]


@pytest.mark.parametrize(
    ("steps", "code", "says"),
    [
        (
            [LIST, Step(tool="quoteBerth", arguments={"code": "$step2"}), Step(tool="listBerths")],
            Code.BAD_INPUT,
            "later",
        ),
        ([LIST, Step(tool="quoteBerth", arguments={"code": "$step1"})], Code.BAD_INPUT, "itself"),
        ([LIST, Step(tool="quoteBerth", arguments={"code": "$step9.id"})], Code.PLACEHOLDER, "step9"),
        ([LIST, Step(tool="quoteBerth", arguments={"code": "$nope"})], Code.PLACEHOLDER, "nope"),
        ([LIST, Step(tool="quoteBerth", arguments={"code": "$item"})], Code.PLACEHOLDER, "item"),
        ([LIST, Step(tool="nobody")], Code.TOOL_NOT_FOUND, "nobody"),
        ([LIST, Step(tool="reserveBerth", arguments={"code": "$free"})], Code.INVALID_ARGS, "/ship: is required"),
        ([LIST, Step(tool="quoteBerth", arguments={"code": "B4", "note": 5})], Code.INVALID_ARGS, "/note"),
        ([LIST, Step(tool="listBerths", each=Each(items=3))], Code.BAD_INPUT, "number"),
        ([LIST, Step(tool="listBerths", each=Each(items="$free", most=501))], Code.BAD_INPUT, "500"),
        ([LIST, Step(tool="listBerths", each=Each(items=[1] * 51))], Code.OVER_LIMIT, "51 items"),
        ([LIST, Step(tool="listBerths", each=Each(items=[1], at_once=9))], Code.BAD_INPUT, "1 to 8"),
        ([LIST, Step(tool="listBerths", condition="$free.count >")], Code.BAD_INPUT, "condition"),
        ([LIST, Step(tool="listBerths", condition="status == 1")], Code.BAD_INPUT, "no reference"),
        ([LIST, Step(tool="listBerths", name="step7")], Code.BAD_INPUT, "cannot be chosen"),
        ([LIST, Step(tool="listBerths", name="my name")], Code.BAD_INPUT, "not a name"),
        ([LIST, Step(tool="listBerths", name="free")], Code.BAD_INPUT, "'free' as well"),
        ([LIST, Step(tool="listBerths", retry=Retry(times=11))], Code.BAD_INPUT, "0 to 10"),
        ([LIST, Step(tool="listBerths", filter="=3")], Code.BAD_INPUT, "filter"),
        ([LIST, Together(steps=(Step(tool="listBerths"),))], Code.BAD_INPUT, "2 to 16"),
        (
            [LIST, Together(steps=(Step(tool="listBerths"), Step(tool="quoteBerth", arguments={"code": "$step1"})))],
            Code.BAD_INPUT,
            "beside it",
        ),
        ([LIST, Step(tool="")], Code.BAD_INPUT, "no tool"),
    ],
)
async def test_nothing_runs_where_one_step_cannot(
    harbour: Gateway, office: Quay, steps: list[Step | Together], code: Code, says: str
) -> None:
    """H-65: the error names the step, and nothing was sent."""
    problem = await refusal(harbour, *steps)
    assert (problem.code, office.asked) == (code, [])
    assert says in problem.message
    assert problem.details["step"] in (1, 2)
    assert problem.message.startswith(f"step {problem.details['step']}: ")


async def test_a_sequence_has_fifty_steps_at_most(harbour: Gateway, office: Quay) -> None:
    """H-70."""
    problem = await refusal(harbour, *[Step(tool="listBerths")] * 51)
    assert "1 to 50 steps, not 51" in problem.message
    assert "1 to 50 steps, not 0" in (await refusal(harbour)).message
    assert office.asked == []


async def test_a_step_after_which_others_go_on_keeps_its_fault_to_itself(harbour: Gateway, office: Quay) -> None:
    """H-65, H-68: and who refers to it hears which step failed with what."""
    ran = await harbour.run(
        [
            Step(tool="nobody", goes_on=True, name="lost"),
            Step(tool="quoteBerth", arguments={"code": "X9"}, goes_on=True),
            Step(tool="quoteBerth", arguments={"code": "$lost.id"}, goes_on=True),
            Step(tool="quoteBerth", arguments={"code": "B4"}, condition="NOT ($lost exists) AND NOT ($step1 exists)"),
            Step(tool="quoteBerth", arguments={"code": "$step3.nope"}),
            Step(tool="listBerths"),
        ]
    )
    assert states(ran) == ["error", "error", "error", "ok", "error", "not_run"]
    codes = [one.problem.code if one.problem else None for one in ran.steps]
    assert codes[:3] == [Code.TOOL_NOT_FOUND, Code.NOT_FOUND, Code.REFERENCE_UNRESOLVED]
    assert codes[4] is Code.REFERENCE_UNRESOLVED
    assert "step 0 (nobody) failed: tool_not_found" in str(ran.steps[2].problem)
    assert "there are: berth, cost" in str(ran.steps[4].problem)
    assert ran.failed
    assert ran.problem is ran.steps[4].problem
    assert office.asked == ["GET /berths/X9/quote", "GET /berths/B4/quote"]


async def test_steps_together_run_at_the_same_time(harbour: Gateway, office: Quay) -> None:
    quotes = tuple(Step(tool="quoteBerth", arguments={"code": code}, name=code) for code in ("B4", "B7"))
    ran = await harbour.run([LIST, Together(steps=quotes), Step(tool="quoteBerth", arguments={"code": "$B7.berth"})])
    assert states(ran) == ["ok"] * 4
    assert [one.number for one in ran.steps] == [0, 1, 2, 3]
    assert office.most_at_once == 2
    assert office.asked[-1] == "GET /berths/B7/quote"


async def test_items_are_worked_on_at_once_and_answered_in_order(harbour: Gateway, office: Quay) -> None:
    """H-67: with errors at their index."""
    step = Step(
        tool="quoteBerth",
        each=Each(items=["B7", "X1", "B4", "X2"], at_once=4),
        arguments={"code": "$item"},
        goes_on=True,
    )
    ran = await harbour.run([step])
    assert [one.state.value for one in ran.steps[0].items] == ["ok", "error", "ok", "error"]
    assert ran.steps[0].value[2] == {"berth": "B4", "cost": 90}
    assert ran.steps[0].value[1]["error"]["code"] == "not_found"
    assert office.most_at_once > 1
    assert not ran.failed


async def test_the_first_item_that_fails_stops_the_rest_unless_they_go_on(harbour: Gateway, office: Quay) -> None:
    step = Step(tool="quoteBerth", each=Each(items=["B7", "X1", "B4"]), arguments={"code": "$item"})
    ran = await harbour.run([step, LIST])
    assert states(ran) == ["error", "not_run"]
    assert [one.state.value for one in ran.steps[0].items] == ["ok", "error"]
    assert office.asked == ["GET /berths/B7/quote", "GET /berths/X1/quote"]


async def test_nothing_to_do_for_is_no_failure(harbour: Gateway, office: Quay) -> None:
    ran = await harbour.run(
        [
            Step(tool="listBerths", name="none", filter="id=nobody"),
            Step(tool="quoteBerth", each=Each(items="$none"), arguments={"code": "$item.id"}),
        ]
    )
    assert [one.value for one in ran.steps] == [[], []]
    assert len(office.asked) == 1


# --- again -------------------------------------------------------------------------------------------------------


async def test_a_read_is_tried_again_and_says_how_often(opened: Opener, office: Quay) -> None:
    """H-69."""
    async with opened(calls__attempts=1) as gateway:
        await gateway.connect(SourceSpec(id="quay", url=office.document))
        office.trouble = [JSONResponse({}, 503), JSONResponse({}, 429)]
        retry = Retry(times=3, delay_s=0.001)
        ran = await gateway.run([Step(tool="listBerths", retry=retry)])
        assert (states(ran), ran.steps[0].attempts) == (["ok"], 3)
        office.trouble = [JSONResponse({}, 503)] * 2
        ran = await gateway.run([Step(tool="listBerths", retry=Retry(times=1, delay_s=0.001))])
        assert (states(ran), ran.steps[0].attempts) == (["error"], 2)
        office.trouble = [JSONResponse({}, 503)]
        ran = await gateway.run([Step(tool="listBerths", retry=Retry(codes=(429, "timeout")))])
        assert (states(ran), ran.steps[0].attempts) == (["error"], 1)


async def test_a_write_is_repeated_only_when_it_had_no_effect(opened: Opener, office: Quay) -> None:
    """H-69: 500 may have done it; 429 and 503 with Retry-After have not."""
    async with opened(calls__attempts=1) as gateway:
        await gateway.connect(SourceSpec(id="quay", url=office.document))
        write = Step(
            tool="reserveBerth",
            arguments={"code": "B4", "ship": SHIP},
            retry=Retry(times=5, delay_s=0.001, codes=("upstream_error", "rate_limited", 500, 503)),
        )
        office.trouble = [JSONResponse({}, 429), JSONResponse({}, 503, {"retry-after": "0"}), JSONResponse({}, 500)]
        ran = await gateway.run([write])
        assert (states(ran), ran.steps[0].attempts) == (["error"], 3)
        office.trouble = [JSONResponse({}, 503)]
        assert (await gateway.run([write])).steps[0].attempts == 1


# --- bounds ------------------------------------------------------------------------------------------------------


async def test_a_sequence_that_takes_too_long_says_what_was_done(harbour: Gateway) -> None:
    """H-70."""
    ran = await harbour.run([LIST, Step(tool="waitLong"), LIST_AGAIN], timeout_s=0.5, session="s", principal=ANN)
    assert states(ran) == ["ok", "error", "not_run"]
    assert ran.problem is not None
    assert ran.problem.code is Code.TIMEOUT
    assert "1 of its 3 steps did" in ran.problem.message
    assert ran.failed
    shelf = await harbour.values(session="s", principal=ANN)
    assert list(shelf.names) == ["step0", "free"]


LIST_AGAIN = Step(tool="listBerths", name="again")


async def test_a_sequence_makes_so_many_calls_and_no_more(harbour: Gateway, office: Quay) -> None:
    """H-70."""
    step = Step(tool="quoteBerth", each=Each(items=["B4"] * 9), arguments={"code": "$item"})
    ran = await harbour.run([step], bounds=Bounds(calls=4))
    assert len(office.asked) == 4
    assert ran.steps[0].problem is not None
    assert ran.steps[0].problem.code is Code.OVER_LIMIT


async def test_a_caller_who_leaves_in_the_middle_finds_what_was_done(harbour: Gateway) -> None:
    """What ended is in the session, and the trail says where it was broken off."""
    async with anyio.create_task_group() as group:

        async def told(done: float, total: float | None, message: str) -> None:
            if done == 1:
                group.cancel_scope.cancel()

        steps = [LIST, Step(tool="waitLong"), LIST_AGAIN]
        group.start_soon(_run_for_ann, harbour, steps, told)
    shelf = await harbour.values(session="s", principal=ANN)
    assert shelf.names["free"].outline == "list of 2 {id}"
    rows = [row.event for row in await harbour.trail.latest(EventFilter(verb="run"))]
    assert rows[0].outcome == "cancelled"
    assert rows[0].detail["steps"][0] == "0 listBerths: ok"
    assert rows[0].detail["steps"][2] == "2 listBerths: not_run"


async def _run_for_ann(gateway: Gateway, steps: list[Step], told: Any) -> None:
    await gateway.run(steps, session="s", principal=ANN, progress=told)
