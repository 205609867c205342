"""Searching through the gateway: what is asked badly, further pages, narrowing, and the index behind it."""

from __future__ import annotations

import gc
import json
from pathlib import Path

import pytest
from gateways import Opener

from periplus.core.gateway import Gateway
from periplus.model import Code, Principal, Problem, SourceSpec
from periplus.search.room import SearchRoom
from sites import api, text

PASTED = json.dumps(
    {"openapi": "3.1.0", "paths": {f"/ships/{n}": {"get": {"summary": "List ships"}} for n in range(40)}}
)
ODD = {
    "control characters": "list\x00 \x07ships\x1b[31m",
    "only stop words": "the of and to with for",
    "only numbers": "4711 42 3.14 1e9",
    "a pasted document": PASTED,
    "a hundred kilobytes": "list every ship " * 7_000,
    "one endless word": "s" * 100_000,
    "only marks": "?!…—«»",
    "a lone surrogate": "list \ud800 ships",
    "a right-to-left override": "\u202elist ships",
    "emoji": "⛵ 🚢",
}


@pytest.fixture
async def quay(gateway: Gateway, tmp_path: Path) -> Gateway:
    leaves = [
        f"{area}/{verb}{area[:-1].title()}"
        for area in ("ships", "berths", "pilots")
        for verb in ("list", "get", "move")
    ]
    (tmp_path / "quay.json").write_text(text(api(*leaves)))
    await gateway.connect(SourceSpec(id="quay", url=str(tmp_path / "quay.json")))
    return gateway


@pytest.mark.parametrize("goal", ["", "   ", "\t\n"])
async def test_an_empty_goal_is_refused_and_says_what_to_do(quay: Gateway, goal: str) -> None:
    with pytest.raises(Problem) as refused:
        await quay.search(goal)
    assert refused.value.code is Code.BAD_INPUT
    assert refused.value.hints


@pytest.mark.parametrize("goal", ODD.values(), ids=ODD.keys())
async def test_odd_goals_have_a_sane_answer(quay: Gateway, goal: str) -> None:
    """R-6: whatever is pasted is an answer of tools or nothing, soon."""
    results = await quay.search(goal)
    assert all(0 < hit.score <= 1 for hit in results.hits)
    assert await quay.split(goal)
    assert isinstance(await quay.search_nodes(goal), tuple)


async def test_a_pasted_document_does_not_drown_what_it_speaks_of(quay: Gateway) -> None:
    assert (await quay.search(PASTED)).hits[0].ref.leaf in {"listShip", "getShip", "moveShip"}
    assert (await quay.search(ODD["a hundred kilobytes"])).hits[0].ref.leaf == "listShip"


@pytest.mark.parametrize("limit", [0, -1, 101, 10_000])
async def test_a_limit_out_of_bounds_is_refused(quay: Gateway, limit: int) -> None:
    for asking in (quay.search("ship", limit=limit), quay.match("ship", limit=limit * 1000)):
        with pytest.raises(Problem) as refused:
            await asking
        assert refused.value.code is Code.BAD_INPUT
        assert "limit" in refused.value.message


async def test_further_pages_go_on_where_the_one_before_ended(quay: Gateway) -> None:
    whole = [hit.ref for hit in (await quay.search("ship berth pilot", limit=50)).hits]
    assert len(whole) > 3
    shown, cursor = [], None
    while True:
        page = await quay.search("ship berth pilot", limit=2, cursor=cursor)
        shown += [hit.ref for hit in page.hits]
        cursor = page.next_cursor
        if cursor is None:
            break
    assert shown == whole


async def test_a_cursor_fits_its_query_its_asker_and_its_revision_alone(quay: Gateway, tmp_path: Path) -> None:
    page = await quay.search("ship berth pilot", limit=1)
    assert page.next_cursor
    other = Principal(id="ann")
    asked = [
        quay.search("another goal", limit=1, cursor=page.next_cursor),
        quay.search("ship berth pilot", limit=1, path="quay/ships", cursor=page.next_cursor),
        quay.search("ship berth pilot", limit=1, principal=other, cursor=page.next_cursor),
        quay.search("ship berth pilot", limit=1, cursor="made up"),
    ]
    for asking in asked:
        with pytest.raises(Problem) as refused:
            await asking
        assert refused.value.code in {Code.INVALID_CURSOR, Code.INVALID_TOKEN}
    (tmp_path / "quay.json").write_text(text(api("ships/listShip")))
    await quay.sync("quay", accept=True)
    with pytest.raises(Problem) as stale:
        await quay.search("ship berth pilot", limit=1, cursor=page.next_cursor)
    assert stale.value.code is Code.INVALID_CURSOR


async def test_a_search_is_narrowed_to_a_path_a_source_an_effect(quay: Gateway) -> None:
    """R-2."""
    for narrowed in (
        {"path": "quay/ships"},
        {"path": "quay/ships", "source": "quay"},
        {"path": "quay/ships", "effect": "read"},
    ):
        hits = (await quay.search("list ships and berths", limit=50, **narrowed)).hits
        assert hits
        assert {hit.ref.path.partition("/")[0] for hit in hits} == {"ships"}
    assert (await quay.search("list ships", source="nowhere")).hits == ()
    assert (await quay.search("list ships", tag="none")).hits == ()
    with pytest.raises(Problem, match="no effect"):
        await quay.search("list ships", effect="paint")


async def test_a_changed_catalog_is_searched_as_it_is(quay: Gateway, tmp_path: Path) -> None:
    """R-15: what changed is indexed, nothing else."""
    assert (await quay.search("list ship")).hits
    (tmp_path / "quay.json").write_text(text(api("ships/listShip", "otters/feedOtter")))
    await quay.sync("quay", accept=True)
    assert (await quay.search("feed the otter")).hits[0].ref.leaf == "feedOtter"
    assert not [hit for hit in (await quay.search("move a berth")).hits if hit.ref.leaf == "moveBerth"]


async def test_a_damaged_index_is_built_anew_and_that_is_said(
    quay: Gateway, opened: Opener, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """R-15: rebuilt, saying so."""
    before = await quay.search("list ship")
    (segment,) = (tmp_path / "data" / "search").glob("segment-*.idx")
    raw = bytearray(segment.read_bytes())
    raw[len(raw) // 2] ^= 255
    segment.write_bytes(raw)
    async with opened() as again:
        assert (await again.search("list ship")).hits == before.hits
    assert "fails its checksum" in caplog.text


async def test_a_catalog_of_another_version_of_the_model_is_encoded_anew_while_searches_go_on(
    quay: Gateway, opened: Opener, tmp_path: Path
) -> None:
    """R-14: until then words alone decide."""
    before = (await quay.search("list ship")).hits
    old = SearchRoom(tmp_path / "data" / "search")
    old._engine.model.version = "another"
    old.rebuild(await quay.revision(), [(tool, "()") async for tool in quay.tools()])
    async with opened() as gateway:
        meanwhile = (await gateway.search("list ship")).hits
        assert meanwhile[0].ref == before[0].ref
        assert meanwhile[0].why.meaning == 0
        assert await gateway.refine() == 1
        assert (await gateway.search("list ship")).hits == before
        assert await gateway.refine() == 0


async def test_garbage_is_looked_for_rarely_while_the_index_is_built_and_as_before_then(quay: Gateway) -> None:
    usual, during = gc.get_threshold(), list[int]()
    await quay.index(lambda *_: during.append(gc.get_threshold()[0]))
    assert during
    assert min(during) > usual[0]
    assert gc.get_threshold() == usual
