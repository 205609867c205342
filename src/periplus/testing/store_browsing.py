"""The tree: nodes that lead to visible tools, counts, pages without gaps."""
# ruff: noqa: S101 - assert is how pytest speaks; a test's name says what it shows

from __future__ import annotations

import pytest

from periplus.model import Effect, Node, Scope, Selector, ToolRef
from periplus.ports import Store
from periplus.testing.catalogs import make_change, make_row

ALL = Scope()
READ = Scope(allow=(Selector(effects=frozenset({Effect.READ})),))


async def node_of(store: Store, path: str, scope: Scope = ALL) -> Node:
    node = await store.node(path, scope)
    assert node is not None
    return node


async def names(store: Store, path: str, scope: Scope = ALL) -> list[str]:
    return [node.path for node in await store.children(path, scope, "", 99)]


class StoreBrowsing:
    """`node`, `children`, `tools`."""

    async def harbour(self, store: Store) -> None:
        """Fill the catalog that the tests here look at."""
        rows = [
            make_row("berths/list", effect=Effect.READ, tags=("berth",)),
            make_row("berths/free", paths=("berths", "popular"), deprecated="later", requires_approval=True),
            make_row("berths/rows/add", paths=("berths/rows", "popular", "berths")),
            make_row("staff/hire", hidden=True),
            make_row("status", effect=Effect.READ),
        ]
        nodes = [Node(path="berths", title="Berths", summary="Find berths"), Node(path="unused", title="Unused")]
        await store.apply(make_change("harbour", rows, nodes=nodes), 1.0)
        await store.apply(make_change("harbour-2", [make_row("a.b/get"), make_row("a/get"), make_row("a-b/get")]), 2.0)

    async def test_a_node_counts_each_tool_of_its_subtree_once(self, store: Store) -> None:
        """E-4, E-9."""
        await self.harbour(store)
        assert await node_of(store, "") == Node(path="", tools=7, areas=2)
        assert (await node_of(store, "harbour")).tools == 4
        assert (await node_of(store, "harbour")).areas == 2
        berths = await node_of(store, "harbour/berths")
        assert berths == Node(path="harbour/berths", title="Berths", summary="Find berths", tools=3, areas=1)
        assert (await node_of(store, "harbour/popular")).tools == 2

    async def test_counts_inside_a_scope_are_of_what_it_shows(self, store: Store) -> None:
        """E-9."""
        await self.harbour(store)
        assert (await node_of(store, "", READ)).tools == 2
        assert (await node_of(store, "", READ)).areas == 1
        assert (await node_of(store, "harbour/berths", READ)).tools == 1
        assert (await node_of(store, "harbour/berths", READ)).areas == 0
        assert await names(store, "harbour", READ) == ["harbour/berths"]

    async def test_a_node_without_visible_tool_does_not_exist(self, store: Store) -> None:
        """E-9, E-37."""
        await self.harbour(store)
        for path in ("harbour/staff", "harbour/unused", "harbour/none", "none", "harbour/berth", "harbour/berths/"):
            assert await store.node(path, ALL) is None
            assert await store.children(path, ALL, "", 9) == []
            assert await store.tools(path, ALL, "", 9) == []
            assert await store.tools(path, ALL, "", 9, deep=True) == []
        assert await store.node("harbour/popular", READ) is None
        assert await store.node("", Scope(allow=())) is None
        staff = Scope(allow=(Selector(ref="harbour/staff/hire"),))
        assert (await node_of(store, "harbour/staff", staff)).tools == 1
        assert await names(store, "", staff) == ["harbour"]

    async def test_a_source_is_titled_by_its_name_or_by_what_the_change_says_of_its_root(self, store: Store) -> None:
        await self.harbour(store)
        assert (await node_of(store, "harbour")).title == "harbour"
        root = Node(path="", title="The Harbour", summary="Ships")
        await store.apply(make_change("harbour", nodes=[root]), 3.0)
        assert (await node_of(store, "harbour")).title == "The Harbour"
        assert (await node_of(store, "harbour", READ)).summary == "Ships"

    async def test_nodes_follow_their_tools_and_their_list(self, store: Store) -> None:
        await self.harbour(store)
        await store.apply(make_change("harbour", [make_row("unused/now")], removed=["berths/rows/add"]), 3.0)
        assert await names(store, "harbour") == ["harbour/berths", "harbour/popular", "harbour/unused"]
        assert (await node_of(store, "harbour/berths")).areas == 0
        assert (await node_of(store, "harbour/popular")).tools == 1
        await store.apply(make_change("harbour", nodes=[], removed=["unused/now", "berths/free"]), 4.0)
        assert await names(store, "harbour") == ["harbour/berths"]
        assert (await node_of(store, "")).tools == 5

    async def test_tools_stand_where_they_are_placed_in_order_of_ref(self, store: Store) -> None:
        """E-11, E-14."""
        await self.harbour(store)
        lines = await store.tools("harbour/berths", ALL, "", 9)
        refs = [str(line.ref) for line in lines]
        assert refs == ["harbour/berths/free", "harbour/berths/list", "harbour/berths/rows/add"]
        assert (lines[0].deprecated, lines[0].requires_approval) == (True, True)
        assert (lines[1].effect, lines[1].tags, lines[1].summary) == (Effect.READ, ("berth",), "Use berths/list")
        assert [str(line.ref) for line in await store.tools("harbour", ALL, "", 9)] == ["harbour/status"]
        assert [str(line.ref) for line in await store.tools("harbour/popular", ALL, "", 9)] == [refs[0], refs[2]]
        deep = [str(line.ref) for line in await store.tools("harbour", ALL, "", 9, deep=True)]
        assert deep == [*refs, "harbour/status"]
        assert [str(line.ref) for line in await store.tools("", READ, "", 9, deep=True)] == [refs[1], "harbour/status"]

    async def test_neighbours_with_like_names_are_not_below_each_other(self, store: Store) -> None:
        """E-10: a prefix never matches silently."""
        await self.harbour(store)
        assert (await node_of(store, "harbour-2/a")).tools == 1
        assert (await node_of(store, "harbour-2/a", Scope(deny=(Selector(ref="x"),)))).tools == 1
        assert [line.ref.path for line in await store.tools("harbour-2/a", ALL, "", 9, deep=True)] == ["a/get"]
        assert len(await store.tools("harbour", ALL, "", 99, deep=True)) == 4

    async def test_a_large_area_gives_the_same_as_a_small_one(self, store: Store) -> None:
        rows = [make_row(f"big/t{i:04}") for i in range(2100)] + [make_row("a/x", paths=("a", "big")), make_row("z/y")]
        await store.apply(make_change("zoo", rows), 1.0)
        first = await store.tools("zoo/big", ALL, "", 3, deep=True)
        assert [line.ref.path for line in first] == ["a/x", "big/t0000", "big/t0001"]
        last = await store.tools("zoo/big", ALL, "zoo/big/t2098", 3, deep=True)
        assert [line.ref.path for line in last] == ["big/t2099"]

    async def test_several_levels_are_one_list_in_order_of_path(self, store: Store) -> None:
        """E-11."""
        await self.harbour(store)
        deep = ["harbour/berths", "harbour/berths/rows", "harbour/popular"]
        assert [node.path for node in await store.children("harbour", ALL, "", 9, depth=2)] == deep
        assert [node.path for node in await store.children("", ALL, "", 9, depth=0) if "-2" not in node.path] == [
            "harbour",
            *deep,
        ]
        assert [node.path for node in await store.children("", ALL, "harbour", 2, depth=2)] == [
            "harbour-2",
            "harbour-2/a",
        ]
        narrow = Scope(allow=(Selector(ref="harbour/berths/rows/*"),))
        found = await store.children("", narrow, "", 9, depth=0)
        assert [(node.path, node.tools) for node in found] == [(path, 1) for path in ("harbour", *deep)]
        assert await store.children("harbour/ber", ALL, "", 9, depth=0) == []

    async def test_tools_by_ref_come_with_all_their_places_their_own_first(self, store: Store) -> None:
        """E-14."""
        await self.harbour(store)
        refs = [ToolRef("harbour", path) for path in ("berths/rows/add", "berths/free", "staff/hire", "none")]
        found = await store.placed(refs, ALL)
        assert {str(ref): one.places for ref, one in found.items()} == {
            "harbour/berths/rows/add": ("harbour/berths/rows", "harbour/berths", "harbour/popular"),
            "harbour/berths/free": ("harbour/berths", "harbour/popular"),
        }
        assert found[refs[1]].line == (await store.tools("harbour/berths", ALL, "", 1))[0]
        assert await store.placed(refs, Scope(allow=())) == {}

    async def test_a_node_has_the_tags_of_what_is_visible_below_it(self, store: Store) -> None:
        """E-9."""
        rows = [make_row(f"a/t{i}", tags=("x", "rare") if i == 1 else ("x",), effect=Effect.READ) for i in range(3)]
        await store.apply(make_change("zoo", [*rows, make_row("a/b/u", tags=("y",))]), 1.0)
        assert await store.tags(["zoo", "zoo/a/b", "none"], ALL, 2) == {
            "zoo": ("x", "rare"),
            "zoo/a/b": ("y",),
            "none": (),
        }
        assert await store.tags(["", "zoo/a/b"], READ, 9) == {"": ("x", "rare"), "zoo/a/b": ()}

    async def test_a_large_node_tells_no_tags_rather_than_those_of_some_of_its_tools(self, store: Store) -> None:
        many = [make_row(f"a{i % 40}/t{i}", tags=(f"a{i % 40}",)) for i in range(2000)]
        await store.apply(make_change("zoo", many), 1.0)
        assert await store.tags(["zoo", "zoo/a7"], ALL, 5) == {"zoo": (), "zoo/a7": ("a7",)}

    async def test_a_tree_of_its_own_stands_beside_the_sources_and_is_counted_over_all_of_them(
        self, store: Store
    ) -> None:
        """E-6."""
        for source in ("zoo", "farm"):
            rows = [make_row("a/feed", paths=("a", f"~work/Food/{source}")), make_row("b", paths=("", "~work/Food"))]
            nodes = [Node(path="~work/Food", title="Food", summary="To eat"), Node(path=f"~work/Food/{source}")]
            await store.apply(make_change(source, rows, nodes=[*nodes, Node(path="a")]), 1.0)
        assert await names(store, "") == ["farm", "zoo"]
        assert await names(store, "~work") == ["~work/Food"]
        food = await node_of(store, "~work/Food")
        assert (food.tools, food.areas, food.title) == (4, 2, "Food")
        assert (await node_of(store, "~work/Food", Scope(allow=(Selector(ref="zoo/*"),)))).tools == 2
        deep = await store.tools("~work", ALL, "", 9, deep=True)
        assert [str(line.ref) for line in deep] == ["farm/a/feed", "farm/b", "zoo/a/feed", "zoo/b"]
        assert (await store.known("zoo"))["a/feed"].places == ("a", "~work/Food/zoo")
        assert len(await store.tools("", ALL, "", 9, deep=True)) == (await node_of(store, "")).tools == 4
        await store.remove("zoo", 2.0)
        assert (await node_of(store, "~work/Food")).tools == 2
        assert await store.node("~work/Food/zoo", ALL) is None
        await store.remove("farm", 3.0)
        assert await store.node("~work", ALL) is None

    @pytest.mark.parametrize("size", [1, 2, 3, 50])
    @pytest.mark.parametrize("scope", [ALL, READ, Scope(deny=(Selector(ref="*/berths/free"),))])
    async def test_pages_together_are_the_whole(self, store: Store, size: int, scope: Scope) -> None:
        """E-25."""
        await self.harbour(store)
        for path in ("", "harbour", "harbour/berths", "harbour-2"):
            whole = await store.children(path, scope, "", 99)
            paged: list[Node] = []
            while page := await store.children(path, scope, paged[-1].path if paged else "", size):
                assert len(page) <= size
                paged += page
            assert paged == list(whole)
            for deep in (False, True):
                lines = await store.tools(path, scope, "", 99, deep=deep)
                got = list(lines[:0])
                while more := await store.tools(path, scope, str(got[-1].ref) if got else "", size, deep=deep):
                    got += more
                assert got == list(lines)

    async def test_a_node_is_read_with_all_that_is_below_it_in_order(self, store: Store) -> None:
        """H-23, H-80."""
        await self.harbour(store)
        below = [node.path for node in await store.nodes("harbour", ALL)]
        assert below == ["harbour", "harbour/berths", "harbour/berths/rows", "harbour/popular"]
        assert [node.path for node in await store.nodes("harbour", READ)] == ["harbour", "harbour/berths"]
        assert (await store.nodes("harbour/berths", ALL))[0] == await node_of(store, "harbour/berths")
        assert await store.nodes("harbour/staff", ALL) == []

    async def test_a_nodes_own_tools_are_paged_by_number(self, store: Store) -> None:
        """H-37."""
        await self.harbour(store)
        everything, total = await store.tools_from("harbour/berths", ALL, 0, 99)
        pages = [(await store.tools_from("harbour/berths", ALL, offset, 1))[0][0] for offset in range(total)]
        assert pages == list(everything)
        assert [ref.path for ref in everything] == ["berths/free", "berths/list", "berths/rows/add"]
        assert await store.tools_from("harbour/berths", READ, 0, 99) == ([everything[1]], 1)
        assert await store.tools_from("harbour/berths", ALL, 3, 1) == ([], 3)

    async def test_several_tools_are_read_at_once_in_the_order_asked(self, store: Store) -> None:
        """H-35."""
        await self.harbour(store)
        refs = [ToolRef("harbour", path) for path in ("status", "staff/hire", "gone", "berths/list")]
        assert [tool.path for tool in await store.several(refs, ALL)] == ["status", "berths/list"]

    async def test_tools_are_counted_where_they_stand(self, store: Store) -> None:
        """H-81."""
        await self.harbour(store)
        everything = {"harbour": 1, "harbour/berths": 3, "harbour/berths/rows": 1, "harbour/popular": 2}
        assert await store.standing("harbour", ALL) == everything
        assert await store.standing("harbour/berths", READ) == {"harbour/berths": 1}
