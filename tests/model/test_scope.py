from __future__ import annotations

import fnmatch
import re

from hypothesis import given
from hypothesis import strategies as st

from periplus.model import Effect, Scope, Selector, Tool, glob_matches

_TOOL = Tool(source="port", path="berths/list", key="k", origin="o", paths=("berths", "ships/all"), tags=("dry",))


@given(st.text(alphabet="ab*?/"), st.text(alphabet="ab/"))
def test_globs_match_as_everybody_knows_them(glob: str, text: str):
    assert glob_matches(glob, text) == (re.fullmatch(fnmatch.translate(glob), text) is not None)


def test_a_bracket_in_a_glob_is_only_a_bracket():
    assert glob_matches("[ab]*", "[ab]c")
    assert not glob_matches("[ab]", "a")


def test_many_stars_stay_quick():
    assert not glob_matches("*a" * 30 + "b", "a" * 60)


def test_everything_admits_all_but_hidden_tools():
    hidden = Tool(source="port", path="x", key="k", origin="o", hidden=True)
    assert Scope().admits(_TOOL)
    assert not Scope().admits(hidden)


def test_a_hidden_tool_is_reached_by_a_rule_that_names_it():
    """S-28"""
    hidden = Tool(source="port", path="x", key="k", origin="o", hidden=True)
    assert Scope(allow=(Selector(ref="port/x"),)).admits(hidden)
    assert not Scope(allow=(Selector(ref="port/*"),)).admits(hidden)


def test_deny_beats_allow():
    scope = Scope(allow=(Selector(ref="port/*"),), deny=(Selector(effects=frozenset({Effect.WRITE})),))
    assert not scope.admits(_TOOL)


def test_a_node_selects_over_every_path_of_a_tool():
    assert Selector(node="port/ships").admits(_TOOL)
    assert Selector(node="port").admits(_TOOL)
    assert not Selector(node="port/ship").admits(_TOOL)


def test_all_conditions_of_a_selector_hold_together():
    assert Selector(ref="port/*", tag="d?y").admits(_TOOL)
    assert not Selector(ref="port/*", tag="wet").admits(_TOOL)


def test_tags_are_told_apart_by_letters_not_by_their_case_and_an_effect_counts_as_one():
    tool = Tool(source="port", path="x", key="k", origin="o", tags=("Dry Dock", "Über"), effect=Effect.READ)
    assert Scope().tagged(("dry dock", "ÜBER", "READ")).admits(tool)
    assert not Scope().tagged(("dry", "read")).admits(tool)
    assert Scope().tagged(("dry", "read"), one_is_enough=True).admits(tool)
    assert Scope().tagged(()).admits(tool)
    assert not Scope(deny=(Selector(ref="port/x"),)).tagged(("read",)).admits(tool)
