"""Tools by a regular expression over their refs."""

from __future__ import annotations

from pathlib import Path

import pytest

from periplus.core.gateway import Gateway
from periplus.model import Code, Problem, SourceSpec
from sites import api, text


@pytest.fixture
async def quay(gateway: Gateway, tmp_path: Path) -> Gateway:
    (tmp_path / "quay.json").write_text(text(api("ships/listShips", "ships/getShip", "berths/reserveBerth")))
    await gateway.connect(SourceSpec(id="quay", url=str(tmp_path / "quay.json")))
    return gateway


@pytest.mark.parametrize(
    ("pattern", "leaves"),
    [
        ("ship$", ["getShip"]),
        ("^quay/ships/", ["getShip", "listShips"]),
        ("^quay/berths/reserveBerth$", ["reserveBerth"]),
        ("^berths", []),
        ("ships", ["getShip", "listShips"]),
        ("Berth|get", ["reserveBerth", "getShip"]),
    ],
)
async def test_anchors_of_a_pattern_stand_at_the_ends_of_each_ref(
    quay: Gateway, pattern: str, leaves: list[str]
) -> None:
    assert [hit.ref.leaf for hit in (await quay.match(pattern)).hits] == leaves


async def test_a_pattern_that_is_none_is_refused_in_the_words_of_its_author(quay: Gateway) -> None:
    with pytest.raises(Problem) as refused:
        await quay.match("ships(")
    assert refused.value.code is Code.BAD_INPUT
    assert refused.value.message == "not a regular expression: 'ships(' (missing ): ships()"
