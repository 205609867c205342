from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from periplus.core.cursor import Cursors
from periplus.core.seal import KeyRing, Seal
from periplus.model import Code, Problem


class _Clock:
    def __init__(self) -> None:
        self.time = 1000.0
        self._count = itertools.count(1)

    def now(self) -> float:
        return self.time

    def token(self, size: int) -> bytes:
        return next(self._count).to_bytes(4, "big").rjust(size, b"k")[-size:]


_CLOCK = _Clock()
_RING = KeyRing.new(_CLOCK)
_SEAL = Seal(_RING, _CLOCK)

_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(_values)
def test_what_is_sealed_opens_to_the_same(value):
    assert _SEAL.open("cursor", _SEAL.seal("cursor", value)) == value


@given(st.text(max_size=60))
def test_a_token_shows_nothing_of_its_content(secret):
    token = _SEAL.seal("cursor", {"secret": f"needle{secret}"})
    assert "needle" not in token


@given(st.data())
def test_a_token_changed_anywhere_is_refused(data):
    token = _SEAL.seal("approval", {"tool": "a/b"})
    place = data.draw(st.integers(0, len(token) - 1))
    other = data.draw(st.characters(min_codepoint=33, max_codepoint=126))
    if token[place] == other:
        return
    with pytest.raises(Problem) as refusal:
        _SEAL.open("approval", token[:place] + other + token[place + 1 :])
    assert refusal.value.code is Code.INVALID_TOKEN


@given(st.text(max_size=200))
def test_no_text_is_taken_for_a_token(text):
    with pytest.raises(Problem):
        _SEAL.open("cursor", text)


def test_a_cursor_is_no_approval():
    with pytest.raises(Problem, match="this approval is not valid here"):
        _SEAL.open("approval", _SEAL.seal("cursor", 1))


def test_a_token_ends_with_its_time():
    clock = _Clock()
    seal = Seal(KeyRing.new(clock), clock)
    token = seal.seal("approval", 1, ttl_s=60)
    clock.time += 59.9
    assert seal.open("approval", token) == 1
    clock.time += 0.1
    with pytest.raises(Problem, match="has expired"):
        seal.open("approval", token)


def test_rotation_keeps_tokens_in_flight_until_their_key_is_forgotten():
    clock = _Clock()
    ring = KeyRing.new(clock)
    token = Seal(ring, clock).seal("cursor", "here")
    for _ in range(2):
        ring = ring.rotated(clock)
        assert Seal(ring, clock).open("cursor", token) == "here"
        assert Seal(ring, clock).seal("cursor", "here")[:5] != token[:5]
    with pytest.raises(Problem):
        Seal(ring.rotated(clock), clock).open("cursor", token)


@given(keep=st.integers(1, 4), turns=st.integers(0, 8), made=st.integers(0, 8))
def test_a_token_opens_exactly_as_long_as_its_key_is_in_the_ring(keep, turns, made):
    clock = _Clock()
    ring, token = KeyRing.new(clock), ""
    for turn in range(turns + 1):
        if turn == min(made, turns):
            token = Seal(ring, clock).seal("approval", turn)
        ring = ring if turn == turns else ring.rotated(clock, keep)
    later = turns - min(made, turns)
    if later < keep:
        assert Seal(ring, clock).open("approval", token) == min(made, turns)
    else:
        with pytest.raises(Problem, match="not valid here"):
            Seal(ring, clock).open("approval", token)


def test_an_empty_ring_is_refused():
    with pytest.raises(Problem, match="key ring is empty"):
        Seal(KeyRing(()), _CLOCK)


def test_a_cursor_belongs_to_its_query_and_its_revision():
    cursors = Cursors(_SEAL)
    cursor = cursors.make(("browse", "a", 1), 7, ["nodes", "x"])
    assert cursors.read(cursor, ("browse", "a", 1), 7) == ["nodes", "x"]
    assert cursors.read(None, ("browse", "a", 1), 7) is None
    for query, revision, reason in (
        (("browse", "b", 1), 7, "belongs to another query"),
        (("browse", "a", 1), 8, "the catalog has changed"),
    ):
        with pytest.raises(Problem, match=reason) as refusal:
            cursors.read(cursor, query, revision)
        assert refusal.value.code is Code.INVALID_CURSOR
    with pytest.raises(Problem, match="not one of this gateway's"):
        cursors.read("nonsense", ("browse", "a", 1), 7)
