"""R-9: search measured on somebody's own catalog."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import periplus
from periplus.app.evaluating import Comparison, Evaluation
from periplus.core.gateway import Gateway
from periplus.model import Code, Problem, SourceSpec
from periplus.settings import SearchSettings
from sites import text

WORDS = ("ship", "berth", "pilot", "cargo", "tide", "anchor")
DEEDS = {
    "list": "Lists every {} of the harbour.",
    "remove": "Removes the {} from the books for good.",
    "paint": "Paints the {} blue or white.",
}


@pytest.fixture
async def quay(gateway: Gateway, tmp_path: Path) -> Gateway:
    paths = {
        f"/{thing}s/{deed}": {
            "post": {
                "operationId": f"{deed}{thing.title()}",
                "summary": f"{deed.title()} {thing}",
                "description": said.format(thing) + " Ask the master first.",
                "responses": {"200": {"description": "ok"}},
            }
        }
        for thing in WORDS
        for deed, said in DEEDS.items()
    }
    (tmp_path / "quay.json").write_text(
        text({"openapi": "3.1.0", "info": {"title": "Quay", "version": "1"}, "paths": paths})
    )
    await gateway.connect(SourceSpec(id="quay", url=str(tmp_path / "quay.json")))
    return gateway


async def test_goals_are_made_from_descriptions_and_names(quay: Gateway) -> None:
    found = await periplus.evaluate(quay, most=10)
    assert isinstance(found, Evaluation)
    assert found.tools == 18
    assert set(found.kinds) == {"descriptions", "names"}
    assert found.kinds["descriptions"].queries == 10
    assert 0.5 < found.kinds["descriptions"].ndcg5 <= 1
    assert 0 <= found.overall.ece < 0.6
    assert found.overall.low <= found.overall.ndcg5 <= found.overall.high


async def test_the_same_catalog_is_measured_alike_each_time(quay: Gateway) -> None:
    assert await periplus.evaluate(quay, most=8) == await periplus.evaluate(quay, most=8)


async def test_own_queries_are_asked_as_they_are_and_the_worst_are_told(quay: Gateway, tmp_path: Path) -> None:
    lines = [
        {"query": "which ships are there", "relevant": ["listShip"]},
        {"query": "strike the cargo off", "relevant": ["quay/cargos/removeCargo", "remove_cargo"]},
        {"query": "make it rain frogs", "relevant": ["paint-tide"]},
    ]
    (tmp_path / "queries.jsonl").write_text("\n".join(map(json.dumps, lines)) + "\n\n")
    found = await periplus.evaluate(quay, queries=tmp_path / "queries.jsonl")
    assert isinstance(found, Evaluation)
    assert found.overall.queries == 3
    assert found.worst[0].goal == "make it rain frogs"
    assert found.worst[0].wanted == ("quay/tides/paintTide",)


async def test_two_configurations_are_compared_on_the_same_goals(quay: Gateway) -> None:
    plain = SearchSettings()
    found = await periplus.evaluate(quay, most=6, configurations=(plain, plain))
    assert isinstance(found, Comparison)
    assert found.first == found.second
    assert (found.gain, found.low, found.high) == (0, 0, 0)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "line 1 is no query"),
        ('{"query": "x", "relevant": ["gone"]}', "line 1 names no tool"),
        ("", "has no queries"),
    ],
)
async def test_a_file_that_cannot_be_used_says_where(quay: Gateway, tmp_path: Path, line: str, said: str) -> None:
    (tmp_path / "queries.jsonl").write_text(line + "\n")
    with pytest.raises(Problem) as refused:
        await periplus.evaluate(quay, queries=tmp_path / "queries.jsonl")
    assert refused.value.code is Code.BAD_INPUT
    assert said in refused.value.message


async def test_nothing_to_measure_is_said(gateway: Gateway, quay: Gateway, tmp_path: Path) -> None:
    with pytest.raises(Problem, match="no kind of goal"):
        await periplus.evaluate(quay, kinds=("moods",))
    with pytest.raises(Problem, match="cannot be read"):
        await periplus.evaluate(quay, queries=tmp_path / "none.jsonl")
    await quay.disconnect("quay")
    with pytest.raises(Problem, match="catalog is empty"):
        await periplus.evaluate(quay)
