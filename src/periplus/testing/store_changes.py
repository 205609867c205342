"""What a change does: all of it or nothing, as one revision."""
# ruff: noqa: S101 - assert is how pytest speaks; a test's name says what it shows

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import msgspec
import pytest
from anyio import CancelScope, from_thread

from periplus.model import Code, Node, Problem, Scope, Selector, SourceState, ToolRef
from periplus.ports import Known, Row, Store, StoreFactory
from periplus.testing.catalogs import make_change, make_record, make_row

ALL = Scope()


async def paths_of(store: Store, source: str) -> dict[str, str]:
    return {key: known.path for key, known in (await store.known(source)).items()}


async def refs_of(store: Store) -> list[str]:
    return [line.ref.path for line in await store.tools("", ALL, "", 2, deep=True)]


class StoreChanges:
    """`apply`, `mark`, `remove`, `lease`."""

    async def test_an_empty_catalog_has_revision_zero_and_no_root(self, store: Store) -> None:
        assert await store.revision() == 0
        assert await store.sources() == []
        assert await store.source("none") is None
        assert await store.known("none") == {}
        assert await store.node("", ALL) is None
        assert await store.children("", ALL, "", 9) == []
        assert await store.tools("", ALL, "", 9, deep=True) == []

    async def test_each_change_is_one_revision_that_the_record_carries(self, store: Store) -> None:
        """S-107."""
        assert await store.apply(make_change("harbour", [make_row("a/b")]), 1.0) == 1
        assert await store.apply(make_change("harbour", [make_row("a/c")]), 2.0) == 2
        assert await store.apply(make_change("airport"), 3.0) == 3
        assert await store.revision() == 3
        assert [(record.id, record.revision) for record in await store.sources()] == [("airport", 3), ("harbour", 2)]

    async def test_known_tells_path_fingerprint_and_version_of_every_tool(self, store: Store) -> None:
        """S-22: only a changed fingerprint is written, so the store must tell what it has."""
        rows = [make_row("a/b", key="GET /b", fingerprint="f1", version="2.0.0"), make_row("hid", hidden=True)]
        await store.apply(make_change("harbour", rows), 1.0)
        known = await store.known("harbour")
        assert set(known) == {"GET /b", "hid"}
        assert (known["GET /b"].path, known["GET /b"].fingerprint, known["GET /b"].version) == ("a/b", "f1", "2.0.0")

    async def test_a_known_key_is_replaced_whole(self, store: Store) -> None:
        first = make_row("a/b", key="k", summary="Old", tags=("old",), aliases=("elder",), paths=("a", "x/y"))
        await store.apply(make_change("harbour", [first]), 1.0)
        second = make_row("a/b", key="k", summary="New", tags=("new",), aliases=("younger",), paths=("a",))
        await store.apply(make_change("harbour", [second], nodes=[Node(path="a")]), 2.0)
        tool = await store.tool(ToolRef("harbour", "a/b"), ALL)
        assert tool is not None
        assert (tool.summary, tool.tags, tool.aliases, tool.paths) == ("New", ("new",), ("younger",), ("a",))
        assert await store.resolve("elder", ALL, 9) == []
        assert await store.node("harbour/x", ALL) is None
        assert [line.summary for line in await store.tools("harbour/a", ALL, "", 9)] == ["New"]

    async def test_a_tool_that_stays_where_it_is_takes_new_texts_and_leaves_the_counts(self, store: Store) -> None:
        first = make_row("a/b", key="k", summary="Old", fingerprint="1", version="1.0.0")
        await store.apply(make_change("harbour", [first, make_row("a/c")]), 1.0)
        texts: dict[str, Any] = {
            "summary": "New",
            "fingerprint": "2",
            "version": "1.1.0",
            "hidden": True,
            "tags": ("t",),
        }
        await store.apply(make_change("harbour", [make_row("a/b", key="k", **texts)]), 2.0)
        assert (await store.known("harbour"))["k"] == Known("a/b", "2", "1.1.0", ("a",))
        root = await store.node("", ALL)
        assert root is not None
        assert root.tools == 1
        tool = await store.tool(ToolRef("harbour", "a/b"), Scope(allow=(Selector(ref="harbour/a/b", tag="t"),)))
        assert tool is not None
        assert tool.summary == "New"
        assert [str(ref) for ref, _ in await store.resolve("ab", Scope(allow=(Selector(ref=str(tool.ref)),)), 9)] == [
            "harbour/a/b"
        ]

    async def test_a_row_may_say_a_name_twice(self, store: Store) -> None:
        row = msgspec.structs.replace(make_row("a/b"), names=("ab", "b", "ab"), tags=("x", "x"), paths=("a", "a"))
        await store.apply(make_change("harbour", [row]), 1.0)
        assert len(await store.resolve("ab", ALL, 9)) == 1
        assert len(await store.tools("harbour/a", ALL, "", 9)) == 1

    async def test_removed_keys_are_gone_and_the_rest_stays(self, store: Store) -> None:
        await store.apply(make_change("harbour", [make_row("a/b"), make_row("a/c")]), 1.0)
        await store.apply(make_change("harbour", removed=["a/b", "never there"]), 2.0)
        assert await paths_of(store, "harbour") == {"a/c": "a/c"}
        assert await store.tool(ToolRef("harbour", "a/b"), ALL) is None
        assert await store.near(["b"], ALL, 9) == []

    async def test_two_tools_swap_their_paths_in_one_change(self, store: Store) -> None:
        await store.apply(make_change("harbour", [make_row("a", key="1"), make_row("b", key="2")]), 1.0)
        await store.apply(make_change("harbour", [make_row("b", key="1"), make_row("a", key="2")]), 2.0)
        assert await paths_of(store, "harbour") == {"1": "b", "2": "a"}

    async def test_paths_move_round_among_thousands_of_rows(self, store: Store) -> None:
        """The one who leaves a path may come long after the one who takes it."""
        number = 5000
        await store.apply(make_change("harbour", (make_row(f"t{i}", key=str(i)) for i in range(number))), 1.0)
        turned = (make_row(f"t{(i + 1) % number}", key=str(i)) for i in range(number))
        await store.apply(make_change("harbour", turned), 2.0)
        assert await paths_of(store, "harbour") == {str(i): f"t{(i + 1) % number}" for i in range(number)}

    @pytest.mark.parametrize(
        "rows",
        [
            [make_row("new", key="1"), make_row("taken", key="2")],
            [make_row("same", key="1"), make_row("same", key="2")],
            [make_row("one", key="1"), make_row("two", key="1")],
        ],
    )
    async def test_two_claims_to_one_name_are_a_conflict_that_changes_nothing(
        self, store: Store, rows: list[Row]
    ) -> None:
        await store.apply(make_change("harbour", [make_row("taken", key="owner")]), 1.0)
        with pytest.raises(Problem) as caught:
            await store.apply(make_change("harbour", rows), 2.0)
        assert caught.value.code is Code.CONFLICT
        assert await store.revision() == 1
        assert await paths_of(store, "harbour") == {"owner": "taken"}

    async def test_one_path_twice_in_a_new_source_is_a_conflict_too(self, store: Store) -> None:
        with pytest.raises(Problem) as caught:
            await store.apply(make_change("harbour", [make_row("a", key="1"), make_row("a", key="2")]), 1.0)
        assert caught.value.code is Code.CONFLICT
        assert await store.sources() == []

    async def test_rows_that_fail_undo_everything(self, store: Store) -> None:
        """S-7: a kill, a fault or a cancellation leaves the old revision."""
        await store.apply(make_change("harbour", [make_row("a/b"), make_row("a/c")], nodes=[Node(path="a")]), 1.0)

        def failing() -> Iterator[Row]:
            yield from (make_row(f"new/t{i}") for i in range(3000))
            raise OSError("the disk went away")

        change = make_change("harbour", failing(), removed=["a/b"], nodes=[Node(path="new", title="New")])
        with pytest.raises(OSError, match="went away"):
            await store.apply(change, 2.0)
        assert await store.revision() == 1
        assert await paths_of(store, "harbour") == {"a/b": "a/b", "a/c": "a/c"}
        assert await store.retired("harbour", 0.0) == {}
        assert [node.path for node in await store.children("harbour", ALL, "", 9)] == ["harbour/a"]
        assert await store.apply(make_change("harbour", [make_row("a/d")]), 3.0) == 2

    async def test_readers_see_the_old_revision_while_rows_are_written(self, store: Store) -> None:
        """S-107: readers see the old or the new set. Rows are drawn in a worker thread, which may ask the loop."""
        await store.apply(make_change("harbour", [make_row("old")]), 1.0)
        seen: list[tuple[int, list[str]]] = []

        def rows() -> Iterator[Row]:
            for i in range(5000):
                if i == 4999:
                    seen.append((from_thread.run(store.revision), from_thread.run(refs_of, store)))
                yield make_row(f"new/t{i:04}")

        await store.apply(make_change("harbour", rows(), removed=["old"]), 2.0)
        assert seen == [(1, ["old"])]
        assert await refs_of(store) == ["new/t0000", "new/t0001"]

    async def test_a_cancelled_change_stops_and_leaves_nothing(self, store: Store) -> None:
        """S-7: a read can be cancelled."""
        await store.apply(make_change("harbour", [make_row("old")]), 1.0)

        def endless() -> Iterator[Row]:
            for i in count():
                if i == 100:
                    from_thread.run_sync(scope.cancel)
                yield make_row(f"t{i}")

        with CancelScope() as scope:
            await store.apply(make_change("harbour", endless(), removed=["old"]), 2.0)
        assert scope.cancelled_caught
        assert await store.revision() == 1
        assert await refs_of(store) == ["old"]

    async def test_what_was_applied_is_there_for_whoever_opens_next(
        self, store: Store, opened: Callable[[], StoreFactory]
    ) -> None:
        async with opened() as other:
            await other.apply(make_change("harbour", [make_row("a/b")]), 1.0)
            assert await store.revision() == 1
            await store.apply(make_change("harbour", removed=["a/b"]), 2.0)
            assert await other.revision() == 2
            assert await other.known("harbour") == {}

    async def test_mark_keeps_the_state_and_touches_neither_tools_nor_revision(self, store: Store) -> None:
        """S-108: a failed refresh keeps the last good set."""
        change = make_change("harbour", [make_row("a/b")])
        change.record = make_record("harbour", state=SourceState.OK, tools=1, areas=1)
        await store.apply(change, 1.0)
        await store.mark(make_record("harbour", state=SourceState.STALE, reason="no answer"))
        record = await store.source("harbour")
        assert record is not None
        assert (record.state, record.reason) == (SourceState.STALE, "no answer")
        assert (record.tools, record.areas, record.revision) == (1, 1, 1)
        assert await store.revision() == 1

    async def test_mark_keeps_a_source_that_was_never_read(self, store: Store) -> None:
        await store.mark(make_record("harbour", reason="refused", tools=7))
        record = await store.source("harbour")
        assert record is not None
        assert (record.reason, record.tools, record.revision) == ("refused", 0, 0)
        assert await store.children("", ALL, "", 9) == []

    async def test_a_record_comes_back_as_it_was(self, store: Store) -> None:
        record = make_record("harbour", site={"servers": [{"url": "/"}]}, instructions="be kind", state=SourceState.OK)
        change = make_change("harbour")
        change.record = record
        await store.apply(change, 1.0)
        assert await store.source("harbour") == msgspec.structs.replace(record, revision=1)

    async def test_a_removed_source_takes_everything_along_but_leaves_its_neighbours(self, store: Store) -> None:
        await store.apply(make_change("harbour", [make_row("a/b"), make_row("c", paths=("", "d/e"))]), 1.0)
        await store.apply(make_change("harbour-2", [make_row("a/b")]), 2.0)
        assert await store.remove("harbour", 3.0) == 3
        assert [record.id for record in await store.sources()] == ["harbour-2"]
        assert [node.path for node in await store.children("", ALL, "", 9)] == ["harbour-2"]
        root = await store.node("", ALL)
        assert root is not None
        assert (root.tools, root.areas) == (1, 1)
        assert [str(ref) for ref, _ in await store.resolve("ab", ALL, 9)] == ["harbour-2/a/b"]
        assert await store.apply(make_change("harbour", [make_row("a/b")]), 4.0) == 4

    async def test_removing_an_unknown_source_is_refused(self, store: Store) -> None:
        with pytest.raises(Problem) as caught:
            await store.remove("nobody", 1.0)
        assert caught.value.code is Code.SOURCE_NOT_FOUND
        assert await store.revision() == 0

    async def test_a_lease_is_one_holders_until_it_runs_out_or_is_given_up(self, store: Store) -> None:
        """S-110."""
        assert await store.lease("read harbour", "one", until=10.0, now=0.0)
        assert not await store.lease("read harbour", "two", until=15.0, now=5.0)
        assert await store.lease("read airport", "two", until=15.0, now=5.0)
        assert await store.lease("read harbour", "one", until=20.0, now=9.0)
        assert not await store.lease("read harbour", "two", until=29.0, now=19.0)
        assert await store.lease("read harbour", "two", until=30.0, now=20.0)
        assert not await store.lease("read harbour", "one", until=30.0, now=21.0)
        assert await store.lease("read harbour", "two", until=22.0, now=22.0)
        assert await store.lease("read harbour", "one", until=30.0, now=22.0)
