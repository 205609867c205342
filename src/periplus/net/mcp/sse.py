"""The wire of revision 2024-11-05: one event stream in, one POST per message out.

Written here because the SDK's own lets an event be a mebibyte at most, and leaves a request waiting whose POST
was refused.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from urllib.parse import urljoin, urlsplit

import anyio
import httpx2
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage
from mcp_types import ErrorData, JSONRPCError, JSONRPCRequest

from periplus.model import Code, Problem
from periplus.net.mcp.carrier import Carrier, of_status
from periplus.net.mcp.journal import Journal
from periplus.net.mcp.messages import decode

Streams = tuple[MemoryObjectReceiveStream[SessionMessage | Exception], MemoryObjectSendStream[SessionMessage]]
_QUEUE = 64


@asynccontextmanager
async def legacy_sse(url: str, carrier: Carrier, journal: Journal, limit: int) -> AsyncGenerator[Streams]:
    """Open the stream, learn where to post, and carry messages until the block is left."""
    into, received = anyio.create_memory_object_stream[SessionMessage | Exception](_QUEUE)
    sent, out = anyio.create_memory_object_stream[SessionMessage](_QUEUE)
    try:
        async with carrier.stream("GET", url, headers={"accept": "text/event-stream"}) as response:
            _check(response)
            endpoint = _Endpoint(url)
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(_read, response, endpoint, into, journal, limit)
                await endpoint.known.wait()
                tasks.start_soon(_write, carrier, endpoint.url, out, into)
                try:
                    yield received, sent
                finally:
                    tasks.cancel_scope.cancel()
    finally:
        for stream in (into, received, sent, out):
            stream.close()


class _Endpoint:
    """Where messages are posted, once the server has said so."""

    def __init__(self, base: str) -> None:
        self.url = base
        self.known = anyio.Event()

    def learn(self, text: str) -> None:
        url = urljoin(self.url, text.strip())
        here, there = urlsplit(self.url), urlsplit(url)
        if (here.scheme, here.netloc) != (there.scheme, there.netloc):
            raise Problem(Code.REFUSED_ADDRESS, f"the event stream sends messages to another origin: {there.netloc!r}")
        self.url = url
        self.known.set()


def _check(response: httpx2.Response) -> None:
    if response.status_code != 200:
        raise of_status(response.status_code, "no event stream")
    if not response.headers.get("content-type", "").lower().startswith("text/event-stream"):
        raise Problem(Code.UPSTREAM_ERROR, f"not an event stream: {response.headers.get('content-type', 'no type')!r}")


async def _read(
    response: httpx2.Response,
    endpoint: _Endpoint,
    into: MemoryObjectSendStream[SessionMessage | Exception],
    journal: Journal,
    limit: int,
) -> None:
    with into:
        async for event in httpx2.EventSource(response, max_event_size=limit):
            if event.event == "endpoint" and not endpoint.known.is_set():
                endpoint.learn(event.data)
            elif event.event == "message" and event.data:
                messages, notes = decode(event.data.encode())
                for note in notes:
                    journal.note(note)
                for message in messages:
                    await into.send(message)
    if not endpoint.known.is_set():
        raise Problem(Code.UPSTREAM_ERROR, "the event stream ended without saying where to post")


async def _write(
    carrier: Carrier,
    url: str,
    messages: MemoryObjectReceiveStream[SessionMessage],
    into: MemoryObjectSendStream[SessionMessage | Exception],
) -> None:
    async for message in messages:
        body = message.message.model_dump(by_alias=True, mode="json", exclude_unset=True)
        response = await carrier.send(carrier.build_request("POST", url, json=body))
        if response.status_code >= httpx2.codes.BAD_REQUEST and isinstance(message.message, JSONRPCRequest):
            error = ErrorData.model_validate(response.json()["error"])
            await into.send(SessionMessage(JSONRPCError(jsonrpc="2.0", id=message.message.id, error=error)))
