"""A search sees what its scope shows and is moved by nothing else."""
# ruff: noqa: S101 - assert is how pytest speaks; a test's name says what it shows

from __future__ import annotations

from collections.abc import Callable

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from periplus.model import Effect, Scope, Selector, Use
from periplus.ports import SearchEngine
from periplus.testing.search_catalogs import AREAS, VERBS, asked, fill, made, tools

_ALL = list(tools())
_THINGS = [thing for things in AREAS.values() for thing in things]
_SOME = settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
_SELECTORS = st.builds(
    Selector,
    ref=st.sampled_from(("*", "town/*", "town/harbour/*", "*Ship", "town/music/listSong", "none/*", "*e*o*")),
    tag=st.none() | st.sampled_from((*AREAS, "*e*", "none")),
    node=st.none() | st.sampled_from(("town", "town/code", "town/b*", "none")),
    effects=st.none() | st.frozensets(st.sampled_from(Effect)),
)
_SCOPES = st.builds(
    Scope,
    allow=st.lists(_SELECTORS, min_size=1, max_size=3).map(tuple),
    deny=st.lists(_SELECTORS, max_size=2).map(tuple),
)
_GOALS = st.builds("{} {}".format, st.sampled_from(sorted(VERBS)), st.sampled_from([*_THINGS, "shp", "invoise", "波"]))


class SearchScopes:
    """R-2: the scope is applied inside the engine."""

    @_SOME
    @given(scope=_SCOPES, goal=_GOALS)
    def test_a_scope_gives_what_a_catalog_of_the_visible_tools_alone_gives(
        self, opened: Callable[[], SearchEngine], scope: Scope, goal: str
    ) -> None:
        """R-2: same hits, same probabilities. Hidden tools cannot be felt, not even in the statistics of words."""
        engine = opened()
        fill(engine, _ALL)
        seen = asked(engine, goal, scope)
        areas = engine.search_nodes(goal, scope, limit=5, within=None)
        near = engine.resolve(goal, scope)
        matched = engine.match("e", scope, limit=1000, after="")
        fill(engine, [tool for tool in _ALL if scope.admits(tool)], 2)
        alone = asked(engine, goal)
        assert [ref for ref, _ in seen] == [ref for ref, _ in alone]
        assert all(abs(one - other) < 0.002 for (_, one), (_, other) in zip(seen, alone, strict=True))
        assert [hit.path for hit in areas] == [
            hit.path for hit in engine.search_nodes(goal, Scope(), limit=5, within=None)
        ]
        assert near == engine.resolve(goal, Scope())
        assert [hit.ref for hit in matched.hits] == [
            hit.ref for hit in engine.match("e", Scope(), limit=1000, after="").hits
        ]

    def test_pages_are_full_whatever_is_hidden(self, engine: SearchEngine) -> None:
        """R-2: twenty hidden tools that fit better leave no holes."""
        hidden = [
            made("town", f"secret/newThing{n}", "A new ship, song, hotel and refund", hidden=True) for n in range(20)
        ]
        fill(engine, [*_ALL, *hidden], 2)
        shown = asked(engine, "a new ship, song, hotel and refund", limit=4)
        assert len(shown) == 4
        assert not any("secret" in str(ref) for ref, _ in shown)

    def test_a_narrowing_is_part_of_the_query(self, engine: SearchEngine) -> None:
        """R-2: path, tag and effect."""
        for within in (Selector(node="town/music"), Selector(tag="music"), Selector(ref="town/music/*")):
            found = engine.search("delete it", Scope(), limit=20, start=0, within=within, boosts=None)
            assert {hit.ref.path.partition("/")[0] for hit in found.hits} == {"music"}
        reads = Selector(effects=frozenset({Effect.READ}))
        found = engine.search("ship", Scope(), limit=20, start=0, within=reads, boosts=None)
        assert {hit.effect for hit in found.hits} == {Effect.READ}

    def test_memory_of_a_tool_out_of_sight_brings_nothing_up(self, engine: SearchEngine) -> None:
        """R-8: what was learned shows nobody what is not theirs."""
        engine.learn([Use(goal="print a song", ref="town/harbour/printShip", tenant="", at=0.0)])
        scope = Scope(deny=(Selector(ref="town/harbour/*"),))
        boosts = engine.boosts("print a song", "", 0.0)
        found = engine.search("print a song", scope, limit=10, start=0, within=None, boosts=boosts)
        assert [(hit.ref, hit.score) for hit in found.hits] == asked(engine, "print a song", scope)
