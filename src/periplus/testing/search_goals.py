"""What goals find: in other words, with slips, values, several intents, other scripts."""
# ruff: noqa: S101 - assert is how pytest speaks; a test's name says what it shows

from __future__ import annotations

import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from periplus.model import Scope
from periplus.ports import SearchEngine
from periplus.testing.search_catalogs import AREAS, SCRIPTS, VERBS, asked, leaves

_THINGS = [thing for things in AREAS.values() for thing in things]
_SOME = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
_VALUES = (
    '"Meltemi 7"',
    "4711",
    "https://example.com/a/b?c=d",
    "someone@example.com",
    "f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
    "2026-11-19T10:00:00Z",
    "/var/log/syslog",
    "$99.50",
)
_WHOLE = {"list": "list every {}", "create": "create a new {}", "delete": "delete this {}", "print": "print the {}"}


class SearchGoals:
    """R-1, R-4, R-6, R-7: what a goal finds."""

    def test_a_hit_says_what_it_is_how_it_is_called_how_sure_and_why(self, engine: SearchEngine) -> None:
        """R-1: ref, summary, signature, effect, score, and which words met which field."""
        found = engine.search("print an invoice", Scope(), limit=3, start=0, within=None, boosts=None)
        best = found.hits[0]
        assert (str(best.ref), best.summary) == ("town/billing/printInvoice", "Print the invoice on paper")
        assert (best.signature, best.effect.word) == ("()", "write")
        assert 0 < best.score <= 1
        assert set(best.why.words["name"]) == {"print", "invoice"}
        assert best.why.meaning > 0

    def test_areas_are_found_by_their_tools(self, engine: SearchEngine) -> None:
        """R-1: `search_nodes`."""
        for area, things in AREAS.items():
            best = engine.search_nodes(f"list every {things[0]}", Scope(), limit=3, within=None)[0]
            assert best.path == f"town/{area}"
            assert 0 < best.score <= 1
            assert best.best

    @_SOME
    @given(chances=st.lists(st.floats(0, 1), min_size=1, max_size=9), missed=st.floats(0, 1), share=st.floats(0, 1))
    def test_several_hits_are_likelier_than_each_and_so_is_a_place_with_more_of_what_was_not_found(
        self, engine: SearchEngine, chances: list[float], missed: float, share: float
    ) -> None:
        """R-5, E-18: a probability, whatever is put together."""
        found = engine.together(chances, 0.0, 0.0)
        assert min(max(chances), 0.99) - 1e-9 <= found <= 1
        assert found - 1e-9 <= engine.together(chances, missed, share) <= engine.together(chances, missed, 1.0) <= 1
        assert engine.together(chances[:1], 0.0, 0.0) <= found + 1e-9

    @_SOME
    @given(thing=st.sampled_from(_THINGS), verb=st.sampled_from(sorted(_WHOLE)))
    def test_a_plain_goal_finds_its_tool_first(self, engine: SearchEngine, thing: str, verb: str) -> None:
        assert leaves(engine, _WHOLE[verb].format(thing))[0] == f"{verb}{thing.title()}"

    @_SOME
    @given(
        first=st.sampled_from(_THINGS),
        second=st.sampled_from(_THINGS),
        verbs=st.tuples(st.sampled_from(sorted(_WHOLE)), st.sampled_from(sorted(_WHOLE))),
        joint=st.sampled_from((" and ", " and then ", ", then ", ". ", "; after that ")),
    )
    def test_a_goal_with_two_intents_shows_tools_for_both(
        self, engine: SearchEngine, first: str, second: str, verbs: tuple[str, str], joint: str
    ) -> None:
        """R-4: each intent is served within the first page."""
        goal = _WHOLE[verbs[0]].format(first) + joint + _WHOLE[verbs[1]].format(second)
        shown = leaves(engine, goal)
        assert f"{verbs[0]}{first.title()}" in shown
        assert f"{verbs[1]}{second.title()}" in shown

    def test_the_clauses_of_a_goal_are_those_that_search_and_planning_use(self, engine: SearchEngine) -> None:
        """R-4: `split`, and the clauses that a page names, are one."""
        goal = 'find unpaid invoices and mail "rock and roll" to the customer, then archive them'
        clauses = engine.split(goal)
        assert clauses == ("find unpaid invoices", 'mail "rock and roll" to the customer', "archive them")
        assert engine.search(goal, Scope(), limit=5, start=0, within=None, boosts=None).clauses == clauses
        assert engine.split("list ships and berths") == ("list ships and berths",)

    @_SOME
    @given(thing=st.sampled_from([thing for thing in _THINGS if len(thing) > 5]), seed=st.integers(0, 9999))
    def test_a_slip_in_a_word_is_forgiven_and_told(self, engine: SearchEngine, thing: str, seed: int) -> None:
        """R-6: letters dropped, doubled, exchanged with their neighbour or changed."""
        pick = random.Random(seed)  # noqa: S311 - which letter slips is no secret
        at = pick.randrange(1, len(thing) - 2)
        swapped = thing[:at] + thing[at + 1] + thing[at] + thing[at + 2 :]
        slips = (thing[:at] + thing[at + 1 :], thing[:at] + thing[at] + thing[at:], swapped)
        written = pick.choice(slips)
        found = engine.search(f"create a new {written}", Scope(), limit=5, start=0, within=None, boosts=None)
        assert f"create{thing.title()}" in [hit.ref.leaf for hit in found.hits]

    @_SOME
    @given(
        thing=st.sampled_from(_THINGS),
        verb=st.sampled_from(sorted(_WHOLE)),
        values=st.lists(st.sampled_from(_VALUES), min_size=1, max_size=4),
    )
    def test_values_do_not_drown_the_words_of_a_goal(
        self, engine: SearchEngine, thing: str, verb: str, values: list[str]
    ) -> None:
        """R-6: quoted values, numbers, addresses, identifiers."""
        goal = f"{_WHOLE[verb].format(thing)} with {' '.join(values)}"
        assert f"{verb}{thing.title()}" in leaves(engine, goal, 3)

    @pytest.mark.parametrize(("path", "summary"), SCRIPTS.items())
    def test_other_scripts_find_what_they_say(self, engine: SearchEngine, path: str, summary: str) -> None:
        """R-6: words where there are words, pairs of characters where there are none."""
        half = summary.rsplit(maxsplit=1)[-1] if " " in summary else summary[len(summary) // 2 :]
        for goal in (summary, half):
            assert leaves(engine, goal)[:1] == [path.rpartition("/")[2]], goal

    @_SOME
    @given(goal=st.text(max_size=60).filter(str.strip))
    def test_any_text_has_an_answer(self, engine: SearchEngine, goal: str) -> None:
        """R-6: whatever somebody pastes; R-5: each score is a probability."""
        assert all(0 <= score <= 1 for _, score in asked(engine, goal))

    @_SOME
    @given(thing=st.sampled_from(_THINGS), verb=st.sampled_from(sorted(VERBS)), limit=st.integers(1, 20))
    def test_the_same_goal_gives_the_same_page(self, engine: SearchEngine, thing: str, verb: str, limit: int) -> None:
        """R-7, and a page is the beginning of a longer one."""
        goal = f"{verb} {thing}"
        page = asked(engine, goal, limit=limit)
        assert page == asked(engine, goal, limit=limit) == asked(engine, goal, limit=50)[:limit]

    def test_a_word_counts_once_however_often_it_is_said(self, engine: SearchEngine) -> None:
        """R-10: repeating a word does not make it the whole goal."""
        said = engine.search("print print print print song", Scope(), limit=1, start=0, within=None, boosts=None)
        assert said.hits[0].ref.leaf == "printSong"

    def test_identifiers_are_words(self, engine: SearchEngine) -> None:
        """R-10: split at case and separators, and stemmed."""
        for goal in ("listing ships", "ships_list", "ships.list", "Ships-List", "SHIPS LISTED"):
            assert "listShip" in leaves(engine, goal, 2), goal

    def test_another_way_to_say_it_is_found_by_meaning(self, engine: SearchEngine) -> None:
        """R-11: no word of the goal stands in the tool."""
        goals = {
            "create a new vessel": "createShip",
            "print the vessel": "printShip",
            "delete an airplane ticket": "deleteFlight",
            "print a melody": "printSong",
            "list every vessel": "listShip",
        }
        assert {goal: leaves(engine, goal)[0] for goal in goals} == goals

    def test_nothing_fitting_is_said_to_be_nothing_with_the_nearest_area(self, engine: SearchEngine) -> None:
        """R-5: below the floor."""
        for goal in ("knead sourdough", "quantum chromodynamics lattice", "zzqx"):
            found = engine.search(goal, Scope(), limit=5, start=0, within=None, boosts=None)
            assert found.hits == (), goal
            assert not found.nearest or found.nearest.startswith("town"), goal
