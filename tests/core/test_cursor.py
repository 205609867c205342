from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from periplus.core.cursor import Cursors
from periplus.core.seal import KeyRing, Seal
from periplus.model import Code, Problem
from periplus.testing.clock import SettableClock

_CLOCK = SettableClock()
_CURSORS = Cursors(Seal(KeyRing.new(_CLOCK), _CLOCK))
_parts = st.none() | st.booleans() | st.integers(-(2**40), 2**40) | st.text(max_size=12)
_queries = st.lists(_parts | st.lists(_parts, max_size=3), max_size=4).map(tuple)
_positions = st.integers(0, 2**40) | st.text(max_size=40) | st.lists(st.text(max_size=9), max_size=3)
_revisions = st.integers(0, 2**40)


@given(_queries, _revisions, _positions)
def test_a_cursor_goes_on_where_its_page_ended(query, revision, position) -> None:
    assert _CURSORS.read(_CURSORS.make(query, revision, position), query, revision) == position


@given(_queries, _queries, _revisions, _positions)
def test_a_cursor_is_good_for_its_own_query_alone(query, other, revision, position) -> None:
    cursor = _CURSORS.make(query, revision, position)
    if query == other:
        return
    with pytest.raises(Problem, match="another query") as refused:
        _CURSORS.read(cursor, other, revision)
    assert refused.value.code is Code.INVALID_CURSOR


@given(_queries, _revisions, _revisions, _positions)
def test_a_cursor_ends_with_its_revision(query, revision, later, position) -> None:
    cursor = _CURSORS.make(query, revision, position)
    if revision == later:
        return
    with pytest.raises(Problem, match="catalog has changed"):
        _CURSORS.read(cursor, query, later)


@given(st.text(max_size=200))
def test_what_this_gateway_did_not_make_is_no_cursor(text) -> None:
    with pytest.raises(Problem) as refused:
        _CURSORS.read(text, ("q",), 1)
    assert refused.value.code is Code.INVALID_CURSOR
    assert refused.value.hints


@given(_positions)
def test_a_cursor_shows_nothing_of_what_it_holds(position) -> None:
    """Refs of hidden neighbours could stand in it."""
    cursor = _CURSORS.make(("q",), 1, ("hidden-tool-name", position))
    assert "hidden" not in cursor


def test_without_a_cursor_a_query_starts_at_the_beginning() -> None:
    assert _CURSORS.read(None, ("q",), 1) is None
