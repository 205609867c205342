"""What searches learn from use: bounded, apart for each tenant, fading, given out and erased on request."""
# ruff: noqa: S101 - assert is how pytest speaks; a test's name says what it shows

from __future__ import annotations

from collections.abc import Callable

import msgspec

from periplus.model import Scope, Use
from periplus.ports import SearchEngine
from periplus.testing.search_catalogs import AREAS, asked, fill, leaves, taught, tools

_DAY = 86_400.0
_GOAL = "who is aboard the incoming boat"
_REF = "town/clinic/getPatient"


def _use(tenant: str, at: float, *, well: bool = True) -> Use:
    return Use(goal=_GOAL, ref=_REF, tenant=tenant, at=at, well=well)


def _place(engine: SearchEngine, goal: str, ref: str, *, tenant: str = "", now: float = 0.0) -> int:
    """Where a tool stands for a goal; a large number when it is not shown."""
    boosts = engine.boosts(goal, tenant, now)
    found = engine.search(goal, Scope(), limit=100, start=0, within=None, boosts=boosts)
    return next((place for place, hit in enumerate(found.hits) if str(hit.ref) == ref), 999)


class SearchMemory:
    """R-8: memory of use, and examples."""

    def test_what_was_called_after_a_goal_moves_up_for_similar_goals(self, engine: SearchEngine) -> None:
        """R-8, and the hit says that it was used."""
        before = _place(engine, _GOAL, _REF)
        engine.learn([_use("", 0.0)])
        assert _place(engine, _GOAL, _REF) < before
        assert _place(engine, "who is aboard an incoming boat?", _REF) < before
        boosts = engine.boosts(_GOAL, "", 0.0)
        found = engine.search(_GOAL, Scope(), limit=100, start=0, within=None, boosts=boosts)
        assert next(hit for hit in found.hits if str(hit.ref) == _REF).why.used > 0

    def test_other_goals_are_not_moved(self, engine: SearchEngine) -> None:
        engine.learn([_use("", 0.0)])
        for things in AREAS.values():
            assert engine.boosts(f"print the {things[1]}", "", 0.0) == {}

    def test_tenants_learn_apart(self, engine: SearchEngine) -> None:
        engine.learn([_use("north", 0.0)])
        assert engine.boosts(_GOAL, "north", 0.0)
        assert not engine.boosts(_GOAL, "south", 0.0)
        engine.forget("south")
        assert engine.boosts(_GOAL, "north", 0.0)

    def test_memories_fade_and_a_wrong_one_faster(self, engine: SearchEngine) -> None:
        """R-8: a wrong memory decays."""
        engine.learn([_use("", 0.0)])
        fresh, old = (engine.boosts(_GOAL, "", day * _DAY).get(_REF, 0.0) for day in (0, 60))
        assert 0 < old < fresh
        engine.learn([_use("", 0.0, well=False)])
        assert engine.boosts(_GOAL, "", 0.0)[_REF] < fresh
        for _ in range(8):
            engine.learn([_use("", 0.0, well=False)])
        assert not engine.boosts(_GOAL, "", 0.0)

    def test_memories_are_given_out_and_erased(self, opened: Callable[[], SearchEngine], engine: SearchEngine) -> None:
        """R-8: exported and erased, for every process."""
        engine.learn([_use("north", 5.0)])
        other = opened()
        (kept,) = msgspec.json.decode(other.remembered("north"))
        assert (kept["goal"], kept["ref"], kept["at"]) == (_GOAL, _REF, 5.0)
        other.forget("north")
        assert msgspec.json.decode(engine.remembered("north")) == []
        assert not engine.boosts(_GOAL, "north", 5.0)

    def test_memory_is_bounded_and_the_strongest_stay(self, engine: SearchEngine) -> None:
        """R-8: a tenant who searches for years does not fill the disk."""
        engine.learn(Use(goal=f"goal number {n}", ref=_REF, tenant="", at=1.0) for n in range(2_500))
        for _ in range(3):
            engine.learn([_use("", 2.0)])
        kept = msgspec.json.decode(engine.remembered(""))
        assert len(kept) <= 2_000
        assert _GOAL in {memory["goal"] for memory in kept}

    def test_one_two_and_three_memories_weigh_more_and_more(self, engine: SearchEngine) -> None:
        gained: list[float] = []
        for _ in range(3):
            engine.learn([_use("", 0.0)])
            gained.append(engine.boosts(_GOAL, "", 0.0)[_REF])
        assert gained == sorted(gained)
        assert gained[0] < gained[-1]

    def test_example_goals_are_the_strongest_text_of_a_tool(self, engine: SearchEngine) -> None:
        """R-8: what its author says it is asked for outdoes what its summary happens to say."""
        goals = ("is it going to rain on sunday", "will my picnic get wet")
        shown = taught("town", "sky/q7", "Internal endpoint", *goals)
        unshown = taught("town", "sky/q8", "Internal endpoint")
        fill(engine, [*tools(), shown, unshown], 2)
        for goal in (*goals, "does my picnic get wet on sunday"):
            assert leaves(engine, goal)[0] == "q7", goal
        assert asked(engine, goals[0])[0][1] > 0.5
