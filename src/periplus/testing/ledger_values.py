"""What is kept for a while: results, conversations, token buckets."""
# ruff: noqa: S101 - assert is how pytest speaks; a test's name says what it shows

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import cast

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from periplus.model import Code, EventFilter, Principal, Problem, Rate, Session
from periplus.ports import Ledger, Sessions
from periplus.testing.ledgers import make_event, make_kept

ANN, BEA, OTHER_ANN = Principal(id="ann"), Principal(id="bea"), Principal(id="ann", tenant="north")
IDLE = 60.0


class LedgerValues:
    """`keep`, `kept`, `sweep`, `draw`, and sessions."""

    async def test_a_kept_value_is_given_back_until_it_ends(self, ledger: Ledger) -> None:
        await ledger.keep(make_kept())
        assert await ledger.kept("k1", 99.0) == make_kept(used_at=99.0)
        assert await ledger.kept("k1", 100.0) is None
        assert await ledger.kept("none", 2.0) is None

    async def test_a_large_value_is_kept_whole(self, ledger: Ledger) -> None:
        large = bytes(range(256)) * 40_000
        await ledger.keep(make_kept(sealed=large))
        found = await ledger.kept("k1", 2.0)
        assert found
        assert found.sealed == large

    async def test_values_that_ended_or_that_nobody_used_are_swept(self, ledger: Ledger) -> None:
        await ledger.keep(make_kept("ended", ends_at=40.0))
        await ledger.keep(make_kept("idle"))
        await ledger.keep(make_kept("used"))
        assert await ledger.kept("used", 30.0)
        assert await ledger.sweep(50.0, 30.0) == 2
        assert [bool(await ledger.kept(name, 51.0)) for name in ("ended", "idle", "used")] == [False, False, True]
        assert await ledger.sweep(50.0, 30.0) == 0

    async def test_a_value_is_removed_before_its_time_and_others_stay(self, ledger: Ledger) -> None:
        await ledger.keep(make_kept("gone"))
        await ledger.keep(make_kept("stays"))
        await ledger.drop(["gone", "never was"])
        await ledger.drop([])
        assert [bool(await ledger.kept(name, 2.0)) for name in ("gone", "stays")] == [False, True]

    # --- token buckets ----------------------------------------------------------------------------------------

    async def test_a_bucket_gives_what_it_holds_then_says_how_long_to_wait(self, ledger: Ledger) -> None:
        """T-32."""
        rate = Rate(2.0, 0.5)
        assert [await ledger.draw("b", rate, 10.0) for _ in range(3)] == [0.0, 0.0, 2.0]
        assert await ledger.draw("b", rate, 11.0) == 1.0
        assert await ledger.draw("b", rate, 12.0) == 0.0
        assert await ledger.draw("another", rate, 12.0) == 0.0
        assert await ledger.draw("b", rate, 99.0) == 0.0

    async def test_a_clock_that_is_set_back_takes_and_gives_no_token(self, ledger: Ledger) -> None:
        rate = Rate(2.0, 1.0)
        assert await ledger.draw("b", rate, 100.0) == 0.0
        assert await ledger.draw("b", rate, 50.0) == 0.0
        assert await ledger.draw("b", rate, 50.0) > 0.0

    async def test_a_bucket_that_never_fills_says_so(self, ledger: Ledger) -> None:
        assert await ledger.draw("b", Rate(1.0, 0.0), 1.0) == 0.0
        assert await ledger.draw("b", Rate(1.0, 0.0), 9.0) == math.inf
        assert await ledger.draw("none", Rate(0.0, 5.0), 1.0) == math.inf

    async def test_of_many_who_draw_at_once_as_many_succeed_as_there_are_tokens(self, ledger: Ledger) -> None:
        waits: list[float] = []

        async def draw() -> None:
            waits.append(await ledger.draw("b", Rate(7.0, 0.1), 1.0))

        async with anyio.create_task_group() as tasks:
            for _ in range(50):
                tasks.start_soon(draw)
        assert waits.count(0.0) == 7

    async def test_sweeping_gives_nobody_a_token(self, ledger: Ledger) -> None:
        """Always: with sweeps in between, a bucket says what it would have said without them."""
        drawn: list[list[tuple[float, bool]]] = []

        @settings(max_examples=25, deadline=None, database=None)
        @given(st.lists(st.tuples(st.floats(0, 9), st.booleans()), max_size=12))
        def draw(steps: list[tuple[float, bool]]) -> None:
            drawn.append(steps)

        draw()
        rate, now = Rate(3.0, 0.25), 0.0
        for number, steps in enumerate(drawn):
            for step, swept in steps:
                now += step
                if swept:
                    await ledger.sweep(now, 1e9)
                waits = [await ledger.draw(f"{number} {name}", rate, now) for name in ("a", "b")]
                assert waits[0] == waits[1]

    # --- sessions ---------------------------------------------------------------------------------------------

    async def test_a_session_is_saved_with_the_next_version(self, ledger: Sessions) -> None:
        new = Session(id="s", principal="ann", slots={"handshake": {"site": "zoo"}})
        saved = await ledger.save(new, 1.0, IDLE)
        assert (saved.version, saved.slots) == (1, new.slots)
        assert await ledger.session(ANN, "s", 2.0, IDLE) == saved

    async def test_whoever_read_an_older_version_writes_nothing(self, ledger: Sessions) -> None:
        old = await ledger.save(Session(id="s", principal="ann"), 1.0, IDLE)
        new = await ledger.save(old, 2.0, IDLE)
        for stale in (old, Session(id="s", principal="ann"), Session(id="other", principal="ann", version=1)):
            with pytest.raises(Problem) as caught:
                await ledger.save(stale, 3.0, IDLE)
            assert caught.value.code is Code.CONFLICT
        assert await ledger.session(ANN, "s", 3.0, IDLE) == new

    async def test_of_many_who_save_one_version_one_succeeds(
        self, ledger: Sessions, opened: Callable[[], AbstractAsyncContextManager[Sessions]]
    ) -> None:
        read = await ledger.save(Session(id="s", principal="ann"), 1.0, IDLE)
        outcomes: list[bool] = []

        async def write(place: Sessions) -> None:
            try:
                await place.save(read, 2.0, IDLE)
            except Problem:
                outcomes.append(False)
            else:
                outcomes.append(True)

        async with opened() as other, anyio.create_task_group() as tasks:
            for number in range(20):
                tasks.start_soon(write, other if number % 2 else ledger)
        assert outcomes.count(True) == 1

    async def test_one_principals_session_is_nobody_elses(self, ledger: Sessions) -> None:
        """T-22."""
        await ledger.save(Session(id="s", principal="ann"), 1.0, IDLE)
        assert await ledger.session(BEA, "s", 2.0, IDLE) is None
        assert await ledger.session(OTHER_ANN, "s", 2.0, IDLE) is None
        await ledger.end(BEA, "s")
        await ledger.end(OTHER_ANN, "s")
        assert await ledger.session(ANN, "s", 2.0, IDLE)
        mine = await ledger.save(Session(id="s", principal="ann", tenant="north"), 2.0, IDLE)
        assert mine.version == 1

    async def test_a_session_nobody_uses_ends_and_each_use_prolongs_it(self, ledger: Sessions) -> None:
        first = await ledger.save(Session(id="s", principal="ann", slots={"a": {}}), 0.0, IDLE)
        assert await ledger.session(ANN, "s", 59.0, IDLE) == first
        assert await ledger.session(ANN, "s", 118.0, IDLE) == first
        assert await ledger.peek(ANN, "s", 177.0, IDLE) == first  # no use: it prolongs nothing
        assert await ledger.peek(ANN, "s", 178.0, IDLE) is None
        assert await ledger.session(ANN, "s", 178.0, IDLE) is None
        with pytest.raises(Problem):
            await ledger.save(first, 178.0, IDLE)
        again = await ledger.save(Session(id="s", principal="ann"), 178.0, IDLE)
        assert again.slots == {}
        with pytest.raises(Problem):  # written by somebody who still holds the one that ended
            await ledger.save(first, 179.0, IDLE)
        assert await ledger.session(ANN, "s", 179.0, IDLE) == again

    async def test_ended_and_swept_sessions_are_forgotten(self, ledger: Sessions) -> None:
        for name, at in (("ended", 50.0), ("idle", 1.0), ("used", 50.0)):
            await ledger.save(Session(id=name, principal="ann"), at, IDLE)
        await ledger.end(ANN, "ended")
        await ledger.end(ANN, "none")
        assert await ledger.sweep_sessions(70.0, IDLE) == 1
        there = [bool(await ledger.session(ANN, name, 70.0, IDLE)) for name in ("ended", "idle", "used")]
        assert there == [False, False, True]

    async def test_a_session_advances_together_with_the_row_that_tells_of_it(self, ledger: Sessions) -> None:
        """W-45: both are written, or neither."""
        first = await ledger.advance(Session(id="s", principal="ann"), make_event("run", session="s"), 1.0, IDLE)
        assert first.version == 1
        await ledger.advance(first, make_event("run", session="s"), 2.0, IDLE)
        with pytest.raises(Problem) as caught:
            await ledger.advance(first, make_event("run", session="s"), 3.0, IDLE)
        assert caught.value.code is Code.CONFLICT
        trail = cast("Ledger", ledger)
        assert [row.seq for row in await trail.events(EventFilter(session="s"), 0, 10)] == [1, 2]

    async def test_the_owner_of_a_session_is_known_whoever_asks(self, ledger: Sessions) -> None:
        await ledger.save(Session(id="s", principal="ann", tenant="north"), 1.0, IDLE)
        assert await ledger.owner("s") == OTHER_ANN
        assert await ledger.owner("none") is None

    async def test_recent_sessions_are_listed_by_their_last_use(self, ledger: Sessions) -> None:
        for id_, principal, at in (("w:1", "ann", 1.0), ("w:2", "ann", 3.0), ("x:3", "ann", 4.0), ("w:4", "bea", 2.0)):
            await ledger.save(Session(id=id_, principal=principal), at, IDLE)
        assert [one.id for one in await ledger.recent(ANN, "w:", 10)] == ["w:2", "w:1"]
        assert [one.id for one in await ledger.recent(None, "w:", 2)] == ["w:2", "w:4"]
        assert await ledger.recent(OTHER_ANN, "w:", 10) == []
