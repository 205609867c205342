"""What the audit trail promises: rows are only added, in one chain, and found again by what they say."""
# ruff: noqa: S101 - assert is how pytest speaks; a test's name says what it shows

from __future__ import annotations

from collections.abc import Callable, Sequence

import anyio
import anyio.lowlevel
import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from periplus.model import START, VERBS, Event, EventFilter, Recorded, chained, event_text
from periplus.ports import Ledger, LedgerFactory
from periplus.testing.ledgers import make_event

ALL = EventFilter()
_WORDS = ("", "a", "b", "zoo/a", "zoo/b", "zoo*", "Zoo/a", "zö/%", "123")
_texts = st.sampled_from(_WORDS)
_events = st.builds(
    Event,
    verb=st.sampled_from(VERBS),
    at=st.just("2031-05-02T08:00:00Z"),
    trace=_texts,
    principal=_texts,
    tenant=_texts,
    session=_texts,
    subject=_texts,
    outcome=st.sampled_from(("ok", "timeout", "internal")),
    shown=st.lists(st.text(st.characters(exclude_categories=["Cs"]))).map(tuple),
    detail=st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), st.integers(-(2**53), 2**53)),
)
_filters = st.builds(
    EventFilter,
    tenant=st.none() | _texts,
    session=_texts,
    trace=_texts,
    subject=st.sampled_from((*_WORDS, "zoo/*", "z*", "*")),
    principal=_texts,
    verb=st.sampled_from(("", *VERBS)),
    outcome=st.sampled_from(("", "ok", "timeout")),
)


def check_chain(rows: Sequence[Recorded], tip: tuple[int, str]) -> None:
    """Every row hangs on the one before, from the start to the tip."""
    previous, number = START, 0
    for number, row in enumerate(rows, 1):
        assert (row.seq, row.previous) == (number, previous)
        assert row.hash == chained(row.seq, event_text(row.event), row.previous)
        previous = row.hash
    assert tip == (number, previous)


def admits(which: EventFilter, event: Event) -> bool:
    """What a filter means, said plainly."""
    members = ("session", "trace", "principal", "verb", "outcome")
    same = all(getattr(which, name) in ("", getattr(event, name)) for name in members)
    start = which.subject.removesuffix("*")
    subject = event.subject.startswith(start) if which.subject.endswith("*") else which.subject in ("", event.subject)
    return same and subject and which.tenant in (None, event.tenant)


class LedgerTrail:
    """`record`, `events`, `latest`, `tip`."""

    async def test_an_empty_trail_starts_at_the_start(self, ledger: Ledger) -> None:
        assert await ledger.tip() == (0, START)
        assert list(await ledger.events(ALL, 0, 9)) == []
        assert list(await ledger.latest(ALL, None, 9)) == []

    async def test_each_row_is_chained_to_the_one_before(self, ledger: Ledger) -> None:
        """T-40."""
        recorded = [await ledger.record(make_event(subject=f"goal {number}")) for number in range(5)]
        assert list(await ledger.events(ALL, 0, 99)) == recorded
        check_chain(recorded, await ledger.tip())

    async def test_what_is_written_is_read_back_whole(self, ledger: Ledger) -> None:
        event = make_event(
            "call",
            tenant="north",
            span="s1",
            parent="s0",
            session="c1",
            subject="zoo/fé\u2028ed",
            shown=("zoo/a", "zoo/ß"),
            outcome="timeout",
            rule="rule 3",
            ms=1.25,
            bytes=2**40,
            tokens=7,
            detail={"a": [1, {"b": None}], "€": "\u0000"},
        )
        recorded = await ledger.record(event)
        assert recorded.event == event
        assert list(await ledger.events(ALL, 0, 9)) == [recorded]

    async def test_two_hundred_recorders_at_once_make_one_chain(self, ledger: Ledger) -> None:
        """T-40: each gets a row of its own, and each row is acknowledged once."""
        acknowledged: list[Recorded] = []

        async def recorder(number: int) -> None:
            events = [make_event(session=f"s{number}", subject=str(turn)) for turn in range(3)]
            acknowledged.extend([await ledger.record(event) for event in events])

        async with anyio.create_task_group() as tasks:
            for number in range(200):
                tasks.start_soon(recorder, number)
        rows = await ledger.events(ALL, 0, 999)
        assert sorted(acknowledged, key=lambda row: row.seq) == list(rows)
        check_chain(rows, await ledger.tip())
        for number in (0, 77, 199):
            mine = await ledger.events(EventFilter(session=f"s{number}"), 0, 9)
            assert [row.event.subject for row in mine] == ["0", "1", "2"]

    async def test_a_recorder_that_gives_up_breaks_no_chain(self, ledger: Ledger) -> None:
        async with anyio.create_task_group() as tasks:
            for number in range(50):
                tasks.start_soon(ledger.record, make_event(subject=str(number)))
            await anyio.lowlevel.checkpoint()
            tasks.cancel_scope.cancel()
        await ledger.record(make_event(subject="after"))
        rows = await ledger.events(ALL, 0, 99)
        check_chain(rows, await ledger.tip())
        assert rows[-1].event.subject == "after"

    async def test_what_was_recorded_is_there_for_whoever_opens_next(
        self, ledger: Ledger, opened: Callable[[], LedgerFactory]
    ) -> None:
        first = await ledger.record(make_event())
        async with opened() as other:
            assert list(await other.events(ALL, 0, 9)) == [first]
            await other.record(make_event("browse"))
        check_chain(await ledger.events(ALL, 0, 9), await ledger.tip())
        assert (await ledger.tip())[0] == 2

    async def test_pages_go_forwards_and_backwards_without_gap(self, ledger: Ledger) -> None:
        for number in range(7):
            await ledger.record(make_event(subject=str(number), session="odd" if number % 2 else "even"))
        forwards = [row.seq for row in await ledger.events(ALL, 3, 2)]
        newest = [row.seq for row in await ledger.latest(ALL, None, 2)]
        older = [row.seq for row in await ledger.latest(ALL, newest[-1], 2)]
        odd = [row.event.subject for row in await ledger.latest(EventFilter(session="odd"), None, 9)]
        assert (forwards, newest, older, odd) == ([4, 5], [7, 6], [5, 4], ["5", "3", "1"])

    async def test_a_filter_finds_exactly_what_it_says(self, opened: Callable[[], LedgerFactory]) -> None:
        """Always: by any of its members together, a star at the end of a subject being a beginning."""
        async with opened() as ledger:
            await _check_filters(ledger)


async def _check_filters(ledger: Ledger) -> None:
    drawn: list[tuple[list[Event], EventFilter]] = []

    @settings(max_examples=60, deadline=None, database=None)
    @given(st.lists(_events, max_size=4), _filters)
    def draw(events: list[Event], which: EventFilter) -> None:
        drawn.append((events, which))

    draw()
    for events, _ in drawn:
        for event in events:
            await ledger.record(event)
    everything = await ledger.events(ALL, 0, 9999)
    assert [row.event for row in everything] == [event for events, _ in drawn for event in events]
    check_chain(everything, await ledger.tip())
    for _, which in drawn:
        wanted = [row for row in everything if admits(which, row.event)]
        shown = msgspec.to_builtins(which)
        assert list(await ledger.events(which, 0, 9999)) == wanted, shown
        assert list(await ledger.latest(which, None, 9999)) == wanted[::-1], shown
