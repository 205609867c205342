"""Tokens: what is signed comes back as it was, and nothing else does."""

from __future__ import annotations

import base64
import string
import uuid
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from periplus.core.seal import Key, KeyRing, Seal, SigningKey
from periplus.core.workflows.tokens import (
    SESSION,
    TRACE,
    Signer,
    Token,
    TraceToken,
    session_token,
    trace_token,
)
from periplus.model import Code, Problem
from periplus.testing.clock import SettableClock

SECRET = SigningKey(id="k1", secret=bytes(range(32)))
IDS = st.text(string.ascii_letters + "-_.é", max_size=20)
TOKENS = st.builds(
    Token,
    wf=IDS,
    act=IDS,
    skill=IDS,
    cond=st.text(max_size=30),
    v=IDS,
    seq=st.integers(0, 1 << 39),
    ts=st.integers(0, 1 << 40),
    sid=st.uuids(version=4).map(str),
    aid=IDS,
    pcp=st.lists(IDS, max_size=4).map(tuple),
    pcpt=st.integers(0, 1 << 40),
    vis=st.integers(0, 1 << 20),
)


@given(TOKENS)
def test_what_is_signed_comes_back(token: Token) -> None:
    """W-40."""
    signer = Signer((SECRET,))
    text = signer.sign(token)
    assert session_token(signer.verified(text)) == msgspec.structs.replace(token, kid="k1")
    assert signer.opened_short(signer.sign_short(token)) == (token.sid, token.seq)


@given(TOKENS, st.data())
def test_no_character_can_be_changed(token: Token, data: Any) -> None:
    """W-40, W-42."""
    signer = Signer((SECRET,))
    for text, opened in ((signer.sign(token), signer.verified), (signer.sign_short(token), signer.opened_short)):
        place = data.draw(st.integers(0, len(text) - 1))
        other = data.draw(st.sampled_from([char for char in string.ascii_letters + "0.-_" if char != text[place]]))
        changed = text[:place] + other + text[place + 1 :]
        with pytest.raises(Problem) as caught:
            opened(changed)
        assert caught.value.code is Code.TOKEN_INVALID


@given(st.binary(max_size=40), st.text(max_size=20))
def test_whatever_is_sent_as_a_token_is_refused_in_words(content: bytes, mac: str) -> None:
    """W-40: also what is no UTF-8, no JSON and no base64."""
    body = base64.urlsafe_b64encode(content).decode()
    for text in (f"{body}.{mac}", f"{body.rstrip('=')}.{mac}", f'{{"kid": "é"}}{body}', mac, f"pw1.{mac}.{body}"):
        for opened in (Signer((SECRET,)).verified, Signer((SECRET,)).opened_short):
            with pytest.raises(Problem) as caught:
                opened(text)
            assert caught.value.code is Code.TOKEN_INVALID


def test_keys_rotate_and_removed_ones_are_forgotten() -> None:
    """W-42, W-108."""
    clock = SettableClock()
    old, new = (Key(id=clock.token(4), secret=clock.token(32)) for _ in range(2))
    before = Signer(Seal(KeyRing((old,)), clock).signing(SESSION))
    after = Signer(Seal(KeyRing((new, old)), clock).signing(SESSION))
    gone = Signer(Seal(KeyRing((new,)), clock).signing(SESSION))
    text = before.sign(any_token())
    after.verified(text)
    assert after.kid == new.id.hex()
    with pytest.raises(Problem):
        gone.verified(text)


def test_a_session_token_is_no_trace_token_and_the_other_way_round() -> None:
    """W-42, W-86, W-108."""
    clock = SettableClock()
    seal = Seal(KeyRing.new(clock), clock)
    sessions, traces = Signer(seal.signing(SESSION)), Signer(seal.signing(TRACE))
    stretch = TraceToken(sid=str(uuid.uuid4()), act="a", from_=0, to=1, n=1, t0=0, t1=0, ts=0, events=({"ts": 0},))
    with pytest.raises(Problem):
        traces.verified(sessions.sign(any_token()))
    with pytest.raises(Problem):
        sessions.verified(traces.sign(stretch))
    shared = Signer((SECRET,))  # one key for both, as another server has it
    with pytest.raises(Problem):
        trace_token(shared, shared.sign(any_token()))
    with pytest.raises(Problem):
        session_token(shared.verified(shared.sign(stretch)))


def test_a_token_of_a_server_without_visits_and_key_ids_is_read() -> None:
    """W-42: extra fields do not matter, missing extras neither."""
    fields = msgspec.to_builtins(any_token())
    del fields["vis"]
    signer = Signer((SECRET,))
    read = session_token(msgspec.json.encode(fields | {"more": 1}))
    assert read.vis is msgspec.UNSET
    assert session_token(signer.verified(signer.sign(read))).kid == "k1"


def test_a_token_with_ten_open_questions_stays_short() -> None:
    """W-44."""
    token = msgspec.structs.replace(
        any_token(),
        wf="a-workflow-of-some-length",
        act="an-activity-of-some-length",
        aid="worker-1",
        pcp=tuple(f"checkpoint-number-{n:02}" for n in range(10)),
    )
    signer = Signer((SECRET,))
    assert len(signer.sign(token)) < 700
    assert len(signer.sign_short(token)) < 60


def any_token() -> Token:
    return Token(
        wf="w",
        act="a",
        skill="",
        cond="",
        v="1.0.0",
        seq=1,
        ts=1,
        sid="00000000-0000-4000-8000-000000000001",
        aid="",
        pcp=(),
        pcpt=0,
        vis=1,
    )
