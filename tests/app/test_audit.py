"""What the trail says of the verbs, driven through a gateway as the application wires it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import anyio
import msgspec
import pytest

from periplus.core.gateway import Gateway
from periplus.core.trail import FoundBy, found_by
from periplus.model import LOCAL, Code, Event, EventFilter, Principal, Problem
from periplus.ports import Origin, begun, here, traceparent, within
from periplus.stores.sqlite.ledger import open_ledger
from periplus.testing.clock import SettableClock
from sites import Site, api, text

Opener = Callable[..., AbstractAsyncContextManager[Gateway]]
TRACEPARENT = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
TIDES: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": "Tides", "version": "1"},
    "paths": {
        "/tides": {"get": {"operationId": "listTides", "summary": "When high water is", "responses": {}}},
        "/berths": {"post": {"operationId": "bookBerth", "summary": "Book a berth for a boat", "responses": {}}},
    },
}


@pytest.fixture
async def harbour(gateway: Gateway, tmp_path: Path) -> Gateway:
    file = tmp_path / "harbour.json"
    file.write_bytes(msgspec.json.encode(TIDES))
    await gateway.connect(str(file))
    return gateway


async def trail(tmp_path: Path) -> list[Event]:
    async with open_ledger(tmp_path / "data") as ledger:
        return [row.event for row in await ledger.events(EventFilter(), 0, 99)]


async def last(tmp_path: Path) -> Event:
    return (await trail(tmp_path))[-1]


async def test_a_goal_is_followed_from_search_to_the_tool_that_was_read(harbour: Gateway, tmp_path: Path) -> None:
    """T-40: what was shown, chosen and expanded, in one session and one trace."""
    with within(begun(TRACEPARENT, session="talk-1")):
        results = await harbour.search("book a berth")
        await harbour.describe("bookBerth")
    connected, searched, described = await trail(tmp_path)
    assert (connected.verb, connected.subject, connected.outcome) == ("connect", "harbour", "ok")
    assert connected.detail == {"kind": "openapi", "tools": 2, "added": 2, "changed": 0, "removed": 0}
    assert (searched.verb, searched.subject) == ("search", "book a berth")
    assert searched.shown == tuple(str(hit.ref) for hit in results.hits)
    assert (described.verb, described.subject) == ("describe", str(results.hits[0].ref))
    for event in (searched, described):
        assert (event.session, event.principal) == ("talk-1", "local")
        assert (event.trace, event.parent) == ("4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7")
        assert event.bytes > event.tokens > 0
    assert len({connected.span, searched.span, described.span}) == 3
    assert connected.trace != searched.trace


async def test_browsing_says_which_nodes_and_tools_were_seen(harbour: Gateway, tmp_path: Path) -> None:
    await harbour.browse()
    assert (await last(tmp_path)).shown == ("harbour/",)
    listing = await harbour.browse("harbour", deep=True)
    event = await last(tmp_path)
    assert (event.verb, event.subject) == ("browse", "harbour")
    assert event.shown == tuple(str(line.ref) for line in listing.tools)


async def test_a_refusal_is_recorded_with_its_code(harbour: Gateway, tmp_path: Path) -> None:
    with pytest.raises(Problem):
        await harbour.describe("no such thing")
    with pytest.raises(Problem):
        await harbour.browse("nowhere")
    with pytest.raises(Problem):
        await harbour.search("a", limit=0)
    with pytest.raises(Problem):
        await harbour.connect("file:///nowhere/at-all.json?key=k")
    told = [(event.verb, event.outcome, event.shown) for event in await trail(tmp_path)][1:]
    assert told == [
        ("describe", "tool_not_found", ()),
        ("browse", "unknown_path", ()),
        ("search", "bad_input", ()),
        ("connect", told[3][1], ()),
    ]
    assert told[3][1] in {code.value for code in Code}


@pytest.mark.parametrize("verb", ["search_nodes", "similar", "match", "resolve"])
async def test_every_way_of_searching_is_one_event(harbour: Gateway, tmp_path: Path, verb: str) -> None:
    who = Principal(id="ann", tenant="north")
    asked = {"search_nodes": "tides", "similar": "listTides", "match": "tides$", "resolve": "list tides"}
    await getattr(harbour, verb)(asked[verb], principal=who)
    event = await last(tmp_path)
    assert (event.verb, event.principal, event.tenant, event.outcome) == ("search", "ann", "north", "ok")
    assert event.detail["op"] == verb.removeprefix("search_")
    assert event.shown or verb == "similar"
    assert len(await trail(tmp_path)) == 2


async def test_a_source_that_goes_is_recorded_too(harbour: Gateway, tmp_path: Path) -> None:
    await harbour.sync("harbour")
    await harbour.disconnect("harbour")
    _, again, gone = await trail(tmp_path)
    assert (again.verb, again.subject, again.detail["added"]) == ("connect", "harbour", 0)
    assert (gone.verb, gone.subject, gone.detail) == ("connect", "harbour", {"op": "disconnect"})


async def test_one_who_gave_up_is_recorded_as_that(harbour: Gateway, tmp_path: Path) -> None:
    with anyio.CancelScope() as scope:
        scope.cancel()
        await harbour.browse()
    event = await last(tmp_path)
    assert (event.verb, event.outcome) == ("browse", "cancelled")


async def test_what_is_done_inside_a_verb_hangs_on_it(harbour: Gateway, tmp_path: Path) -> None:
    """Each event is the parent of what happens in it; a request's origin ends with its block."""
    outer = Origin(session="s", trace="a" * 32, span="b" * 16)
    with within(outer):
        assert traceparent(here()) == f"00-{'a' * 32}-{'b' * 16}-01"
        await harbour.browse()
    assert here() == Origin()
    event = await last(tmp_path)
    assert (event.parent, event.trace) == ("b" * 16, "a" * 32)
    assert event.span != "b" * 16


