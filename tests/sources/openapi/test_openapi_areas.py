"""Where operations stand in the tree."""

from __future__ import annotations

from typing import Any

import pytest

OK = {"responses": {"200": {"description": "fine"}}}


def tagged(*tags: Any):
    return {"get": {"tags": list(tags), **OK}}


def test_the_primary_area_is_the_first_declared_tag(read: Any, api: Any):
    """S-18, S-24."""
    result = read(api({"/a": tagged("loose", "known", "other")}, tags=[{"name": "other"}, {"name": "known"}]))
    assert result.drafts[0].areas == (("known",), ("loose",), ("other",))
    assert result.drafts[0].tags == ("loose", "known", "other")


@pytest.mark.parametrize("tags", [[], None, [1, None, {}], "", [""], {"a": 1}])
def test_tags_that_are_none_are_no_tags(read: Any, api: Any, tags: Any):
    """S-24."""
    paths = {"/x/a": {"get": {"tags": tags, **OK}}, "/y": {"get": OK}}
    assert read(api(paths)).drafts[0].areas == (("x",),)


@pytest.mark.parametrize(
    ("tag", "area"),
    [
        ("A:B", ("A", "B")),
        ("A::B:C", ("A", "B", "C")),
        ("A / B", ("A", "B")),
        ("A > B > C", ("A", "B", "C")),
        ("A/B", ("A/B",)),
        (":", (":",)),
    ],
)
def test_separators_inside_a_tag_are_levels(read: Any, api: Any, tag: Any, area: Any):
    """S-25."""
    result = read(api({"/a": tagged(tag)}))
    assert result.drafts[0].areas == (area,)
    assert [node.path for node in result.reading.nodes] == [area[: depth + 1] for depth in range(len(area))]


def test_a_bare_slash_is_a_level_where_two_tags_share_what_is_before_it(read: Any, api: Any):
    """S-25."""
    result = read(api({"/a": tagged("shop/buy"), "/b": tagged("shop/sell"), "/c": tagged("I/O")}))
    assert [draft.areas for draft in result.drafts] == [(("shop", "buy"),), (("shop", "sell"),), (("I/O",),)]


def test_parents_make_a_tree_of_any_depth(read: Any, api: Any):
    """S-25."""
    tags = [{"name": f"t{depth}", "parent": f"t{depth - 1}"} if depth else {"name": "t0"} for depth in range(150)]
    result = read(api({"/a": tagged("t149")}, tags=tags[::-1]))
    assert result.drafts[0].areas == (tuple(f"t{depth}" for depth in range(150)),)
    assert len(result.reading.nodes) == 150


def test_a_parent_that_is_missing_or_a_circle_leaves_its_tag_at_the_root(read: Any, api: Any):
    """S-25."""
    tags = [
        {"name": "lost", "parent": "nobody"},
        {"name": "a", "parent": "b"},
        {"name": "b", "parent": "a"},
        {"name": "under", "parent": "a"},
        {"name": "self", "parent": "self"},
    ]
    result = read(api({"/a": tagged("lost", "a", "b", "under", "self")}, tags=tags))
    assert result.drafts[0].areas == (("lost",), ("a",), ("b",), ("a", "under"), ("self",))
    assert result.codes.count("missing_member") == 1
    assert result.codes.count("ref_cycle") == 3


def test_tag_groups_are_secondary_places(read: Any, api: Any):
    """S-25."""
    groups = [{"name": "All", "tags": ["pets", "x:y"]}, {"name": 3}, None]
    result = read(api({"/a": tagged("pets"), "/b": tagged("x:y")}, **{"x-tagGroups": groups}))
    assert [draft.areas for draft in result.drafts] == [(("pets",), ("All", "pets")), (("x", "y"), ("All", "x", "y"))]


def test_without_tags_the_first_telling_segment_is_the_area(read: Any, api: Any):
    """S-26."""
    paths = {f"/api/v1/acme/{area}/{{id}}": {"get": OK} for area in ("pets", "owners", "visits")}
    result = read(api({**paths, "/api/v1/acme": {"get": OK}, "/{tenant}/pets": {"get": OK}}))
    assert [draft.areas[0] for draft in result.drafts] == [
        ("acme",), ("acme",), ("acme",), ("acme",), ("pets",),
    ]  # fmt: skip
    shared = read(api(paths))
    assert [draft.areas[0] for draft in shared.drafts] == [("pets",), ("owners",), ("visits",)]
    assert read(api({"/v2/{id}": {"get": OK}})).drafts[0].areas == (("general",),)


def test_nodes_carry_what_their_tag_says(read: Any, api: Any):
    """S-27."""
    tags = [
        {"name": "a", "summary": "Short.", "description": "Long.", "x-displayName": "The A"},
        {"name": "b", "description": "Only this. And more."},
        {"name": "c", "x-displayName": "The C"},
        {"name": "unused"},
    ]
    result = read(api({"/a": tagged("a"), "/b": tagged("b"), "/c": tagged("c"), "/d": tagged("a:x")}, tags=tags))
    nodes = {node.path: node for node in result.reading.nodes}
    assert (nodes["a",].summary, nodes["a",].description, nodes["a",].title) == ("Short.", "Long.", "The A")
    assert (nodes["b",].summary, nodes["b",].description) == ("", "Only this. And more.")
    assert nodes["c",].summary == "The C"
    assert set(nodes) == {("a",), ("b",), ("c",), ("a", "x")}


def test_an_author_may_name_the_area(read: Any, api: Any):
    """S-28."""
    operation = {"tags": ["t"], "x-periplus-area": "billing/invoices", **OK}
    result = read(api({"/a": {"get": operation}}))
    assert result.drafts[0].areas == (("billing", "invoices"), ("t",))
    assert ("billing",) in {node.path for node in result.reading.nodes}
