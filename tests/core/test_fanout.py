"""Areas that hold more than a reader takes in are divided (E-7)."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from periplus.core.intake.fanout import Standing, divided

_VERBS = ("get", "list", "create", "delete", "update")
_NOUNS = ("invoice", "payment", "customer", "refund", "plan", "dispute", "balance")
_LEAVES = st.one_of(
    st.builds(
        lambda verb, noun, number: f"{verb}_{noun}_{number}",
        *map(st.sampled_from, (_VERBS, _NOUNS)),
        st.integers(0, 99),
    ),
    st.from_regex(r"[a-zA-Z][a-zA-Z0-9_]{0,12}", fullmatch=True),
)


def placed(leaves: list[str], most: int) -> dict[str, tuple[str, ...]]:
    tools = [Standing(leaf, ("area",)) for leaf in leaves]
    moved = divided(tools, most)
    return {leaf: moved.get(number, ("area",)) for number, leaf in enumerate(leaves)}


def test_an_area_that_is_small_enough_stays_whole():
    assert divided([Standing(f"get{n}", ("area",)) for n in range(60)], 60) == {}
    assert divided([Standing(f"get{n}", ("area",)) for n in range(600)], 0) == {}


def test_tools_stand_by_what_they_are_about_and_then_by_what_they_do():
    leaves = [f"{verb}{noun.title()}{n}" for verb in _VERBS for noun in _NOUNS for n in range(20)]
    where = placed(leaves, 60)
    assert where["getInvoice3"] == ("area/invoice/get",)
    assert Counter(paths[0].split("/")[1] for paths in where.values()) == dict.fromkeys(_NOUNS, 100)


def test_names_that_differ_only_by_numbers_stand_by_their_first_digits():
    where = placed([f"reroute_power_{n:04}" for n in range(2000)], 60)
    assert where["reroute_power_0123"] == ("area/reroute_power_0/reroute_power_01/reroute_power_012",)


def test_hidden_tools_do_not_divide_an_area():
    hidden = [Standing(f"hide{n}", ("area",), hidden=True) for n in range(100)]
    assert divided([*hidden, Standing("show", ("area",))], 60) == {}


def test_only_the_place_that_is_too_full_is_divided():
    tools = [
        Standing(f"{verb}Thing{n}", ("area", "popular") if n == 1 else ("area",)) for verb in _VERBS for n in range(20)
    ]
    moved = divided(tools, 60)
    both = next(paths for number, paths in moved.items() if tools[number].leaf == "getThing1")
    assert both[0].startswith("area/")
    assert both[1] == "popular"


@given(st.lists(_LEAVES, unique_by=str.lower, max_size=400), st.integers(4, 60), st.randoms(use_true_random=False))
@settings(max_examples=60, deadline=None)
def test_every_node_holds_few_enough_and_order_does_not_matter(leaves: list[str], most: int, chance: random.Random):
    """E-7: with stable names."""
    where = placed(leaves, most)
    own = Counter(paths[0] for paths in where.values())
    assert max(own.values(), default=0) <= most
    shuffled = list(leaves)
    chance.shuffle(shuffled)
    assert placed(shuffled, most) == where
    assert all(paths[0] == "area" or paths[0].startswith("area/") for paths in where.values())


@pytest.mark.parametrize("size", [200, 5000])
def test_nodes_have_few_children_too(size: int):
    leaves = [f"{verb}{noun.title()}{n}" for n in range(size // 35 + 1) for verb in _VERBS for noun in _NOUNS][:size]
    nodes = {
        "/".join(pieces[:end])
        for (path,) in placed(leaves, 60).values()
        for pieces in [path.split("/")]
        for end in range(1, len(pieces) + 1)
    }
    assert max(Counter(node.rpartition("/")[0] for node in nodes if "/" in node).values()) <= 60


def test_every_one_of_a_hundred_thousand_tools_in_one_area_is_few_steps_away():
    """E-7: no node lists more than sixty tools, and none stands deeper than six steps."""
    leaves = [f"{verb}{noun.title()}{n}" for n in range(100_000 // 35 + 1) for verb in _VERBS for noun in _NOUNS]
    where = [path for (path,) in placed(leaves[:100_000], 60).values()]
    assert max(Counter(where).values()) <= 60
    assert max(path.count("/") for path in where) <= 6
