"""Servers that hang, drip, reset, lie and flood: each costs one Problem that says what happened, in bounded time."""

from __future__ import annotations

import asyncio
import contextlib
import socket

import anyio
import pytest
from loopback import Reader, Received, Servers, resolving, response

from periplus.model import Code, Problem, SourceSpec
from periplus.net import FetchLimits, FetchPolicy
from periplus.ports import FetchRequest

SOON = 0.2  # a deadline for servers that never end: whatever the machine's speed, it passes


async def failure(reading: object) -> Problem:
    with pytest.raises(Problem) as caught:
        await reading  # type: ignore[misc]
    return caught.value


async def test_a_server_that_hangs_is_a_timeout(servers: Servers, reader: Reader):
    """S-6."""

    async def hang(_request: Received, _writer: asyncio.StreamWriter) -> None:
        await asyncio.Event().wait()

    server = await servers.start(hang)
    problem = await failure(reader.read(server.url(), FetchPolicy(timeout_seconds=SOON)))
    assert problem.code is Code.TIMEOUT
    assert "0.2 s ([fetch] timeout_seconds)" in problem.message
    assert problem.retryable


async def test_a_server_that_drips_is_a_timeout(servers: Servers, reader: Reader):
    """S-6: the deadline is for the whole, so a byte now and then does not extend it."""

    async def drip(_request: Received, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n")
        while True:
            writer.write(b"x")
            await writer.drain()
            await asyncio.sleep(SOON / 10)

    server = await servers.start(drip)
    assert (await failure(reader.read(server.url(), timeout_s=SOON))).code is Code.TIMEOUT


async def test_redirects_that_each_take_their_time_share_one_deadline(servers: Servers, reader: Reader):
    """S-6."""

    async def slow(_request: Received, writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(SOON / 3)
        writer.write(response(302, location="/next"))

    server = await servers.start(slow)
    assert (await failure(reader.read(server.url(), timeout_s=SOON))).code is Code.TIMEOUT


async def test_an_address_that_does_not_accept_is_a_timeout_of_the_connection(reader: Reader):
    """A full backlog: the kernel leaves the handshake unanswered."""
    with socket.socket() as listening, contextlib.ExitStack() as clients:
        listening.bind(("127.0.0.1", 0))
        listening.listen(0)
        place = listening.getsockname()
        for _ in range(4):
            client = clients.enter_context(socket.socket())
            client.setblocking(False)
            client.connect_ex(place)
        problem = await failure(reader.read(f"http://127.0.0.1:{place[1]}/", limits=FetchLimits(connect_seconds=SOON)))
    assert problem.code is Code.TIMEOUT
    assert "did not complete a connection within 0.2 s" in problem.message


async def test_a_resolver_that_hangs_is_a_timeout(reader: Reader):
    async def never(_host: str, _port: int) -> list[str]:
        await anyio.sleep_forever()
        return []

    problem = await failure(
        reader.read("http://slow.example/", resolve=never, limits=FetchLimits(connect_seconds=SOON))
    )
    assert problem.code is Code.TIMEOUT


async def test_each_way_not_to_connect_has_its_own_words(servers: Servers, reader: Reader):
    unknown = await failure(reader.read("http://nowhere.example/", resolve=resolving({})))
    assert unknown.code is Code.UNAVAILABLE
    assert "nowhere.example does not resolve" in unknown.message

    nothing = await failure(reader.read("http://empty.example/", resolve=resolving({"empty.example": []})))
    assert "has no address" in nothing.message

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    refused = await failure(reader.read(f"http://127.0.0.1:{port}/"))
    assert refused.code is Code.UNAVAILABLE
    assert f"127.0.0.1:{port} refused the connection" in refused.message
    assert refused.retryable
    both = await failure(
        reader.read(
            f"http://two.example:{port}/",
            FetchPolicy(loopback_allowed=True),
            resolve=resolving({"two.example": ["127.0.0.1", "127.0.0.2"]}),
        )
    )
    assert "refused the connection" in both.message


async def test_a_reset_is_told_from_a_close(servers: Servers, reader: Reader):
    async def reset(_request: Received, writer: asyncio.StreamWriter) -> None:
        connection = writer.get_extra_info("socket")
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        writer.transport.abort()

    async def close(_request: Received, writer: asyncio.StreamWriter) -> None:
        writer.close()

    lost = await failure(reader.read((await servers.start(reset)).url()))
    assert lost.code is Code.UNAVAILABLE
    assert "reset the connection" in lost.message
    gone = await failure(reader.read((await servers.start(close)).url()))
    assert gone.code is Code.UNAVAILABLE
    assert "closed the connection without answering" in gone.message


@pytest.mark.parametrize(
    "told",
    [
        b"SSH-2.0-OpenSSH_9.9\r\n",
        b"\x15\x03\x01\x00\x02\x02\x50",
        b"HTTP/1.1 200 OK\r\ncontent-length: -5\r\n\r\n",
        b"HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n" + b"x: " + b"y" * 300_000 + b"\r\n\r\n",
    ],
)
async def test_what_is_not_http_is_said(servers: Servers, reader: Reader, told: bytes):
    async def answer(_request: Received, writer: asyncio.StreamWriter) -> None:
        writer.write(told)
        await writer.drain()
        writer.close()

    problem = await failure(reader.read((await servers.start(answer)).url()))
    assert problem.code is Code.UNAVAILABLE


@pytest.mark.parametrize(
    "start",
    [
        b"HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\nhalf",
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n",
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhel",
    ],
)
async def test_a_body_shorter_than_announced_is_an_upstream_error(servers: Servers, reader: Reader, start: bytes):
    """S-74, section 14."""

    async def half(_request: Received, writer: asyncio.StreamWriter) -> None:
        writer.write(start)
        await writer.drain()
        writer.close()

    problem = await failure(reader.read((await servers.start(half)).url()))
    assert problem.code is Code.UPSTREAM_ERROR
    assert "ended before it was complete" in problem.message
    assert problem.retryable


async def test_a_gigabyte_that_is_announced_is_not_begun(servers: Servers, reader: Reader):
    """S-6: the limit, its value and its key are named."""

    async def announce(_request: Received, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 1073741824\r\n\r\n")
        await asyncio.Event().wait()

    problem = await failure(reader.read((await servers.start(announce)).url()))
    assert problem.code is Code.OVER_LIMIT
    assert "134217728" in problem.message
    assert "[limits] document_bytes" in problem.message


async def test_a_flood_without_end_stops_at_the_limit(servers: Servers, reader: Reader):
    """S-6."""
    sent = 0

    async def flood(_request: Received, writer: asyncio.StreamWriter) -> None:
        nonlocal sent
        writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
        while True:
            writer.write(bytes(65536))
            sent += 65536
            await writer.drain()

    server = await servers.start(flood)
    problem = await failure(reader.read(server.url(), limits=FetchLimits(document_bytes=1 << 20)))
    assert problem.code is Code.OVER_LIMIT
    assert sent < 64 << 20


async def test_cancelling_ends_the_request(servers: Servers, reader: Reader):
    """S-7."""
    left = asyncio.Event()
    came = asyncio.Event()

    async def wait(_request: Received, writer: asyncio.StreamWriter) -> None:
        came.set()
        try:
            while not writer.is_closing():
                writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
                await writer.drain()
                await asyncio.sleep(0.01)
        finally:
            left.set()

    server = await servers.start(wait)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(reader.read, server.url())
        await came.wait()
        tasks.cancel_scope.cancel()
    with anyio.fail_after(30):
        await left.wait()


async def test_a_fault_of_one_fetch_leaves_the_next_one_well(servers: Servers, reader: Reader):
    async def alternate(_request: Received, writer: asyncio.StreamWriter) -> None:
        if len(server.requests) % 2:
            writer.close()
        else:
            writer.write(response(200, b"well"))

    server = await servers.start(alternate)
    from_source = reader.fetcher().for_source(SourceSpec(url=server.url()))
    for _ in range(3):
        await failure(from_source.send(FetchRequest(url=server.url())))
        assert (await from_source.send(FetchRequest(url=server.url()))).body == b"well"
