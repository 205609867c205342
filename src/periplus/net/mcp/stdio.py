"""The stdio wire: one JSON-RPC message per line, to and from a child."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import anyio
import anyio.to_thread
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage

from periplus.model import Code, Problem
from periplus.net.mcp import child as processes
from periplus.net.mcp.child import Child
from periplus.net.mcp.journal import Journal
from periplus.net.mcp.launch import Launch
from periplus.net.mcp.messages import decode, encode, shown
from periplus.net.mcp.timing import Timing

Streams = tuple[MemoryObjectReceiveStream[SessionMessage | Exception], MemoryObjectSendStream[SessionMessage]]
_LARGE = 1 << 20  # parsed in a thread from here on, so that one server's long list delays nobody
_QUEUE = 64  # requests accepted while a server does not read


@asynccontextmanager
async def stdio(launch: Launch, journal: Journal, timing: Timing) -> AsyncGenerator[Streams]:
    """Start the server and carry messages until the block is left; then the server is gone."""
    child = Child(launch, polite_seconds=timing.polite_seconds, grace_seconds=timing.grace_seconds)
    into, received = anyio.create_memory_object_stream[SessionMessage | Exception](_QUEUE)
    sent, out = anyio.create_memory_object_stream[SessionMessage](_QUEUE)
    try:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_carry_out, child.stdin, out)
            tasks.start_soon(_carry_in, child.stdout, into, journal, timing.message_bytes)
            tasks.start_soon(_listen, child.stderr, journal)
            try:
                yield received, sent
            finally:
                tasks.cancel_scope.cancel()
    finally:
        for stream in (into, received, sent, out):
            stream.close()
        with anyio.CancelScope(shield=True):
            await child.end(journal)
        if child.status:
            journal.status = child.status


async def _carry_out(descriptor: int, messages: MemoryObjectReceiveStream[SessionMessage]) -> None:
    try:
        async for message in messages:
            await processes.write(descriptor, encode(message))
    except OSError:
        messages.close()  # the server no longer reads; its stdout tells how that ends


async def _carry_in(
    descriptor: int, into: MemoryObjectSendStream[SessionMessage | Exception], journal: Journal, limit: int
) -> None:
    pieces: list[bytes] = []
    size = 0
    with into:
        while chunk := await processes.read(descriptor):
            first, *lines = chunk.split(b"\n")
            pieces.append(first)
            size += len(first)
            if size > limit:
                raise Problem(
                    Code.OVER_LIMIT,
                    f"a message of more than {limit:,} bytes (message_bytes); it begins {shown(pieces[0])}",
                )
            for line in lines:
                await _deliver(b"".join(pieces), into, journal)
                pieces, size = [line], len(line)
        await _deliver(b"".join(pieces), into, journal)  # the last one may lack its line break


async def _deliver(line: bytes, into: MemoryObjectSendStream[SessionMessage | Exception], journal: Journal) -> None:
    if not line.strip():
        return
    parsed = await anyio.to_thread.run_sync(decode, line) if len(line) > _LARGE else decode(line)
    for note in parsed[1]:
        journal.note(note)
    for message in parsed[0]:
        await into.send(message)


async def _listen(descriptor: int, journal: Journal) -> None:
    while chunk := await processes.read(descriptor):
        journal.feed(chunk)
