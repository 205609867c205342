"""One tool, complete with the definitions it reaches; and all of them, one after another."""
# ruff: noqa: S101 - assert is how pytest speaks; a test's name says what it shows

from __future__ import annotations

from typing import Any

import msgspec

from periplus.model import Effect, Scope, Selector, Tool, ToolRef
from periplus.ports import Store
from periplus.testing.catalogs import make_change, make_row, make_shapes, make_tool

ALL = Scope()
_A, _B, _C = ({"$ref": f"#/$defs/{name}"} for name in "ABC")


async def described(store: Store, ref: str, scope: Scope = ALL) -> Tool:
    tool = await store.tool(ToolRef.parse(ref), scope)
    assert tool is not None
    return tool


class StoreReading:
    """`tool`, `walk`."""

    async def test_a_tool_comes_back_as_it_was_with_its_source_and_path(self, store: Store) -> None:
        members: dict[str, Any] = {
            "title": "Get",
            "description": "Gets.\n\nÜber 漢字",
            "effect": Effect.DESTROY,
            "tags": ("x", "y"),
            "aliases": ("GET /p",),
            "binding": {"method": "GET", "n": [1, 2.5, None]},
            "deprecated": "use another",
            "paths": ("pets", "more/pets"),
        }
        await store.apply(make_change("zoo", [make_row("pets/get", **members)]), 1.0)
        expected = msgspec.structs.replace(make_tool("pets/get", **members), source="zoo", path="pets/get")
        assert await described(store, "zoo/pets/get") == expected

    async def test_missing_hidden_denied_and_not_allowed_look_the_same(self, store: Store) -> None:
        """E-37."""
        await store.apply(make_change("zoo", [make_row("pets/get"), make_row("pets/hid", hidden=True)]), 1.0)
        denied = Scope(deny=(Selector(ref="zoo/pets/*"),))
        assert await store.tool(ToolRef("zoo", "pets/none"), ALL) is None
        assert await store.tool(ToolRef("none", "pets/get"), ALL) is None
        assert await store.tool(ToolRef("zoo", "pets/hid"), ALL) is None
        assert await store.tool(ToolRef("zoo", "pets/get"), denied) is None
        assert await store.tool(ToolRef("zoo", "pets/get"), Scope(allow=())) is None
        assert (await described(store, "zoo/pets/hid", Scope(allow=(Selector(ref="zoo/pets/hid"),)))).hidden

    async def test_each_schema_has_the_definitions_it_reaches_and_no_others(self, store: Store) -> None:
        """S-22, S-36: recursion stays a reference."""
        shapes = make_shapes(
            A={"type": "object", "properties": {"next": _A, "b": _B}},
            B={"type": "string"},
            C={"type": "array", "items": _C},
            D={"type": "null"},
        )
        rows = [
            make_row("both", args_schema={"properties": {"a": {"anyOf": [_A, {}]}}}, result_schema={"items": _C}),
            make_row("plain", args_schema={"type": "object"}),
            make_row("dangling", args_schema={"properties": {"x": {"$ref": "#/$defs/Gone"}}}),
        ]
        await store.apply(make_change("zoo", rows, shapes=shapes), 1.0)
        both = await described(store, "zoo/both")
        assert set(both.args_schema["$defs"]) == {"A", "B"}
        assert both.args_schema["$defs"]["A"]["properties"] == {"next": _A, "b": _B}
        assert both.result_schema is not None
        assert both.result_schema["$defs"] == {"C": {"type": "array", "items": _C}}
        assert (await described(store, "zoo/plain")).args_schema == {"type": "object"}
        assert "$defs" not in (await described(store, "zoo/dangling")).args_schema

    async def test_definitions_of_one_name_in_two_sources_are_two(self, store: Store) -> None:
        row = make_row("get", args_schema={"properties": {"a": _A}})
        await store.apply(make_change("zoo", [row], shapes=make_shapes(A={"type": "string"})), 1.0)
        await store.apply(make_change("ark", [row], shapes=make_shapes(A={"type": "number"})), 2.0)
        assert (await described(store, "zoo/get")).args_schema["$defs"] == {"A": {"type": "string"}}
        assert (await described(store, "ark/get")).args_schema["$defs"] == {"A": {"type": "number"}}
        await store.remove("ark", 3.0)
        assert (await described(store, "zoo/get")).args_schema["$defs"] == {"A": {"type": "string"}}

    async def test_definitions_follow_a_change_and_none_means_as_they_were(self, store: Store) -> None:
        row = make_row("get", args_schema={"properties": {"a": _A}})
        shared = make_shapes(A={"type": "string"})
        await store.apply(make_change("zoo", [row], shapes=shared), 1.0)
        await store.apply(make_change("ark", [row], shapes=shared), 2.0)
        await store.apply(make_change("zoo", shapes=make_shapes(A={"type": "integer"}, B=True)), 3.0)
        await store.apply(make_change("zoo", [make_row("more", args_schema={"items": _B})]), 4.0)
        assert (await described(store, "zoo/get")).args_schema["$defs"] == {"A": {"type": "integer"}}
        assert (await described(store, "zoo/more")).args_schema["$defs"] == {"B": True}
        assert (await described(store, "ark/get")).args_schema["$defs"] == {"A": {"type": "string"}}

    async def test_a_walk_gives_every_tool_once_hidden_ones_too(self, store: Store) -> None:
        """R-15: for building an index."""
        await store.apply(make_change("zoo", (make_row(f"a/t{i}", hidden=i % 7 == 0) for i in range(1200))), 1.0)
        await store.apply(make_change("zoo-2", [make_row("other")]), 2.0)
        everything = [str(tool.ref) async for tool in store.walk()]
        assert sorted(everything) == sorted([*(f"zoo/a/t{i}" for i in range(1200)), "zoo-2/other"])
        assert len([tool async for tool in store.walk("zoo")]) == 1200
        assert [str(tool.ref) async for tool in store.walk("zoo-2")] == ["zoo-2/other"]
        assert [tool async for tool in store.walk("none")] == []

    async def test_a_walk_sees_one_revision_to_its_end(self, store: Store) -> None:
        """S-107."""
        await store.apply(make_change("zoo", (make_row(f"t{i}") for i in range(1200))), 1.0)
        seen = 0
        async for _ in store.walk():
            if seen == 0:
                await store.apply(make_change("zoo", removed=[f"t{i}" for i in range(1200)]), 2.0)
            seen += 1
        assert seen == 1200
        assert [tool async for tool in store.walk()] == []
