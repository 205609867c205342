"""Conditions of three values: what holds, what is known, and what a claimed text means."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from periplus.core.conditions.comparing import canonical
from periplus.core.conditions.reading import read_condition
from periplus.core.conditions.truth import Lack
from periplus.core.workflows.condition_text import same_meaning, text_of
from periplus.core.workflows.conditions import And, Condition, Not, Or, Simple, holds, meaning

NAMES = st.sampled_from(["a", "b", "c.d", "flag", "not_a", "list.0"])
VALUES = st.one_of(st.none(), st.booleans(), st.integers(-9, 9), st.text("ab 0\"'é", max_size=4), st.floats(-9, 9))
SIMPLE = st.one_of(
    st.builds(Simple, variable=NAMES, operator=st.sampled_from(["==", "!=", ">", "<", ">=", "<="]), value=VALUES),
    st.builds(Simple, variable=NAMES, operator=st.sampled_from(["exists", "notExists"])),
)
CONDITIONS: st.SearchStrategy[Any] = st.recursive(
    SIMPLE,
    lambda inner: st.one_of(
        st.builds(Not, condition=inner),
        st.builds(And, conditions=st.lists(inner, min_size=2, max_size=3).map(tuple)),
        st.builds(Or, conditions=st.lists(inner, min_size=2, max_size=3).map(tuple)),
    ),
    max_leaves=6,
)
WORLDS = st.dictionaries(st.sampled_from(["a", "b", "c", "flag", "not_a", "list"]), VALUES | st.lists(VALUES))


def within(world: dict[str, Any]) -> Any:
    return lambda name: world.get(name, Lack.UNKNOWN)


def means(condition: Condition, **world: Any) -> bool | None:
    return holds(condition, within(world))


@given(CONDITIONS, WORLDS, WORLDS)
def test_what_is_decided_stays_so_whatever_else_becomes_known(condition: Any, world: Any, more: Any) -> None:
    """W-32: unknown is the only answer that more knowledge changes."""
    before = holds(condition, within(world))
    if before is not None:
        assert holds(condition, within(more | world)) is before


@given(CONDITIONS, WORLDS)
def test_negation_swaps_and_keeps_the_unknown(condition: Any, world: Any) -> None:
    """W-32."""
    plain, negated = holds(condition, within(world)), holds(Not(condition=condition), within(world))
    assert (plain is None) == (negated is None)
    assert plain is None or plain is not negated


@given(CONDITIONS, CONDITIONS, WORLDS)
def test_and_and_or_are_each_others_mirror(left: Any, right: Any, world: Any) -> None:
    """W-32: De Morgan holds with three values, too."""
    both = holds(And(conditions=(left, right)), within(world))
    neither = holds(Not(condition=Or(conditions=(Not(condition=left), Not(condition=right)))), within(world))
    assert both is neither


@given(CONDITIONS)
def test_a_condition_is_read_back_from_its_text(condition: Any) -> None:
    """W-33, W-34."""
    assert canonical(read_condition(text_of(condition))) == canonical(meaning(condition))


@given(CONDITIONS, CONDITIONS)
def test_texts_of_different_meaning_are_told_apart(one: Any, other: Any) -> None:
    """W-34."""
    assert same_meaning(text_of(one), other) == (canonical(meaning(one)) == canonical(meaning(other)))


@given(st.text(max_size=60))
def test_no_claimed_text_breaks_anything(text: str) -> None:
    same_meaning(text, Simple(variable="a", operator="==", value=1))


@pytest.mark.parametrize(
    "claimed",
    [
        'pipeline == "smart" AND (n > 3 OR force == true)',
        "pipeline='smart' AND (force = true OR n>3)",
        '(force == true OR n > 3) AND pipeline == "smart"',
        "  pipeline  ==  'smart'  AND ((n > 3) OR (force==true)) ",
    ],
)
def test_spacing_quotes_and_order_do_not_matter(claimed: str) -> None:
    """W-34."""
    condition = And(
        conditions=(
            Simple(variable="pipeline", operator="==", value="smart"),
            Or(
                conditions=(
                    Simple(variable="n", operator=">", value=3),
                    Simple(variable="force", operator="==", value=True),
                )
            ),
        )
    )
    assert text_of(condition) == 'pipeline == "smart" AND (n > 3 OR force == true)'
    assert same_meaning(claimed, condition)
    assert not same_meaning(claimed.replace("smart", "dumb"), condition)


def test_exists_may_say_undefined() -> None:
    """W-34."""
    assert same_meaning("name exists undefined", Simple(variable="name", operator="exists"))


@pytest.mark.parametrize(
    ("operator", "value", "actual", "expected"),
    [
        ("==", 5, "5", False),
        ("==", 1, True, False),
        ("==", 1, 1.0, True),
        ("==", None, None, True),
        ("!=", "a", "b", True),
        (">", 3, "10", True),
        (">", "3", 10, True),
        (">", 3, "ten", False),
        ("<", 3, True, False),
        ("<=", 3, None, False),
        ("exists", None, None, False),
        ("exists", None, 0, True),
        ("notExists", None, None, True),
    ],
)
def test_values_are_compared_with_their_types(operator: Any, value: Any, actual: Any, expected: bool) -> None:  # noqa: FBT001
    """W-31."""
    assert means(Simple(variable="x", operator=operator, value=value), x=actual) is expected


def test_names_are_looked_up_whole_then_as_paths() -> None:
    """W-31."""
    inside = {"x": {"y": [{"z": 1}]}, "x.y": 2}
    assert means(Simple(variable="x.y", operator="==", value=2), **inside) is True
    assert means(Simple(variable="x.y.0.z", operator="exists"), x=inside["x"]) is True
    assert means(Simple(variable="x.y.7.z", operator="exists"), x=inside["x"]) is False
    assert means(Simple(variable="x.q", operator="==", value=None), x={}) is False
    assert means(Simple(variable="q.x", operator="exists"), x={}) is None


@given(st.text("ab \"'\\\n", max_size=6))
def test_either_kind_of_quotes_says_any_text(value: str) -> None:
    """W-34."""
    condition = Simple(variable="x", operator="==", value=value)
    inside = text_of(condition).partition(" == ")[2][1:-1].replace('\\"', '"').replace("'", "\\'")
    assert same_meaning(f"x == '{inside}'", condition)


@pytest.mark.parametrize(
    ("claimed", "variable", "value"),
    [("x == smart", "x", "smart"), ("x > +5", "x", 5), ("the way == 1", "the way", 1), ("not == 1 ", "not", 1)],
)
def test_bare_words_signs_and_odd_names_are_understood(claimed: str, variable: str, value: Any) -> None:
    """W-33, W-34."""
    assert same_meaning(claimed, Simple(variable=variable, operator=">" if ">" in claimed else "==", value=value))
