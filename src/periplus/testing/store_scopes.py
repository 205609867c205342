"""Visibility is a query: whatever a scope says, the store shows exactly what `Scope.admits` admits."""
# ruff: noqa: S101 - assert is how pytest speaks; a test's name says what it shows

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from periplus.model import Effect, Scope, Selector, Tool, ToolRef
from periplus.ports import Row, Store
from periplus.testing.catalogs import make_change, make_row

_PLACES = ("", "a", "a/b", "a-b", "a/b/c", "B")
_TAGS = ("x", "X y", "[x]", "x*", "ü", "a/b", "%_")
_SOURCES = ("zoo", "zoo-2")
# Few letters, so that globs meet names often, and every sign that means something to a database.
_GLOBS = st.text(alphabet="zo-2/abcB.*?[]xX%_^ü!", max_size=9) | st.sampled_from(
    [
        "*",
        "zoo/*",
        "zoo",
        "zoo/a",
        "zoo/a/b",
        "*/a/*",
        "zoo-2/a*",
        "z?o/*",
        "[x]",
        "a/**",
        "zoo/B/t0",
        "zoo/t0",
        "zoo-2/t1",
    ]
)
_SELECTORS = st.builds(
    Selector,
    ref=st.just("*") | _GLOBS,
    tag=st.none() | _GLOBS | st.sampled_from(_TAGS),
    node=st.none() | _GLOBS,
    effects=st.none() | st.frozensets(st.sampled_from(Effect)),
    tags=st.lists(st.sampled_from(("X", "x Y", "Ü", "READ", "write", "none")), max_size=2, unique=True).map(tuple),
)
_SCOPES = st.builds(
    Scope,
    allow=st.lists(_SELECTORS, max_size=4).map(tuple) | st.just((Selector(),)),
    deny=st.lists(_SELECTORS, max_size=2).map(tuple),
)
_MEMBERS = st.fixed_dictionaries(
    {
        "area": st.sampled_from(_PLACES),
        "paths": st.lists(st.sampled_from(_PLACES), min_size=1, max_size=3, unique=True).map(tuple),
        "tags": st.lists(st.sampled_from(_TAGS), max_size=2, unique=True).map(tuple),
        "effect": st.sampled_from(Effect),
        "hidden": st.booleans(),
    }
)
_ONE = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


class StoreScopes:
    """A scope in a query is the scope in the model."""

    @given(drawn=st.lists(_MEMBERS, max_size=8), scopes=st.lists(_SCOPES, min_size=1, max_size=6))
    @_ONE
    async def test_every_view_shows_exactly_what_the_scope_admits(
        self, store: Store, drawn: list[dict[str, Any]], scopes: list[Scope]
    ) -> None:
        """R-2, E-9, E-37."""
        tools = await self._fill(store, drawn)
        for scope in scopes:
            visible = [tool for tool in tools if scope.admits(tool)]
            refs = sorted(str(tool.ref) for tool in visible)
            for tool in tools:
                found = await store.tool(tool.ref, scope)
                assert (found is not None) == (tool in visible)
            assert [str(line.ref) for line in await store.tools("", scope, "", 99, deep=True)] == refs
            assert sorted(str(ref) for ref in await store.near(["tool"], scope, 99)) == refs
            assert sorted(str(ref) for ref, _ in await store.resolve("tool", scope, 99)) == refs
            await self._check_tree(store, scope, visible)

    async def _check_tree(self, store: Store, scope: Scope, visible: list[Tool]) -> None:
        below: dict[str, set[ToolRef]] = {}
        for tool in visible:
            for path in tool.paths:
                place = f"{tool.source}/{path}" if path else tool.source
                while place:
                    below.setdefault(place, set()).add(tool.ref)
                    place = place.rpartition("/")[0]
                below.setdefault("", set()).add(tool.ref)
        for path in ["", *(f"{source}/{area}".strip("/") for source in _SOURCES for area in _PLACES)]:
            children = sorted(place for place in below if place and place.rpartition("/")[0] == path)
            node = await store.node(path, scope)
            counts = (node.tools, node.areas) if node else None
            assert counts == ((len(below[path]), len(children)) if path in below else None)
            found = await store.children(path, scope, "", 99)
            assert [child.path for child in found] == children
            assert [child.tools for child in found] == [len(below[child]) for child in children]
            deep = await store.tools(path, scope, "", 99, deep=True)
            assert [line.ref for line in deep] == sorted(below.get(path, ()), key=str)

    async def _fill(self, store: Store, drawn: list[dict[str, Any]]) -> list[Tool]:
        """Make the catalog these tools and no others; the last example's may be changed, moved or removed by it."""
        tools: list[Tool] = []
        for number, source in enumerate(_SOURCES):
            rows: list[Row] = []
            for index, members in enumerate(drawn[number::2]):
                area = members["area"]
                path = f"{area}/tool{index}" if area else f"tool{index}"
                rest = {name: value for name, value in members.items() if name != "area"}
                row = make_row(path, key=str(index), aliases=("tool",), **rest)
                rows.append(row)
                tool = Tool(source=source, path=path, key=row.key, origin="", **rest)
                tools.append(tool)
            gone = [key for key in await store.known(source) if key not in {row.key for row in rows}]
            await store.apply(make_change(source, rows, removed=gone), 1.0)
        return tools
