"""Values that calls of a conversation leave each other: by name, for their owner, within bounds (H-61, H-68, H-70)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from gateways import Opener
from hypothesis import given
from hypothesis import strategies as st

from periplus.core.gateway import Gateway
from periplus.core.sequence.outline import outline
from periplus.core.sequence.shelf import ALL_BYTES, Named, Shelf, read_shelf, shelf_text
from periplus.model import Code, EventFilter, Principal, Problem, SourceSpec, Step
from periplus.testing.clock import SettableClock
from quay import Quay

pytestmark = pytest.mark.anyio
ANN, BEA = Principal(id="ann"), Principal(id="bea")


async def test_every_call_is_numbered_and_known_to_the_next(harbour: Gateway, office: Quay) -> None:
    """H-61: whole under `$rN`, shaped as asked under its own name; `$last` is the newest."""
    here: dict[str, Any] = {"principal": ANN, "session": "s"}
    first = await harbour.take(Step(tool="listBerths", select="id", limit=1, name="free"), **here)
    assert first.names == ("r1", "free")
    assert first.result.value == [{"id": "B4"}]
    quote = Step(tool="quoteBerth", arguments={"code": "$r1[1].id", "note": "for ${free[0].id}"})
    assert (await harbour.take(quote, **here)).names == ("r2",)
    await harbour.take(Step(tool="quoteBerth", arguments={"code": "$last.berth"}), **here)
    assert office.asked[1:] == ["GET /berths/B7/quote?note=for%20B4", "GET /berths/B7/quote"]
    assert (await harbour.value("r1[*].length_m", **here)).value == [90, 70]
    assert (await harbour.value("free", **here)).value == [{"id": "B4"}]
    assert (await harbour.value("last", **here)).value == {"berth": "B7", "cost": 70}
    assert [named.outline for named in (await harbour.values(**here)).names.values()] == [
        "list of 2 {id, length_m, free}",
        "list of 1 {id}",
        "{berth, cost}",
        "{berth, cost}",
    ]


@pytest.mark.parametrize("text", ["$nope", "$step9.id", "$r7", "$last", "see $step0"])
async def test_a_name_that_nothing_has_is_never_sent(harbour: Gateway, office: Quay, text: str) -> None:
    """H-56."""
    with pytest.raises(Problem) as caught:
        await harbour.take(Step(tool="quoteBerth", arguments={"code": text}), principal=ANN, session="s")
    assert caught.value.code is Code.PLACEHOLDER
    assert "$$" in caught.value.hints[1]
    assert office.asked == []


async def test_a_session_is_its_principals_and_nobody_elses(harbour: Gateway, office: Quay) -> None:
    """H-70: not by the name of the session, and not by the handle of the value."""
    await harbour.take(Step(tool="listBerths", name="mine"), principal=ANN, session="s")
    handle = (await harbour.values(principal=ANN, session="s")).names["mine"].handle
    office.asked.clear()
    assert (await harbour.values(principal=BEA, session="s")).names == {}
    assert (await harbour.values(principal=ANN, session="t")).names == {}
    with pytest.raises(Problem):
        await harbour.value("mine", principal=BEA, session="s")
    with pytest.raises(Problem):
        await harbour.result(handle, principal=BEA)
    with pytest.raises(Problem):
        await harbour.take(Step(tool="quoteBerth", arguments={"code": "$mine[0].id"}), principal=BEA, session="s")
    assert office.asked == []


async def test_without_a_session_nothing_is_left_behind(harbour: Gateway) -> None:
    """H-7."""
    taken = await harbour.take(Step(tool="listBerths", name="free"))
    assert (taken.names, taken.notes) == ((), ("there is no session to keep $free in",))
    assert len((await harbour.run([Step(tool="listBerths", name="free")])).steps[0].value) == 2


async def test_the_next_sequence_forgets_the_steps_of_the_last_but_not_their_names(harbour: Gateway) -> None:
    """H-68."""
    here: dict[str, Any] = {"principal": ANN, "session": "s"}
    await harbour.run([Step(tool="listBerths", name="all"), Step(tool="listBerths", select="id")], **here)
    assert set((await harbour.values(**here)).names) == {"step0", "all", "step1"}
    await harbour.run([Step(tool="quoteBerth", arguments={"code": "$all[0].id"})], **here)
    assert set((await harbour.values(**here)).names) == {"all", "step0"}
    assert (await harbour.value("step0.cost", **here)).value == 90
    with pytest.raises(Problem) as caught:
        await harbour.run([Step(tool="quoteBerth", arguments={"code": "$step1[0].id"})], **here)
    assert caught.value.code is Code.PLACEHOLDER


async def test_values_outlive_the_process_and_an_idle_hour_and_no_more_than_a_day(
    opened: Opener, office: Quay, clock: SettableClock
) -> None:
    """H-8, H-70."""
    here: dict[str, Any] = {"principal": ANN, "session": "s"}
    async with opened() as gateway:
        await gateway.connect(SourceSpec(id="quay", url=office.document))
        await gateway.take(Step(tool="listBerths", name="free"), **here)
    clock.advance(20 * 3600)
    async with opened() as gateway:
        assert (await gateway.value("free[0].id", **here)).value == "B4"
        clock.advance(300 + 1)
        await gateway.call("listBerths", keep=True)  # sweeps what has ended
        assert (await gateway.value("free[0].id", **here)).value == "B4"
        await gateway.take(Step(tool="listBerths", name="later"), **here)
        clock.advance(4 * 3600)
        with pytest.raises(Problem):
            await gateway.value("free", **here)
        assert list((await gateway.values(**here)).names) == ["r2", "later"]


async def test_what_is_forgotten_is_gone_from_the_disk_and_numbers_are_not_used_again(
    harbour: Gateway,
) -> None:
    here: dict[str, Any] = {"principal": ANN, "session": "s"}
    await harbour.take(Step(tool="listBerths", name="free"), **here)
    handle = (await harbour.values(**here)).names["free"].handle
    assert await harbour.forget_values(**here) == 2
    assert (await harbour.values(**here)).names == {}
    with pytest.raises(Problem):
        await harbour.result(handle, principal=ANN)
    assert (await harbour.take(Step(tool="listBerths"), **here)).names == ("r2",)


async def test_values_are_sealed_where_they_lie(harbour: Gateway, tmp_path: Path) -> None:
    """H-70: a copy of the data directory shows nobody's values."""
    await harbour.take(Step(tool="listBerths", name="free"), principal=ANN, session="s")
    files = [file.read_bytes() for file in (tmp_path / "data").glob("ledger.db*")]
    assert files
    assert not any(b"length_m" in text for text in files)


