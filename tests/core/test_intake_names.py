from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from periplus.core.intake.names import Wanted, area_paths, settle_names, wanted
from periplus.core.intake.source_names import source_id
from periplus.model import SourceSpec, ToolRef


def _want(
    key: str, leaf: str, method: str = "get", origin: str | None = None, area: tuple[str, ...] = ("a",)
) -> Wanted:
    return wanted(key, area_paths([area]), leaf, method, origin or key)


_leaves = st.sampled_from(["get_x", "get x", "get__x", "x", "x_get", "X", "x_post", "long" * 30])
_wants = st.lists(
    st.builds(
        lambda leaf, method, origin, area: (leaf, method, origin, area),
        _leaves,
        st.sampled_from(["get", "post", ""]),
        st.text(max_size=8),
        st.sampled_from([("a",), ("b", "c"), ()]),
    ),
    max_size=30,
)


def _asked(rows) -> list[Wanted]:
    return [_want(f"k{number}", leaf, method, origin, area) for number, (leaf, method, origin, area) in enumerate(rows)]


@given(_wants)
def test_no_operation_is_lost_and_no_two_share_a_name(rows):
    """S-20"""
    named = settle_names("s", _asked(rows), {}, {})
    assert len({name.path for name in named}) == len(rows)
    for name in named:
        ToolRef.parse(f"s/{name.path}")


@given(_wants, st.randoms(use_true_random=False))
def test_names_do_not_depend_on_the_order_of_operations(rows, rng: random.Random):
    """S-20"""
    asked = _asked(rows)
    first = dict(zip([want.key for want in asked], settle_names("s", asked, {}, {}), strict=True))
    rng.shuffle(asked)
    assert dict(zip([want.key for want in asked], settle_names("s", asked, {}, {}), strict=True)) == first


@given(_wants)
def test_reading_again_changes_no_name(rows):
    """S-21"""
    asked = _asked(rows)
    stored = {want.key: name.path for want, name in zip(asked, settle_names("s", asked, {}, {}), strict=True)}
    again = settle_names("s", asked, stored, {})
    assert [name.path for name in again] == list(stored.values())
    assert not any(name.former for name in again)


@given(_wants, _wants)
def test_new_neighbours_never_rename_what_is_stored(rows, more):
    """S-21"""
    asked = _asked(rows)
    stored = {want.key: name.path for want, name in zip(asked, settle_names("s", asked, {}, {}), strict=True)}
    everybody = _asked(rows + more)
    named = settle_names("s", everybody, stored, {})
    assert [name.path for name in named[: len(rows)]] == list(stored.values())
    assert len({name.path for name in named}) == len(everybody)


def test_tools_that_want_one_name_all_get_their_method_and_then_a_hash():
    """S-20"""
    rows = [_want("1", "x", "get", "GET /x"), _want("2", "x", "post", "POST /x"), _want("3", "x", "get", "GET /y")]
    paths = [name.path for name in settle_names("s", rows, {}, {})]
    assert paths[1] == "a/x_post"
    assert paths[0].startswith("a/x_get_")
    assert paths[2].startswith("a/x_get_")
    assert len(paths[0]) == len("a/x_get_") + 4


def test_a_tool_that_moves_keeps_its_old_ref_as_an_alias():
    """S-21"""
    [moved] = settle_names("s", [_want("k", "x", area=("new",))], {"k": "old/x"}, {})
    assert (moved.path, moved.former) == ("new/x", "old/x")


def test_the_ref_of_a_removed_tool_is_not_given_to_another():
    """S-21"""
    [name] = settle_names("s", [_want("new", "x")], {}, {"a/x": "gone"})
    assert name.path == "a/x_get"


def test_a_removed_tool_that_comes_back_gets_its_ref_back():
    """S-21"""
    [name] = settle_names("s", [_want("gone", "x")], {}, {"a/x": "gone"})
    assert name.path == "a/x"


def test_a_ref_never_exceeds_two_hundred_characters():
    """S-16"""
    deep = tuple(f"area{number}" * 5 for number in range(12))
    names = settle_names("s" * 40, [_want("1", "x", area=deep), _want("2", "y", area=deep)], {}, {})
    assert all(len(f"{'s' * 40}/{name.path}") <= 200 for name in names)
    assert names[0].path != names[1].path


@pytest.mark.parametrize(
    ("location", "expected"),
    [
        ("https://api.example.com/openapi.json", "api-example-com"),
        ("https://www.example.com/v1/billing/openapi.yaml", "example-com-billing"),
        ("http://127.0.0.1:8000/graphql", "127-0-0-1"),
        ("/data/specs/harbour.yaml", "harbour"),
        ("periplus.demo.charts", "periplus-demo-charts"),
        ("https://[::1]/x", "1-x"),
        ("???", "source"),
    ],
)
def test_an_unnamed_source_is_called_after_its_address(location, expected):
    """S-15"""
    assert source_id(SourceSpec(url=location), ()) == expected


def test_a_taken_source_name_is_numbered():
    """S-15"""
    assert source_id(SourceSpec(url="https://a.com/"), {"a-com", "a-com-2"}) == "a-com-3"


@given(st.text(max_size=80))
def test_every_location_gives_a_legal_name(location):
    """S-15"""
    ToolRef.parse(f"{source_id(SourceSpec(url=location), ())}/x")


def test_source_ids_that_nobody_chose_differ_by_more_than_hyphens():
    """E-5, S-15."""
    assert source_id(SourceSpec(url="https://api.example.com/a"), {"apiexamplecom-a"}) == "api-example-com-a-2"


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("npx -y @modelcontextprotocol/server-github@1.2 --token s3cret", "server-github"),
        ("uvx mcp-server-git --repository /home/me/secret", "mcp-server-git"),
        ("uv run --with mcp server.py s3cret", "server"),
        ("/usr/bin/python3.11 -m harbour.tides s3cret", "harbour-tides"),
        ("/opt/harbour/bin/harbour-mcp serve s3cret", "harbour-mcp"),
        ("tool s3cret", "tool"),
        ("docker run -i --rm -e KEY=s3cret ghcr.io/harbour/quay:2", "quay"),
        ("env KEY=s3cret node dist/index.mjs", "index"),
        ("python3", "python3"),
    ],
)
def test_an_unnamed_command_is_called_after_what_it_runs_and_not_after_its_arguments(command, expected):
    """S-15"""
    first, *rest = command.split()
    assert source_id(SourceSpec(kind="mcp", command=first, args=tuple(rest)), ()) == expected
