from __future__ import annotations

import pytest

from periplus.core.intake.effects import parse_overrides, settle
from periplus.model import Draft, Effect, Problem

R, W, D = Effect.READ, Effect.WRITE, Effect.DESTROY


def _effect(leaf: str, base: Effect = W, origin: str = "x", words: tuple[str, ...] = (), **rest) -> Effect:
    method = "get" if base is R else "post"
    draft = Draft(key="k", leaf=leaf, origin=origin, method=method, effect=base, effect_words=words, **rest)
    return settle(draft, (), leaf).effect


@pytest.mark.parametrize(
    ("leaf", "base", "expected"),
    [
        ("deleteUser", W, D),
        ("user_purge", W, D),
        ("revoke", R, D),
        ("undelete", W, W),
        ("get_deleted_items", R, R),
        ("list_delete_requests", R, R),
        ("countRemoved", R, R),
        ("dropbox_sync", W, W),
        ("createUser", W, W),
        ("listUsers", R, R),
    ],
)
def test_words_raise_and_never_lower(leaf, base, expected):
    """S-30"""
    assert _effect(leaf, base) is expected


def test_get_on_a_path_that_deletes_destroys():
    """S-30"""
    assert _effect("get_users_id_delete", R, "GET /users/{id}/delete", ("delete",)) is D


def test_a_read_that_is_no_get_is_not_raised():
    """S-30"""
    draft = Draft(
        key="k", leaf="revokedTokens", origin="Query.revoke", method="query", effect=R, effect_words=("revoke",)
    )
    assert settle(draft, (), "x").effect is R


def test_a_reading_name_stands_against_its_path():
    """S-30"""
    assert _effect("listDeleteRequests", R, "GET /delete_requests", ("delete_requests",)) is R


def test_a_declaration_beats_words():
    """S-5, S-29"""
    assert _effect("deleteDraft", R, effect_declared=True) is R


def test_the_operator_has_the_last_word():
    """S-5"""
    overrides = parse_overrides("s", {"*search*": "read", "ships/*": "delete"})
    draft = Draft(key="k", leaf="searchAndPurge", origin="x", effect=W)
    assert settle(draft, overrides, "a/searchAndPurge").effect is R
    assert (
        settle(Draft(key="k", leaf="x", origin="x", effect=R, effect_declared=True), overrides, "ships/x").effect is D
    )


def test_an_effect_that_is_none_is_refused_with_the_key():
    with pytest.raises(Problem, match=r"\[sources.port\] effects: 'x' = 'maybe'"):
        parse_overrides("port", {"x": "maybe"})


@pytest.mark.parametrize("leaf", ["searchUsers", "list_all", "validateAddress", "estimate"])
def test_writes_whose_verb_reads_are_put_up_for_review(leaf):
    """S-31"""
    assert settle(Draft(key="k", leaf=leaf, origin="x", effect=W), (), leaf) == (W, True)


def test_reads_and_plain_writes_need_no_review():
    """S-31"""
    assert not settle(Draft(key="k", leaf="searchUsers", origin="x", effect=R), (), "x").review
    assert not settle(Draft(key="k", leaf="createUser", origin="x", effect=W), (), "x").review
