"""Names on one level of the tree are unique after folding case and punctuation (E-5)."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from periplus.core.intake.areas import ancestors
from periplus.core.intake.levels import told_apart
from periplus.core.taxonomy import CAPABILITIES
from periplus.model import fold

_NAMES = st.sampled_from(("Users", "users", "USERS", "use-rs", "users_quay", "users_quay_2", "quay", "Quay", "-", "@"))
_PATHS = st.lists(st.lists(_NAMES, min_size=1, max_size=3).map("/".join), min_size=1, max_size=20)


def nodes_of(paths: list[str]) -> set[str]:
    return {node for path in paths for node in ancestors(path)}


def test_names_that_differ_by_more_than_case_stay_as_they_are():
    assert told_apart("quay", ["users", "Users/roles", "user"]) == {"users": "users_quay"}
    assert told_apart("quay", ["users", "user", "users/Users"]) == {}


def test_what_stands_below_goes_along():
    assert told_apart("quay", ["Ship/a", "ship/b/c"]) == {
        "ship": "ship_quay",
        "ship/b": "ship_quay/b",
        "ship/b/c": "ship_quay/b/c",
    }


def test_an_area_of_work_keeps_its_name_and_a_source_called_like_it_is_told_apart():
    areas = [f"{CAPABILITIES}/Finance", f"{CAPABILITIES}/Finance/Invoices"]
    stood = [f"{CAPABILITIES}/finance", f"{CAPABILITIES}/Finance/finance", "capability"]
    assert told_apart("finance", stood, fixed=areas) == {f"{CAPABILITIES}/finance": f"{CAPABILITIES}/finance_source"}
    assert told_apart("invoices", [f"{CAPABILITIES}/Finance/invoices"], fixed=areas) == {
        f"{CAPABILITIES}/Finance/invoices": f"{CAPABILITIES}/Finance/invoices_source"
    }


@given(_PATHS, _PATHS)
def test_every_level_is_unique_whatever_is_read_and_in_whichever_order(paths: list[str], held: list[str]):
    moved = told_apart("quay", paths, held=held)
    called = [moved.get(node, node) for node in sorted(nodes_of(paths))]
    folded = Counter((path.rpartition("/")[0], fold(path.rpartition("/")[2])) for path in called)
    assert max(folded.values()) == 1
    assert told_apart("quay", sorted(paths, reverse=True), held=sorted(held)) == moved


@given(_PATHS, _PATHS)
def test_a_newcomer_moves_nobody(paths: list[str], more: list[str]):
    before = told_apart("quay", paths)
    stood = {before.get(node, node) for node in nodes_of(paths)}
    untold = [path for path in more if not any("_quay" in name for name in path.split("/"))]
    after = told_apart("quay", [*paths, *untold], held=stood)
    assert {node: after.get(node, node) for node in nodes_of(paths)} == {
        node: before.get(node, node) for node in nodes_of(paths)
    }