async def test_a_sequence_and_its_calls_are_one_trace(harbour: Gateway) -> None:
    """H-66: one event for the run, and one for each call inside it."""
    ran = await harbour.run([Step(tool="listBerths"), Step(tool="nobody", goes_on=True)], principal=ANN, session="s")
    rows = [row.event for row in await harbour.trail.latest(EventFilter(trace=ran.trace))]
    run = next(one for one in rows if one.verb == "run")
    calls = [one for one in rows if one.verb == "call"]
    assert [(one.parent, one.subject) for one in calls] == [(run.span, "quay/berths/listBerths")]
    assert run.detail == {"steps": ["0 listBerths: ok", "1 nobody: error"]}
    assert (run.session, run.principal) == ("s", "ann")


async def test_a_protocol_may_bring_steps_of_its_own(harbour: Gateway) -> None:
    """H-66: what is no call of a tool."""

    async def look(arguments: dict[str, Any]) -> Any:
        return {"found": [{"code": arguments["wish"]}]}

    ran = await harbour.run(
        [
            Step(tool="look", arguments={"wish": "B7"}, select="code", name="seen"),
            Step(tool="quoteBerth", arguments={"code": "$seen.found[0].code"}),
        ],
        own={"look": look},
    )
    assert [one.value for one in ran.steps] == [{"found": [{"code": "B7"}]}, {"berth": "B7", "cost": 70}]


# --- the index -----------------------------------------------------------------------------------------------------

names = st.sampled_from(["r1", "r2", "r10", "step0", "step7", "mine", "yours", "third"])


@given(st.lists(st.tuples(names, st.integers(0, ALL_BYTES)), max_size=12))
def test_what_does_not_fit_goes_by_age_and_chosen_names_last(put: list[tuple[str, int]]) -> None:
    """H-70."""
    shelf = Shelf()
    for number, (name, size) in enumerate(put):
        shelf = shelf.put([name], Named(handle=f"h{number}", size=size, outline="", tool="", at=0.0))
    fitted, gone = shelf.fitted()
    assert sum(one.size for one in fitted.names.values()) <= ALL_BYTES
    assert list(fitted.names) == [name for name in shelf.names if name not in gone]
    given_names = [name for name in shelf.names if name[0] in "rs"]
    assert list(gone) == (given_names + [name for name in shelf.names if name not in given_names])[: len(gone)]
    if gone:
        last = shelf.names[gone[-1]]
        assert sum(one.size for one in fitted.names.values()) + last.size > ALL_BYTES
    assert read_shelf(shelf_text(fitted)) == fitted


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ([{"id": 1, "name": "a", "status": 2, "x": 1, "y": 2, "z": 3}] * 150, "list of 150 {id, name, status, +3}"),
        ({"a": 1}, "{a}"),
        ({}, "{}"),
        ([], "list of 0"),
        ([1, 2.5], "list of 2 numbers"),
        (["a", 1], "list of 2"),
        ("hello", "text of 5 characters"),
        (None, "null"),
        (True, "boolean"),
        (3, "number"),
    ],
)
def test_a_value_is_told_by_its_shape(value: Any, shown: str) -> None:
    """H-71."""
    assert outline(value) == shown
