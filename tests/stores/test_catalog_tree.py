"""Whatever places tools have, the tree is what they span: each tool found in all its places, counted once in each."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

import anyio
from hypothesis import given, settings
from hypothesis import strategies as st

from periplus.model import Scope
from periplus.ports import Store
from periplus.stores.sqlite import open_store
from periplus.testing.catalogs import make_change, make_row

ALL = Scope()
_areas = st.lists(st.sampled_from("abc"), max_size=3).map("/".join)
_Placed = tuple[frozenset[str], bool]
_catalogs = st.lists(st.tuples(st.frozensets(_areas, min_size=1, max_size=3), st.booleans()), max_size=8)


@settings(max_examples=60)
@given(before=_catalogs, after=_catalogs)
def test_the_tree_is_what_its_tools_span_before_and_after_a_change(before: list[_Placed], after: list[_Placed]):
    """E-4, E-9: a DAG, and a hidden tool spans nothing."""
    anyio.run(_changed, before, after)


async def _changed(before: list[_Placed], after: list[_Placed]) -> None:
    with tempfile.TemporaryDirectory() as directory:
        async with open_store(Path(directory)) as store:
            for catalog in (before, after):
                rows = [
                    make_row(f"t{number}", paths=tuple(sorted(places)), hidden=hidden)
                    for number, (places, hidden) in enumerate(catalog)
                ]
                gone = [f"t{number}" for number in range(len(catalog), len(before))]
                await store.apply(make_change("s", rows, removed=gone, nodes=()), 1.0)
                await _check(store, "", [places for places, hidden in catalog if not hidden])


async def _check(store: Store, area: str, shown: Sequence[frozenset[str]]) -> None:
    """The node of an area and all below it, against the places of the tools that show."""
    below = f"{area}/" if area else ""
    inside = [places for places in shown if any(place == area or place.startswith(below) for place in places)]
    path = f"s/{area}".rstrip("/")
    node = await store.node(path, ALL)
    assert (node.tools if node else 0) == len(inside)
    assert len(await store.tools(path, ALL, "", 99)) == sum(area in places for places in inside)
    deeper = {place.removeprefix(below) for places in inside for place in places if place.startswith(below)}
    spanned = {place.partition("/")[0] for place in deeper if place}
    assert {child.path.rpartition("/")[2] for child in await store.children(path, ALL, "", 99)} == spanned
    for child in spanned:
        await _check(store, f"{below}{child}", shown)
