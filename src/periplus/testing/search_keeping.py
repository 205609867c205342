"""How an index is kept: by difference, shared with other processes, whole whatever happens to its files."""
# ruff: noqa: S101 - assert is how pytest speaks; a test's name says what it shows

from __future__ import annotations

from collections.abc import Callable

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from periplus.model import Scope, ToolRef, placed_mark
from periplus.ports import SearchEngine
from periplus.testing.search_catalogs import asked, fill, made, tools

_ALL = list(tools())
_FEW = settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


class SearchKeeping:
    """R-15: one index for all processes of a catalog."""

    def test_another_process_answers_from_the_same_index(
        self, opened: Callable[[], SearchEngine], engine: SearchEngine
    ) -> None:
        """R-15: it reads no tool, and gives the same page (R-7)."""
        other = opened()
        assert (other.revision, other.damage) == (1, "")
        assert asked(other, "print an invoice") == asked(engine, "print an invoice")

    def test_what_one_process_writes_the_others_take_over(
        self, opened: Callable[[], SearchEngine], engine: SearchEngine
    ) -> None:
        other = opened()
        engine.update(2, [(made("town", "zoo/feedOtter", "Feed the otter"), "()")], ["town/harbour/listShip"])
        assert other.revision == 1
        assert other.refresh()
        assert other.revision == 2
        assert asked(other, "feed the otter")[0][0] == ToolRef("town", "zoo/feedOtter")
        assert not other.resolve("listShip", Scope()).exact
        assert not other.refresh()

    @_FEW
    @given(
        gone=st.sets(st.integers(0, len(_ALL) - 1), max_size=40),
        steps=st.lists(st.integers(1, 30), min_size=1, max_size=4),
    )
    def test_an_index_of_many_small_changes_answers_like_one_built_at_once(
        self, opened: Callable[[], SearchEngine], gone: set[int], steps: list[int]
    ) -> None:
        """R-15: incremental; words weigh what they weigh among the tools that are left."""
        engine = opened()
        fill(engine, _ALL[:50])
        at, revision = 50, 1
        for step in steps:
            revision += 1
            engine.update(revision, [(tool, "()") for tool in _ALL[at : at + step]], [])
            at += step
        left = [tool for number, tool in enumerate(_ALL[:at]) if number not in gone]
        refs = [str(tool.ref) for number, tool in enumerate(_ALL[:at]) if number in gone]
        engine.update(revision + 1, [], refs)
        grown = {goal: asked(engine, goal) for goal in ("list every ship", "delete the song", "a new passport")}
        fill(engine, left, revision + 2)
        for goal, page in grown.items():
            once = asked(engine, goal)
            assert sorted(round(score, 2) for _, score in page) == sorted(round(score, 2) for _, score in once)
            assert page[:1] == [] or page[0][0] == once[0][0]

    def test_what_is_stale_is_told_by_its_mark(self, engine: SearchEngine) -> None:
        wanted = {tool.path: placed_mark(tool.fingerprint, tool.paths) for tool in _ALL[:-2]}
        wanted["harbour/listShip"] = "changed"
        wanted["new/tool"] = "new"
        paths, gone = engine.stale("town", wanted)
        assert paths == {"harbour/listShip", "new/tool"}
        assert gone == {str(tool.ref) for tool in _ALL[-2:]}
        assert engine.sources() == {"town"}

    def test_an_empty_catalog_has_an_index_too(self, engine: SearchEngine) -> None:
        fill(engine, [], 2)
        assert engine.revision == 2
        assert asked(engine, "anything") == []
        assert engine.search_nodes("anything", Scope(), limit=5, within=None) == ()
        assert engine.match(".", Scope(), limit=5, after="").hits == ()
