"""H-82: regular expressions find everything at once; search by meaning says how much of it is ready."""

from __future__ import annotations

import json
import math
import time
from pathlib import Path

import pytest
from agents import Agent, Serve

import periplus
from periplus.search import index
from periplus.search.room import SearchRoom
from periplus.stores.sqlite import open_store
from sites import Site, api

LEAVES = [
    f"{area}/{verb}{area.title()}" for area in ("ships", "berths", "pilots") for verb in ("list", "move", "paint")
]


@pytest.fixture
async def half_read(tmp_path: Path, serve: Serve, harbour: Site, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A gateway's data, as a process leaves it that was killed while it read the words of new tools."""
    harbour.write("/openapi.json", json.dumps(api(*LEAVES)))
    with serve() as base:
        assert Agent(base).ask("connect_to_site", url=harbour.base, name="harbour").status == 200
    data = tmp_path / "data"
    async with periplus.open(f"sqlite:///{data}") as gateway:
        several = [(tool, "()") async for tool in gateway.tools()]
        monkeypatch.setattr(index, "PIECE", 3)
        room = SearchRoom(data / "search")
        room.update(await gateway.revision(), several, (), anew=True)
        assert room.settle()
    return data


def searched(base: str, harbour: Site, query: str) -> str:
    agent = Agent(base)
    agent.ask("connect_to_site", url=harbour.base, name="harbour")
    agent.ask("get_manifest")
    return agent.ask("search_landmarks", query=query).text


async def test_a_note_says_which_share_is_found_by_meaning(half_read: Path, serve: Serve, harbour: Site) -> None:
    """H-82: an agent waits for a moment and no longer; then it is told."""
    async with open_store(half_read) as store:
        assert await store.lease("index", "somebody who is at it", math.inf, time.time())
        with serve() as base:
            assert "### SEARCH: (ship|pilot)s (6 tools" in searched(base, harbour, "(ship|pilot)s")
            said = searched(base, harbour, "please move my pilots around")
            assert "**NOTE**: tools are still being read: 33 % of them can be found by meaning by now" in said
            assert await store.lease("index", "somebody who is at it", 0, time.time())
    with serve() as base:
        said = searched(base, harbour, "please move my pilots around")
        assert "harbour:" not in said
        assert "pilots:movePilots" in said.partition("*/")[0]
        assert "**NOTE**" not in said
