"""Calls over HTTP/2: S-68, S-74."""

from __future__ import annotations

import asyncio
import ssl
from pathlib import Path
from typing import Any

import anyio
import pytest
import trustme
from loopback import Servers, server_tls
from loopback2 import Stream, serve2

from calling import Caller, call
from periplus.model import Code, Problem
from periplus.net import FetchPolicy

JSON = (("content-type", "application/json"),)


@pytest.fixture
async def caller():
    kept = Caller()
    yield kept
    await kept.close()


@pytest.fixture
def tls(authority: trustme.CA) -> ssl.SSLContext:
    return server_tls(authority, "localhost", alpn=("h2", "http/1.1"))


@pytest.fixture
def trusting(authority: trustme.CA, tmp_path: Path) -> FetchPolicy:
    authority.cert_pem.write_to_path(tmp_path / "ca.pem")
    return FetchPolicy(ca=str(tmp_path / "ca.pem"))


async def test_http2_is_spoken_where_it_is_offered_and_one_connection_serves_many(
    servers: Servers, caller: Caller, tls: ssl.SSLContext, trusting: FetchPolicy
):
    """S-68"""
    together = asyncio.Event()
    waiting = 0

    async def answer(stream: Stream) -> None:
        nonlocal waiting
        waiting += 1
        if waiting == 21:
            together.set()
        if waiting > 1:
            await together.wait()
        await stream.answer(headers=JSON)
        await stream.send(b"[" + stream.body + b"]", end=True)

    server = await serve2(servers, tls, answer)
    calls = caller.calls(policy=trusting)
    assert (await call(calls, server.url("/a"), "POST", body=b"1")).value == [1]
    values: list[Any] = []

    async def one(number: int) -> None:
        values.append((await call(calls, server.url(), "POST", body=str(number).encode())).value)

    async with anyio.create_task_group() as tasks:
        for number in range(20):
            tasks.start_soon(one, number)
    assert sorted(values) == [[number] for number in range(20)]
    assert len(server.peers) == 1
    assert server.peers[0].streams[1].headers[":path"] == "/a"


@pytest.mark.parametrize("when", ["head", "body"])
async def test_cancelling_a_call_ends_its_stream_and_leaves_the_connection_to_others(
    servers: Servers, caller: Caller, tls: ssl.SSLContext, trusting: FetchPolicy, when: str
):
    """S-68"""
    arrived = asyncio.Event()
    slow: list[Stream] = []

    async def answer(stream: Stream) -> None:
        if stream.headers[":path"] == "/slow":
            slow.append(stream)
            if when == "body":
                await stream.answer(headers=JSON)
                await stream.send(b"[1,")
            arrived.set()
            return
        await stream.answer(headers=JSON)
        await stream.send(b"1", end=True)

    server = await serve2(servers, tls, answer)
    calls = caller.calls(policy=trusting)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(call, calls, server.url("/slow"))
        await arrived.wait()
        tasks.cancel_scope.cancel()
    await asyncio.wait_for(slow[0].reset.wait(), 5)
    assert (await call(calls, server.url())).value == 1
    assert len(server.peers) == 1


async def test_large_answers_that_are_cut_do_not_use_up_the_connection(
    servers: Servers, caller: Caller, tls: ssl.SSLContext, trusting: FetchPolicy
):
    """S-74: unread data is taken off the connection's account, or the window of 16 MiB would be gone after a while"""

    async def answer(stream: Stream) -> None:
        await stream.answer(headers=(("content-type", "text/plain"),))
        await stream.send(b"x" * (8 << 20), end=True)

    server = await serve2(servers, tls, answer)
    calls = caller.calls(policy=trusting)
    for _ in range(12):
        answered = await call(calls, server.url(), response_bytes=1000, timeout_s=5)
        assert (len(answered.value), answered.truncated) == (1000, True)
    assert len(server.peers) == 1


@pytest.mark.parametrize(("announced", "sent"), [("10", b"abc"), ("2", b"abc")])
async def test_a_length_that_is_not_true_is_refused(
    servers: Servers, caller: Caller, tls: ssl.SSLContext, trusting: FetchPolicy, announced: str, sent: bytes
):
    """S-74"""

    async def answer(stream: Stream) -> None:
        await stream.answer(headers=(("content-type", "text/plain"), ("content-length", announced)))
        await stream.send(sent, end=True)

    server = await serve2(servers, tls, answer)
    with pytest.raises(Problem) as caught:
        await call(caller.calls(policy=trusting), server.url())
    assert caught.value.code is Code.UPSTREAM_ERROR
    assert caught.value.retryable


async def test_a_stream_that_is_refused_was_certainly_not_processed(
    servers: Servers, caller: Caller, tls: ssl.SSLContext, trusting: FetchPolicy
):
    """S-69"""
    codes = [7, 2]  # REFUSED_STREAM, INTERNAL_ERROR

    async def answer(stream: Stream) -> None:
        stream.peer.state.reset_stream(stream.number, codes.pop(0))
        await stream.peer.flush()

    server = await serve2(servers, tls, answer)
    calls = caller.calls(policy=trusting)
    told: list[bool] = []
    for _ in range(2):
        with pytest.raises(Problem) as caught:
            await call(calls, server.url(), "POST", body=b"1")
        told.append(caught.value.details.get("not_processed", False))
    assert told == [True, False]
