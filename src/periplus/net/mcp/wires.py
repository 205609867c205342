"""The three ways to a server, each as a pair of message streams."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import NamedTuple, cast

import httpx2
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._stream_protocols import ReadStream, WriteStream
from mcp.shared.message import SessionMessage

from periplus.net.mcp.carrier import Carrier
from periplus.net.mcp.journal import Journal
from periplus.net.mcp.launch import Launch
from periplus.net.mcp.sse import legacy_sse
from periplus.net.mcp.stdio import stdio
from periplus.net.mcp.timing import Timing

Transport = Callable[[], httpx2.AsyncBaseTransport]


class Way(NamedTuple):
    """How to reach a server, and whether its era is known to be the older one."""

    wire: str  # stdio, http, sse
    legacy: bool = False


class Wire(NamedTuple):
    """Open streams, and what stands between them and the network, if anything."""

    read: ReadStream[SessionMessage | Exception]
    write: WriteStream[SessionMessage]
    carrier: Carrier | None = None


def ways_to(launch: Launch, remembered: Way | None) -> tuple[Way, ...]:
    """The ways to try in turn: what worked before, else the newest first."""
    ways: tuple[Way, ...]
    if launch.command:
        # A server of the older era may end at a method it does not know; then it is started once more.
        ways = (Way("stdio"), Way("stdio", legacy=True))
    elif launch.transport == "sse":
        ways = (Way("sse", legacy=True),)
    elif launch.transport == "http":
        ways = (Way("http"),)
    else:
        ways = (Way("http"), Way("sse", legacy=True))
    if remembered is None or remembered in ways[:1]:
        return ways
    return (remembered, *(way for way in ways if way != remembered))


@asynccontextmanager
async def opened(
    way: Way, launch: Launch, journal: Journal, timing: Timing, transport: Transport
) -> AsyncGenerator[Wire]:
    """Reach the server in this way until the block is left."""
    if way.wire == "stdio":
        async with stdio(launch, journal, timing) as (read, write):
            yield Wire(read, write)
        return
    limit = timing.message_bytes
    # Not closed at the end: that would close the transport, which other sessions share.
    client = httpx2.AsyncClient(transport=transport(), trust_env=False)
    carrier = Carrier(client, launch.headers, limit)
    if way.wire == "sse":
        async with legacy_sse(launch.url, carrier, journal, limit) as (read, write):
            yield Wire(read, write, carrier)
        return
    # Everything the SDK calls on a client is on the carrier.
    stand_in = cast("httpx2.AsyncClient", carrier)
    async with streamable_http_client(launch.url, http_client=stand_in, max_sse_event_size=limit) as (read_, write_):
        yield Wire(read_, write_, carrier)
