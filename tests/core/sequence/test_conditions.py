"""Conditions: read, judged with three answers, and written again."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from periplus.core.conditions.reading import read_condition
from periplus.core.conditions.terms import Condition, Either, Every, Name, Opposite, Simple, names_in
from periplus.core.conditions.truth import Lack, holds
from periplus.core.conditions.writing import condition_text
from periplus.model import Code, Problem

THERE: dict[str, Any] = {"n": 5, "t": "10", "yes": True, "none": None, "s": "open", "$a.b": [1], "x": 5.0}


Answer = bool | None


def lookup(name: str) -> Any:
    return Lack.UNKNOWN if name.startswith("u") else THERE.get(name, Lack.MISSING)


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("n == 5", True),
        ("n = 5", True),
        ('n == "5"', False),
        ("n != 5", False),
        ("yes == true", True),
        ("yes == 1", False),
        ("n == x", True),
        ("t > 9", True),
        ("t >= 10 && t <= 10", True),
        ("s > 1", False),
        ("s == 'open'", True),
        ('s == "open" AND NOT (n < 5)', True),
        ("none exists", False),
        ("none == null", True),
        ("missing == null", False),
        ("missing != null", True),
        ("missing > 0", False),
        ("missing exists", False),
        ("missing notExists", True),
        ("n not exists or n exists", True),
        ("!(n exists)", False),
        ("n exists undefined", True),
        ("$a.b exists", True),
        ("u == 1", None),
        ("u exists", None),
        ("u == 1 OR n == 5", True),
        ("u == 1 AND n == 5", None),
        ("u == 1 AND n == 6", False),
        ("NOT u == 1", None),
        ("n == 6 OR n == 5 AND s == 'open'", True),
        ("(n == 5 OR u == 1) AND s == 'shut'", False),
    ],
)
def test_a_condition_holds_or_not_or_is_open(text: str, answer: Answer) -> None:
    assert holds(read_condition(text), lookup) is answer
    assert holds(read_condition(condition_text(read_condition(text))), lookup) is answer


@pytest.mark.parametrize(
    "text",
    [
        "",
        "n",
        "n ==",
        "== 5",
        "n == 5 AND",
        "(n == 5",
        "n == 5)",
        "n ~ 5",
        "5 == n",
        "n 5",
        "n == 'x",
        "n not 5",
        "(" * 40,
    ],
)
def test_what_is_no_condition_is_refused_with_the_place(text: str) -> None:
    with pytest.raises(Problem) as caught:
        read_condition(text)
    assert caught.value.code is Code.BAD_INPUT
    assert "not a condition" in caught.value.message


def test_a_condition_that_is_too_long_is_refused() -> None:
    with pytest.raises(Problem, match="4,000 is the most"):
        read_condition("n == 5 AND " * 500)


names = st.from_regex(r"\$?[a-z][a-z0-9_]{0,5}(\.[a-z]{1,4}|\[[0-9]\])?", fullmatch=True).filter(
    lambda name: name not in ("and", "or", "not", "exists", "true", "false", "null", "none")
)
values = st.none() | st.booleans() | st.integers(-1000, 1000) | st.text(max_size=6) | names.map(Name)
simple = st.builds(
    lambda name, operator, value: Simple(name=name, operator=operator, value=value),
    names,
    st.sampled_from(["==", "!=", ">", "<", ">=", "<="]),
    values,
) | st.builds(
    lambda name, operator: Simple(name=name, operator=operator), names, st.sampled_from(["exists", "notExists"])
)


def _joined(inner: st.SearchStrategy[Condition]) -> st.SearchStrategy[Condition]:
    several = st.lists(inner, min_size=2, max_size=3).map(tuple)
    return several.map(Every) | several.map(Either) | inner.map(Opposite)


conditions: st.SearchStrategy[Condition] = st.recursive(simple, _joined, max_leaves=6)


@given(conditions)
def test_a_condition_that_is_written_is_read_again_as_itself(condition: Condition) -> None:
    again = read_condition(condition_text(condition))
    assert condition_text(again) == condition_text(condition)
    assert names_in(again) == names_in(condition)


@given(conditions, st.sampled_from([True, False, None]))
def test_not_turns_an_answer_round_and_leaves_what_is_open(condition: Condition, answer: Answer) -> None:
    judged = holds(condition, lookup)
    turned = holds(Opposite(condition), lookup)
    assert turned is (None if judged is None else not judged)
    assert holds(Every((condition, condition)), lookup) is judged
    assert holds(Either((condition, _constant(answer))), lookup) is _either(judged, answer)


@pytest.mark.parametrize(("one", "other"), list(product([True, False, None], repeat=2)))
def test_and_is_false_as_soon_as_one_is(one: Answer, other: Answer) -> None:
    wanted = False if False in (one, other) else None if None in (one, other) else True
    assert holds(Every((_constant(one), _constant(other))), lookup) is wanted


def _constant(answer: Answer) -> Condition:
    return Simple(name="unknown" if answer is None else "n", operator="==" if answer is not False else "!=", value=5)


def _either(one: Answer, other: Answer) -> Answer:
    return True if True in (one, other) else None if None in (one, other) else False
