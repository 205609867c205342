"""R-8: searches learn from what was called after them, as the trail tells it."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from gateways import Opener

from periplus.core.gateway import Gateway
from periplus.model import Principal, Problem, SourceSpec
from periplus.ports import Origin, within

GOAL = "what is the weather on the water"
MODULE = """
def tide_height(station: str) -> float:
    "Height of the tide at a station."
    return 1.0

def ring_bell(times: int) -> str:
    "Ring the bell of the lighthouse."
    return "ding"

def sink(ship: str) -> str:
    "Open the valves of a ship."
    raise RuntimeError("no")
"""
ANN = Principal(id="ann", tenant="north", scopes=frozenset({"admin"}))


@pytest.fixture
async def learning(opened: Opener, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Gateway]:
    (tmp_path / "learned_harbour.py").write_text(MODULE)
    monkeypatch.syspath_prepend(str(tmp_path))
    async with opened() as gateway:
        await gateway.connect(SourceSpec(id="harbour", kind="python", url="learned_harbour"))
        yield gateway


async def searched_and_called(gateway: Gateway, tool: str, session: str, **asked: object) -> None:
    """In one conversation: a search that shows everything, then a call."""
    with within(Origin(session=session)):
        await gateway.search(GOAL + ", tide, bell, valves", **asked)
        try:
            await gateway.call(tool, {"station": "a"} if "tide" in tool else {"times": 1}, session=session, **asked)
        except Problem:
            return


async def kept(gateway: Gateway, **asked: Principal) -> list[tuple[str, str]]:
    return [(memory["goal"], memory["ref"]) for memory in json.loads(await gateway.memories(**asked))]


async def test_a_call_that_went_well_is_remembered_with_its_goal(learning: Gateway) -> None:
    await searched_and_called(learning, "harbour/ring_bell", "s1")
    assert await learning.learn() == 1
    assert await kept(learning) == [(GOAL + ", tide, bell, valves", "harbour/ring_bell")]
    assert await learning.learn() == 0, "each call is learned from once"


async def test_what_was_not_found_by_a_search_teaches_nothing(learning: Gateway) -> None:
    await learning.call("harbour/ring_bell", {"times": 1}, session="s2")
    with within(Origin(session="s3")):
        await learning.search("tide")
    await learning.call("harbour/ring_bell", {"times": 1}, session="s4")
    assert await learning.learn() == 0
    assert await kept(learning) == []


async def test_tenants_learn_apart(learning: Gateway) -> None:
    await searched_and_called(learning, "harbour/ring_bell", "s1", principal=ANN)
    await learning.learn()
    assert len(await kept(learning, principal=ANN)) == 1
    assert await kept(learning) == []
    await learning.forget(principal=ANN)
    assert await kept(learning, principal=ANN) == []


async def test_learning_can_be_switched_off(learning: Gateway, opened: Opener) -> None:
    await searched_and_called(learning, "harbour/ring_bell", "s1")
    async with opened(search__memory=False) as deaf:
        assert await deaf.learn() == 0
        await deaf.used(GOAL, "harbour/ring_bell")
        assert await kept(deaf) == []


async def test_goals_that_are_not_written_down_are_not_learned_from(learning: Gateway, opened: Opener) -> None:
    async with opened(audit__goals="hashed") as private:
        await searched_and_called(private, "harbour/ring_bell", "s1")
        assert await private.learn() == 0


async def test_what_was_learned_moves_its_tool_up(learning: Gateway) -> None:
    goal = "make some noise for the incoming vessel"

    async def place() -> int:
        refs = [str(hit.ref) for hit in (await learning.search(goal, limit=50)).hits]
        return refs.index("harbour/ring_bell") if "harbour/ring_bell" in refs else 99

    before = await place()
    await learning.used(goal, "ring_bell")
    assert await place() == 0 <= before