@pytest.mark.parametrize(
    "header", ["", None, "nonsense", f"00-{'0' * 32}-{'1' * 16}-01", f"ff-{'1' * 32}-{'1' * 16}-01", TRACEPARENT[:-4]]
)
def test_a_header_that_is_no_trace_begins_a_new_one(header: str | None) -> None:
    assert begun(header, "s") == Origin(session="s")


@pytest.mark.parametrize(
    ("goals", "wanted"),
    [("recorded", "feed the ox"), ("none", ""), ("hashed", "sha256:")],
)
async def test_goals_are_recorded_as_the_operator_wants(
    opened: Opener, tmp_path: Path, goals: str, wanted: str
) -> None:
    async with opened(audit__goals=goals) as gateway:
        for _ in range(2):
            await gateway.search("feed the ox")
    first, second = await trail(tmp_path)
    assert first.subject == second.subject
    assert first.subject.startswith(wanted)
    assert ("ox" in first.subject) == (goals == "recorded")


async def test_nothing_is_written_where_the_trail_is_off(opened: Opener, tmp_path: Path) -> None:
    async with opened(audit__enabled=False) as gateway:
        await gateway.browse()
    assert await trail(tmp_path) == []


async def test_no_secret_that_passes_by_is_found_in_the_file(harbour: Gateway, tmp_path: Path, site: Site) -> None:
    """T-23, T-40: not in goals, nor names, nor addresses of sources."""
    canary = "c4n4ry-tr0ub4dor"
    await harbour.search(f"log in with password={canary} and Authorization: Bearer {canary}")
    for attempt in (
        harbour.describe(f"GET /x?api_key={canary}"),
        harbour.connect(f"{site.url('/none.json')}?token={canary}"),
        harbour.connect(f"https://ann:{canary}@192.0.2.1/openapi.json"),
    ):
        with pytest.raises(Problem):
            await attempt
    assert len(await trail(tmp_path)) == 5
    connection = sqlite3.connect(tmp_path / "data" / "ledger.db")
    dump = "\n".join(connection.iterdump())
    connection.close()
    assert "password=[redacted]" in dump
    assert canary not in dump


async def test_times_are_those_of_the_gateways_clock(harbour: Gateway, tmp_path: Path, clock: SettableClock) -> None:
    clock.at = 1_900_000_123.5
    await harbour.browse(principal=LOCAL)
    event = await last(tmp_path)
    assert (event.at, event.ms) == ("2030-03-17T17:48:43.500000Z", 0.0)


async def test_a_call_leads_back_to_its_search_and_its_upstream_hears_which_call_it_is(
    gateway: Gateway, tmp_path: Path, site: Site
) -> None:
    """T-40: search, choose, expand, call. T-11: the trace goes out with the request."""
    site.write("/api.json", text(api("tides", "berths") | {"servers": [{"url": site.url()}]}))
    site.write("/tides", '{"high": "08:12"}')
    await gateway.connect(site.url("/api.json"))
    site.asked()
    with within(begun(TRACEPARENT, session="talk-1")):
        results = await gateway.search("do tides")
        await gateway.describe(str(results.hits[0].ref))
        result = await gateway.call(str(results.hits[0].ref), {"x": 1})
    assert result.value == {"high": "08:12"}
    async with open_ledger(tmp_path / "data") as ledger:
        rows = await ledger.events(EventFilter(session="talk-1"), 0, 9)
    assert [row.event.verb for row in rows] == ["search", "describe", "call"]
    searched, described, called = rows
    links = found_by(rows)
    assert links == {row.seq: FoundBy(seq=searched.seq, rank=1) for row in (described, called)}
    assert called.event.subject == str(results.hits[0].ref)
    assert called.event.trace == result.trace == TRACEPARENT[3:35]
    (request,) = site.requests
    assert request.headers["traceparent"] == f"00-{result.trace}-{called.event.span}-01"


async def test_reading_on_in_a_kept_result_is_recorded_too(gateway: Gateway, tmp_path: Path, site: Site) -> None:
    site.write("/api.json", text(api("tides") | {"servers": [{"url": site.url()}]}))
    site.write("/tides", "[1, 2, 3]")
    await gateway.connect(site.url("/api.json"))
    whole = await gateway.call("tides", keep=True)
    await gateway.result(whole.handle, limit=1, offset=1)
    with pytest.raises(Problem):
        await gateway.file(whole.handle)
    *_, called, read, refused = await trail(tmp_path)
    assert (read.verb, read.subject, read.detail) == ("call", called.subject, {"op": "result"})
    assert 0 < read.bytes < called.bytes
    assert (refused.verb, refused.detail, refused.outcome) == ("call", {"op": "file"}, "not_found")
