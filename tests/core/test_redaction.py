from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from periplus.core.redaction import HIDDEN, is_secret, redacted, redacted_text

SECRET = "tr0ub4dor-Xy9.quay"


@pytest.mark.parametrize(
    "name",
    ["password", "userPassword", "X-Api-Key", "api_key", "apikey", "clientSecret", "Authorization", "refresh_token"],
)
def test_a_member_with_the_name_of_a_secret_is_hidden_however_deep(name):
    """T-23, T-40."""
    assert redacted({"a": [{name: SECRET, "berth": "B7"}]}) == {"a": [{name: HIDDEN, "berth": "B7"}]}


@pytest.mark.parametrize(
    "name", ["berth", "max_tokens", "keyboard", "monkey", "author", "page_token", "passenger", "spin"]
)
def test_other_members_stay_readable(name):
    assert not is_secret(name)


@pytest.mark.parametrize(
    "text",
    [
        f"curl -H 'Authorization: Bearer {SECRET}'",
        f"https://ann:{SECRET}@example.com/a",
        f"https://example.com/a?api_key={SECRET}&b=1",
        f'{{"password": "{SECRET}"}}',
        f"log in with password={SECRET}",
        f"use eyJhbGciOiJIUzI1NiJ9.{'e30' * 9}.{SECRET.replace('.', '-')}",
    ],
)
def test_a_text_that_carries_a_secret_is_kept_without_it(text):
    """T-23."""
    assert SECRET not in redacted_text(text)
    assert SECRET.replace(".", "-") not in redacted_text(text)
    assert HIDDEN in redacted_text(text)


@pytest.mark.parametrize(
    "text",
    ["basic end-to-end tests", "book a berth for 12 m", "token end-of-life", "GET /a?page=2", "the bearer of this"],
)
def test_a_text_without_secrets_stays_as_it_is(text):
    assert redacted_text(text) == text


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    )
)
def test_what_was_redacted_once_does_not_change_again(value):
    once = redacted(value)
    assert redacted(once) == once
