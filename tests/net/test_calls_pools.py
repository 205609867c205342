"""Connections by origin and identity: S-68."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from loopback import Received, Servers, response

from calling import Caller, call, site_of
from periplus.model import CredentialScheme, CredentialSpec, Principal
from periplus.net import FetchLimits


@pytest.fixture
async def caller():
    kept = Caller()
    yield kept
    await kept.close()


class Listening:
    """A server that knows who came over which connection, and which connections are open."""

    def __init__(self) -> None:
        self.came: list[tuple[str, Any]] = []

    async def answer(self, request: Received, writer: asyncio.StreamWriter) -> None:
        self.came.append((request.headers.get("x-who", ""), writer.get_extra_info("peername")))
        writer.write(response(200, b"1"))

    def connections(self, who: str) -> set[Any]:
        return {peer for name, peer in self.came if name == who}


async def test_callers_whom_the_upstream_tells_apart_never_share_a_connection(servers: Servers, caller: Caller):
    """S-68"""
    listening = Listening()
    server = await servers.start(listening.answer)
    spec = CredentialSpec(scheme=CredentialScheme.PASS_THROUGH, source="s", pass_headers=("X-Who",))
    calls = caller.calls(spec)
    for who in ("anna", "bert", "anna", "bert"):
        await call(calls, server.url(), principal=Principal(id=who), presented={"x-who": who})
    for tenant in ("a", "b"):
        await call(
            calls, server.url(), principal=Principal(id="carl", tenant=tenant), presented={"x-who": f"carl-{tenant}"}
        )
    found = [listening.connections(who) for who in ("anna", "bert", "carl-a", "carl-b")]
    assert [len(each) for each in found] == [1, 1, 1, 1]
    assert len(set.union(*found)) == 4


async def test_callers_who_look_alike_to_the_upstream_share_connections(servers: Servers, caller: Caller):
    listening = Listening()
    server = await servers.start(listening.answer)
    calls = caller.calls()
    for who in ("anna", "bert"):
        await call(calls, server.url(), principal=Principal(id=who))
    assert len(listening.connections("")) == 1


async def test_however_many_callers_there_are_old_connections_are_given_up(servers: Servers, caller: Caller):
    closed: list[int] = []
    open_now: set[int] = set()

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        number = len(open_now) + len(closed)
        open_now.add(number)
        while await reader.read(4096):
            writer.write(response(200, b"1"))
        open_now.remove(number)
        closed.append(number)

    port = await servers.listen(talk)
    spec = CredentialSpec(scheme=CredentialScheme.PASS_THROUGH, source="s", pass_headers=("X-Who",))
    calls = caller.calls(spec)
    url = f"http://127.0.0.1:{port}/"
    for number in range(300):
        await call(calls, url, principal=Principal(id=f"c{number}"), presented={"x-who": "x"})
    assert len(open_now) <= 257


async def test_connections_nobody_uses_are_closed_by_whoever_comes_next(servers: Servers, caller: Caller):
    ended = asyncio.Event()

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while await reader.read(4096):
            writer.write(response(200, b"1"))
        ended.set()

    one, other = await servers.listen(talk), await servers.start(response(200, b"1"))
    calls = caller.calls(limits=FetchLimits(idle_seconds=0.0))
    await call(calls, f"http://127.0.0.1:{one}/")
    await call(calls, other.url(), site=site_of(other.url()))
    await asyncio.wait_for(ended.wait(), 5)
