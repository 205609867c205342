"""Secrets are found in every spelling an echo can give them: S-62, S-79."""

from __future__ import annotations

import base64
import json
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from periplus.model import Code, Problem
from periplus.net.credentials.given import Credentials
from periplus.net.credentials.redaction import redacted, secrets_of, secrets_of_headers

SECRETS = st.text(
    st.characters(min_codepoint=33, max_codepoint=0x2FF, exclude_categories=("Cs", "Cc")), min_size=8, max_size=60
)
AROUND = st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=12)
SPELLINGS = {
    "raw": lambda text: text,
    "url": lambda text: quote(text, safe=""),
    "path": quote,
    "form": quote_plus,
    "json": lambda text: json.dumps(text)[1:-1],
    "json as it stands": lambda text: json.dumps(text, ensure_ascii=False)[1:-1],
    "json with escaped slashes": lambda text: json.dumps(text)[1:-1].replace("/", "\\/"),
    "python": lambda text: repr(text)[1:-1],
    "hex": lambda text: text.encode().hex(),
}


@pytest.mark.parametrize("name", SPELLINGS)
@given(secret=SECRETS, before=AROUND, after=AROUND)
def test_no_spelling_of_a_secret_is_left(name: str, secret: str, before: str, after: str):
    spelt = SPELLINGS[name](secret)
    assert spelt not in redacted(f"{before} {spelt} {after}", [secret]) or spelt in "***"


@given(secret=SECRETS, before=AROUND, after=AROUND, urlsafe=st.booleans())
def test_a_secret_inside_base64_is_not_readable_from_what_is_left(secret: str, before: str, after: str, urlsafe: bool):  # noqa: FBT001
    """Basic-combined and at any offset."""
    encode = base64.urlsafe_b64encode if urlsafe else base64.b64encode
    text = encode(f"{before}:{secret}{after}".encode()).decode()
    left = redacted(text, [secret])
    assert "***" in left
    assert (
        len(left) <= len(text) - len(secret.encode()) * 4 // 3 + 8
    )  # all of it but the signs it shares with neighbours


@given(secret=SECRETS)
def test_a_refusal_says_nothing_secret_in_any_of_its_parts(secret: str):
    problem = Problem(
        Code.UPSTREAM_ERROR,
        f"no {secret}",
        hints=(f"try {quote(secret, safe='')}",),
        next_action={"arguments": {"x": [secret]}},
        details={"body": secret, "http_status": 500},
    )
    told = Credentials(secrets=frozenset({secret})).redacted(problem)
    assert secret not in repr([told.message, told.hints, told.next_action, told.details]) or secret in "***"
    assert (told.code, told.details["http_status"]) == (Code.UPSTREAM_ERROR, 500)


def test_words_of_a_passphrase_are_no_secrets_of_their_own():
    assert secrets_of(["correct password staple"]) == {"correct password staple"}
    assert secrets_of_headers(["Bearer c4nary", "a b c"]) == {"Bearer c4nary", "c4nary", "a b c"}


@given(text=st.text(max_size=200))
def test_a_text_without_secrets_stays_as_it_is(text: str):
    assert redacted(text, ["c4nary-that-is-nowhere"]) == text
