"""An HTTP/2 server over TLS, as small as it can be, that notes what its clients do."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field

import h2.config
import h2.connection
import h2.events
import h2.exceptions
from loopback import Servers


@dataclass
class Stream:
    """One request, and the way to answer it."""

    headers: dict[str, str]
    number: int
    peer: Peer
    reset: asyncio.Event = field(default_factory=asyncio.Event)
    body: bytes = b""

    async def answer(self, status: int = 200, *, headers: tuple[tuple[str, str], ...] = (), end: bool = False) -> None:
        self.peer.state.send_headers(self.number, [(":status", str(status)), *headers], end_stream=end)
        await self.peer.flush()

    async def send(self, data: bytes, *, end: bool = False) -> None:
        """As much as the client's window takes at a time; stops when the client has reset the stream."""
        while data and not self.reset.is_set():
            window = min(
                self.peer.state.local_flow_control_window(self.number), self.peer.state.max_outbound_frame_size
            )
            if not window:
                await self.peer.moved()
                continue
            piece, data = data[:window], data[window:]
            self.peer.state.send_data(self.number, piece)
            await self.peer.flush()
        if end and not self.reset.is_set():
            self.peer.state.end_stream(self.number)
            await self.peer.flush()


class Peer:
    """One connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer
        self.state = h2.connection.H2Connection(h2.config.H2Configuration(client_side=False))
        self.streams: dict[int, Stream] = {}
        self._moved = asyncio.Event()

    async def moved(self) -> None:
        self._moved.clear()
        await self._moved.wait()

    async def flush(self) -> None:
        self._writer.write(self.state.data_to_send())
        await self._writer.drain()

    async def talk(self, answer: Callable[[Stream], Awaitable[None]]) -> None:
        self.state.initiate_connection()
        await self.flush()
        async with asyncio.TaskGroup() as answering:
            with suppress(OSError):
                await self._hear(answer, answering)

    async def _hear(self, answer: Callable[[Stream], Awaitable[None]], answering: asyncio.TaskGroup) -> None:
        while data := await self._reader.read(65536):
            for event in self.state.receive_data(data):
                self._on(event, answer, answering)
            await self.flush()
            self._moved.set()

    def _on(
        self, event: h2.events.Event, answer: Callable[[Stream], Awaitable[None]], answering: asyncio.TaskGroup
    ) -> None:
        number = getattr(event, "stream_id", None)
        if isinstance(event, h2.events.RequestReceived):
            headers = {name.decode(): value.decode() for name, value in event.headers}
            self.streams[number] = Stream(headers, number, self)
        elif isinstance(event, h2.events.DataReceived):
            self.streams[number].body += event.data
            self.state.acknowledge_received_data(event.flow_controlled_length, number)
        elif isinstance(event, h2.events.StreamReset):
            self.streams[number].reset.set()
        elif isinstance(event, h2.events.StreamEnded):
            answering.create_task(_quietly(answer(self.streams[number])))


async def _quietly(work: Awaitable[None]) -> None:
    with suppress(h2.exceptions.ProtocolError, OSError):
        await work


@dataclass
class Server2:
    """A running server and the connections it has seen."""

    port: int = 0
    peers: list[Peer] = field(default_factory=list)

    def url(self, path: str = "/") -> str:
        return f"https://localhost:{self.port}{path}"


async def serve2(servers: Servers, tls: ssl.SSLContext, answer: Callable[[Stream], Awaitable[None]]) -> Server2:
    """Start one; `tls` has to offer h2."""
    server = Server2()

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        peer = Peer(reader, writer)
        server.peers.append(peer)
        await peer.talk(answer)

    server.port = await servers.listen(talk, tls=tls)
    return server
