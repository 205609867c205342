"""The alias table: exact, then normalised, then refused with candidates; never guessed."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from periplus.core.gateway import Gateway
from periplus.model import Code, Problem, SourceSpec
from sites import api, text


@pytest.fixture
async def quay(gateway: Gateway, tmp_path: Path) -> Gateway:
    (tmp_path / "quay.json").write_text(text(api("ships/listShips", "ships/get_ship", "berths/reserveBerth")))
    (tmp_path / "dock.json").write_text(text(api("ships/listShips", "cranes/moveCrane", title="Dock")))
    await gateway.connect(SourceSpec(id="quay", url=str(tmp_path / "quay.json")))
    await gateway.connect(SourceSpec(id="dock", url=str(tmp_path / "dock.json")))
    return gateway


@pytest.mark.parametrize(
    "spelling",
    [
        "quay/berths/reserveBerth",
        "reserveBerth",
        "reserve_berth",
        "RESERVE-BERTH",
        "reserve berth",
        "berths:reserveBerth",
        "berths/reserveBerth",
        "GET /reserveBerth",
        "quay:berths:reserveBerth",
        "quay.reserve_berth",
        "quay__reserveBerth",
        "  quay/berths/reserveBerth ",
    ],
)
async def test_every_spelling_that_means_one_tool_finds_it(quay: Gateway, spelling: str) -> None:
    """S-19"""
    assert str((await quay.describe(spelling)).ref) == "quay/berths/reserveBerth"


async def test_a_name_of_two_tools_is_a_question_back(quay: Gateway) -> None:
    with pytest.raises(Problem) as refused:
        await quay.describe("listShips")
    assert refused.value.code is Code.AMBIGUOUS_NAME
    assert refused.value.hints == ("dock/ships/listShips", "quay/ships/listShips")
    for hint in refused.value.hints:
        assert str((await quay.describe(hint)).ref) == hint


async def test_the_source_in_front_settles_which_one(quay: Gateway) -> None:
    for spelling in ("dock/listShips", "dock:listShips", "dock.list_ships", "dock/ships/list_ships"):
        assert str((await quay.describe(spelling)).ref) == "dock/ships/listShips"


async def test_a_near_name_is_named_and_not_taken(quay: Gateway) -> None:
    with pytest.raises(Problem) as refused:
        await quay.describe("reserveBirth")
    problem = refused.value
    assert problem.code is Code.TOOL_NOT_FOUND
    assert "reserveBirth" in problem.message
    assert "quay/berths/reserveBerth" in problem.hints
    assert problem.next_action
    assert problem.next_action["op"] == "search"
    assert (await quay.search(problem.next_action["args"]["goal"])).hits


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None)
@given(st.text(max_size=40))
async def test_any_text_is_a_tool_or_a_refusal(quay: Gateway, name: str) -> None:
    outcome: object
    try:
        outcome = (await quay.describe(name)).path != ""
    except Problem as problem:
        outcome = problem.code
    assert outcome in {True, Code.TOOL_NOT_FOUND, Code.AMBIGUOUS_NAME}
