from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from periplus.model import Code, Problem, ToolRef, check_source_id, fold, leaf_segment, segment

_SEGMENT = re.compile(r"[A-Za-z0-9._@-]+")


@given(st.text())
def test_every_text_becomes_a_legal_segment(text: str):
    """S-16"""
    assert _SEGMENT.fullmatch(segment(text))
    assert segment(segment(text)) == segment(text)


@given(st.text(min_size=1, max_size=300))
def test_a_leaf_never_grows_past_eighty(text: str):
    """S-16"""
    assert len(leaf_segment(text)) <= 80


def test_long_leaves_that_differ_at_the_end_stay_apart():
    """S-16"""
    one, two = leaf_segment("a" * 100 + "1"), leaf_segment("a" * 100 + "2")
    assert one != two
    assert re.fullmatch(r"a{73}_[0-9a-f]{6}", one)


def test_names_in_other_scripts_do_not_vanish_or_merge():
    assert segment("Überfahrt") == "Uberfahrt"
    assert segment("船") != segment("港")


def test_other_characters_become_one_underscore_and_outer_ones_go():
    """S-16"""
    assert segment("pulls/list") == "pulls_list"
    assert segment("  (get)  all!! pets ") == "get_all_pets"
    assert segment("x@1.2-b") == "x@1.2-b"


@given(st.lists(st.from_regex(_SEGMENT, fullmatch=True), min_size=1, max_size=4))
def test_a_ref_reads_back_as_it_was_written(pieces: list[str]):
    ref = ToolRef("some-source", "/".join(pieces))
    assert ToolRef.parse(str(ref)) == ref
    assert f"{ref.area}/{ref.leaf}".strip("/") == ref.path


@pytest.mark.parametrize("text", ["", "x", "/x", "a//b", "a/b/", "A/b", "a b/c", "a/../b c", "a/b?c", "-a/b"])
def test_what_is_no_ref_is_refused_with_its_text(text: str):
    with pytest.raises(Problem) as refusal:
        ToolRef.parse(text)
    assert refusal.value.code is Code.BAD_INPUT
    assert repr(text) in refusal.value.message


def test_fold_makes_spellings_equal_and_keeps_names_apart():
    assert fold("repos/repos_get") == fold("Repos:Repos-Get") == "reposreposget"
    assert fold("GET /pets/{id}") == fold("get_pets_id")
    assert fold("船") == "船"


@pytest.mark.parametrize("text", ["", "A", "-a", "a_b", "a" * 41, "é"])
def test_bad_source_names_are_refused(text: str):
    """S-15"""
    with pytest.raises(Problem, match="not a source name"):
        check_source_id(text)
