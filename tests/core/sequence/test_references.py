"""References: what a text with dollars in it means (H-63, H-64)."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from periplus.core.sequence.references import All, Field, Index, Reference, Slice, read_path, read_text
from periplus.core.sequence.templates import Template, template
from periplus.core.sequence.walking import value_at
from periplus.model import Code, Problem

RECORDS = [{"id": 1, "tags": ["a", "b"], "owner": {"name": "Ada"}}, {"id": 2, "tags": ["c"], "owner": {}}]
KNOWN = {"recs": RECORDS, "one": [{"id": 7}], "n": 5, "text": "B4", "a": 1, "a-b": 2, "obj": {"x": 1, "odd key": [3]}}

plain = st.recursive(
    st.none() | st.booleans() | st.integers(-1000, 1000) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=12,
)


def filled(value: Any, known: dict[str, Any] = KNOWN) -> Any:
    return template(value, known.__contains__).filled(lambda one: value_at(one, known[one.name])).value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("$n", 5),
        ("${n}", 5),
        (" $n ", 5),
        ("$recs[0].id", 1),
        ("$recs[-1].owner", {}),
        ("$recs[0:1]", RECORDS[:1]),
        ("$recs[0:5].id", [1, 2]),
        ("$recs[1:][0].id", 2),
        ("$recs[*].id", [1, 2]),
        ("$recs[*].tags", [["a", "b"], ["c"]]),
        ("$recs[*].tags[*]", ["a", "b", "c"]),
        ("$recs[*].tags[0]", ["a", "c"]),
        ("$recs[*].owner.name", ["Ada", None]),
        ("$obj[*]", [1, [3]]),
        ('$obj["odd key"][0]', 3),
        ("$obj['odd key']", [3]),
        ("$one.id", 7),
        ("$recs.data[0].id", 1),
        ("to $text!", "to B4!"),
        ("to ${text}s", "to B4s"),
        ("$text.", "B4."),
        ("$a-b", 2),
        ("$a-$n", "1-5"),
        ("ids: $recs[*].id", "ids: [1,2]"),
        ("who: $recs[0].owner", 'who: {"name":"Ada"}'),
        ("$$n", "$n"),
        ("$$$n", "$5"),
        ("$100 budget", "$100 budget"),
        ("a $ b", "a $ b"),
        ("see $nope and ${HOME}/x", "see $nope and ${HOME}/x"),
        ("${n", "${n"),
        ("no dollar", "no dollar"),
    ],
)
def test_a_text_means_what_its_references_mean(text: str, value: Any) -> None:
    """H-63: a whole reference keeps its type, inside a text scalars are text and others compact JSON."""
    assert filled(text) == value


def test_of_names_with_hyphens_the_longest_there_is_counts() -> None:
    """H-64."""
    assert filled("$a-b", {"a": 1}) == "1-b"
    assert filled("$a-b", {"a-b": 1}) == 1
    assert template("$ab", {"a": 1}.__contains__).references == [Reference(name="ab")]


def test_only_values_are_resolved_and_only_once() -> None:
    """H-64: names of members stay, and what came out of a result is not read again."""
    known = {"x": "$y and $$", "y": 1}
    made = template({"$x": ["$x", "to $x"]}, known.__contains__)
    once = made.filled(lambda one: value_at(one, known[one.name]))
    assert once.value == {"$x": ["$y and $$", "to $y and $$"]}
    assert once.filled(lambda one: value_at(one, known[one.name])).value == once.value


def test_a_step_that_nothing_is_called_is_never_taken_for_text() -> None:
    made = template("see $step9.id", {"x": 1}.__contains__)
    assert [one.name for one in made.references] == ["step9"]
    assert [at for at, _ in template({"a": ["$nope"]}, {}.__contains__).open()] == ["/a/0"]


@pytest.mark.parametrize(
    ("text", "says", "hint"),
    [
        ("$recs.id", "list of 2", "$recs[*].id"),
        ("$recs[0].nmae", "there are: id, tags, owner", ""),
        ("$recs[0].tag", "'tag'", "did you mean 'tags'?"),
        ("$recs[9].id", "outside of a list of 2", ""),
        ("$n.x", "number", ""),
        ("$obj[0]", "needs a list", "$obj[*]"),
        ("$text[*]", "text of 2 characters", ""),
        ("$recs[*].nope", "'nope'", ""),
    ],
)
def test_a_path_that_leads_nowhere_says_what_there_is(text: str, says: str, hint: str) -> None:
    """H-68."""
    with pytest.raises(Problem) as caught:
        filled(text)
    assert caught.value.code is Code.REFERENCE_UNRESOLVED
    assert says in caught.value.message
    assert caught.value.message.startswith(f"{text} leads nowhere")
    assert not hint or hint in caught.value.hints


names = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,6}", fullmatch=True)
pieces = st.one_of(
    st.text(max_size=6).map(Field),
    st.integers(-99, 99).map(Index),
    st.builds(Slice, st.none() | st.integers(-9, 9), st.none() | st.integers(-9, 9)),
    st.just(All()),
)


@given(names, st.lists(pieces, max_size=5).map(tuple))
def test_a_reference_that_is_written_is_read_again_as_itself(name: str, path: tuple[Any, ...]) -> None:
    reference = Reference(name=name, path=path)
    assert read_path(reference.text) == reference
    assert read_text(reference.text, lambda _: True) == (reference,)
    assert read_text(f"${{{reference.text[1:]}}}", lambda _: True) == (reference,)


@given(plain)
def test_every_place_of_a_value_is_reached_by_its_path(value: Any) -> None:
    def walk(here: Any, path: tuple[Any, ...]) -> None:
        if path[:1] != (Field("data"),):
            assert value_at(Reference(name="v", path=path), value) == here
        inner = here.items() if isinstance(here, dict) else enumerate(here) if isinstance(here, list) else ()
        for key, item in inner:
            walk(item, (*path, Field(key) if isinstance(key, str) else Index(key)))

    walk(value, ())


@given(plain)
def test_doubled_dollars_bring_any_value_through_unchanged(value: Any) -> None:
    def escaped(one: Any) -> Any:
        if isinstance(one, str):
            return one.replace("$", "$$")
        if isinstance(one, dict):
            return {name: escaped(item) for name, item in one.items()}
        return [escaped(item) for item in one] if isinstance(one, list) else one

    made = template(escaped(value), lambda _: True)
    assert made.is_settled
    assert made.value == value


@given(st.text(alphabet='$ab{}.[]0-:* "x', max_size=30))
def test_any_text_at_all_is_read_and_filled_without_a_fault_of_ours(text: str) -> None:
    made = template(text, {"a": 1, "b": [1]}.__contains__)
    assert isinstance(made, Template)
    with suppress(Problem):
        made.filled(lambda one: value_at(one, {"a": 1, "b": [1]}.get(one.name)))
