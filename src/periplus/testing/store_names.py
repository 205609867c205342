"""How tools are found by name: aliases, former paths, near names."""
# ruff: noqa: S101 - assert is how pytest speaks; a test's name says what it shows

from __future__ import annotations

from periplus.model import Scope, Selector, ToolRef, fold
from periplus.ports import Store
from periplus.testing.catalogs import make_change, make_row

ALL = Scope()


class StoreNames:
    """`resolve`, `near`, `retired`."""

    async def test_a_normalised_name_finds_every_visible_tool_with_its_names_as_written(self, store: Store) -> None:
        """S-19."""
        pets = make_row("pets/getPet", key="1", aliases=("GET /pets/{id}", "Pets:getPet"))
        await store.apply(make_change("zoo", [pets, make_row("other/get_pet", key="2")]), 1.0)
        found = await store.resolve(fold("GetPet"), ALL, 9)
        assert [str(ref) for ref, _ in found] == ["zoo/other/get_pet", "zoo/pets/getPet"]
        assert set(found[1][1]) >= {"zoo/pets/getPet", "pets/getPet", "getPet", "GET /pets/{id}", "Pets:getPet"}
        assert [str(ref) for ref, _ in await store.resolve(fold("get /pets/{id}"), ALL, 9)] == ["zoo/pets/getPet"]
        assert len(await store.resolve(fold("GetPet"), ALL, 1)) == 1
        assert await store.resolve("", ALL, 9) == []

    async def test_a_hidden_tool_is_found_by_name_only_where_a_rule_names_it(self, store: Store) -> None:
        """E-37."""
        await store.apply(make_change("zoo", [make_row("pets/secret", hidden=True)]), 1.0)
        naming = Scope(allow=(Selector(ref="zoo/pets/secret"),))
        assert await store.resolve("secret", ALL, 9) == []
        assert await store.near(["secret"], ALL, 9) == []
        assert [str(ref) for ref, _ in await store.resolve("secret", naming, 9)] == ["zoo/pets/secret"]
        assert [str(ref) for ref in await store.near(["secret"], naming, 9)] == ["zoo/pets/secret"]

    async def test_a_tool_that_moved_answers_to_its_former_path_for_good(self, store: Store) -> None:
        """S-21."""
        await store.apply(make_change("zoo", [make_row("pets/get", key="k")]), 1.0)
        await store.apply(make_change("zoo", [make_row("animals/get", key="k")]), 2.0)
        await store.apply(make_change("zoo", [make_row("beasts/get", key="k", summary="Again")]), 3.0)
        for former in ("pets/get", "animals/get"):
            ((ref, names),) = await store.resolve(fold(former), ALL, 9)
            assert str(ref) == "zoo/beasts/get"
            assert f"zoo/{former}" in names
        tool = await store.tool(ToolRef("zoo", "beasts/get"), ALL)
        assert tool is not None
        assert set(tool.aliases) >= {"zoo/pets/get", "zoo/animals/get"}

    async def test_a_former_path_told_by_the_row_stays_without_being_told_again(self, store: Store) -> None:
        await store.apply(make_change("zoo", [make_row("new/get", key="k", former=("older/get",))]), 1.0)
        await store.apply(make_change("zoo", [make_row("new/get", key="k", summary="Again")]), 2.0)
        assert [str(ref) for ref, _ in await store.resolve(fold("older/get"), ALL, 9)] == ["zoo/new/get"]

    async def test_a_removed_path_is_retired_from_then_on(self, store: Store) -> None:
        """S-21: a removed tool's ref is not given to another for a while."""
        await store.apply(make_change("zoo", [make_row("pets/get", key="k"), make_row("pets/put", key="p")]), 1.0)
        await store.apply(make_change("zoo", removed=["k"]), 100.0)
        assert await store.retired("zoo", 99.0) == {"pets/get": "k"}
        assert await store.retired("zoo", 100.0) == {}
        assert await store.retired("other", 0.0) == {}
        await store.apply(make_change("zoo", [make_row("pets/get", key="k")]), 200.0)
        assert await store.retired("zoo", 0.0) == {}

    async def test_the_former_path_of_a_living_tool_is_retired_however_old(self, store: Store) -> None:
        await store.apply(make_change("zoo", [make_row("pets/get", key="k")]), 1.0)
        await store.apply(make_change("zoo", [make_row("animals/get", key="k")]), 2.0)
        assert await store.retired("zoo", 1000.0) == {"pets/get": "k"}
        await store.apply(make_change("zoo", removed=["k"]), 2000.0)
        assert await store.retired("zoo", 1999.0) == {"pets/get": "k", "animals/get": "k"}
        assert await store.retired("zoo", 2000.0) == {}
        assert await store.resolve(fold("pets/get"), ALL, 9) == []

    async def test_a_removed_source_keeps_its_paths_for_its_own_return(self, store: Store) -> None:
        await store.apply(make_change("zoo", [make_row("pets/get", key="k")]), 1.0)
        await store.remove("zoo", 50.0)
        assert await store.retired("zoo", 49.0) == {"pets/get": "k"}

    async def test_swapped_paths_are_nobodys_former_ones(self, store: Store) -> None:
        await store.apply(make_change("zoo", [make_row("a", key="1"), make_row("b", key="2")]), 1.0)
        await store.apply(make_change("zoo", [make_row("b", key="1"), make_row("a", key="2")]), 2.0)
        assert await store.retired("zoo", 0.0) == {}

    async def test_near_names_share_words_and_the_most_shared_come_first(self, store: Store) -> None:
        rows = [make_row(path) for path in ("pets/listPets", "pets/deletePet", "orders/list", "users/me")]
        await store.apply(make_change("zoo", rows), 1.0)
        near = [str(ref) for ref in await store.near(["List", "pets"], ALL, 9)]
        assert near[0] == "zoo/pets/listPets"
        assert set(near) == {"zoo/pets/listPets", "zoo/pets/deletePet", "zoo/orders/list"}
        assert [str(ref) for ref in await store.near(["pet_list"], ALL, 1)] == ["zoo/pets/listPets"]
        assert await store.near([], ALL, 9) == []
        assert await store.near(["", "%", '"'], ALL, 9) == []

    async def test_hidden_tools_do_not_change_the_order_of_near_names(self, store: Store) -> None:
        """R-2: hidden tools influence nothing that a caller could measure."""
        rows = [make_row("ships/dock"), make_row("boats/dock"), make_row("ships/sail"), make_row("boats/row")]
        await store.apply(make_change("zoo", rows), 1.0)
        before = await store.near(["ships", "boats"], ALL, 9)
        await store.apply(make_change("zoo", (make_row(f"ships/h{i}", hidden=True) for i in range(50))), 2.0)
        assert await store.near(["ships", "boats"], ALL, 9) == before
