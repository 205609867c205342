"""Real servers on loopback that answer exactly as told, well or badly, and a reader of what they say."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import trustme

from periplus.model import SourceSpec
from periplus.net import Fetcher, FetchLimits, FetchPolicy
from periplus.ports import Fetched, FetchRequest


@dataclass
class Received:
    """One request as it came over the wire."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes


Answer = Callable[[Received, asyncio.StreamWriter], Awaitable[None]]


@dataclass
class Server:
    """A listening server and what it was asked."""

    port: int
    host: str = "127.0.0.1"
    requests: list[Received] = field(default_factory=list)

    @property
    def place(self) -> str:
        return f"{self.host}:{self.port}"

    def url(self, path: str = "/", *, scheme: str = "http", host: str | None = None) -> str:
        return f"{scheme}://{host or self.host}:{self.port}{path}"

    @property
    def targets(self) -> list[str]:
        return [request.target for request in self.requests]


def response(status: int = 200, body: bytes = b"", **headers: str) -> bytes:
    """A correct HTTP/1.1 answer; `content_type=` becomes `content-type:`."""
    lines = [f"HTTP/1.1 {status} Told"]
    given = {"content-length": str(len(body))} | {name.replace("_", "-"): text for name, text in headers.items()}
    lines += [f"{name}: {text}" for name, text in given.items()]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1") + body


async def _read_request(reader: asyncio.StreamReader) -> Received:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    method, target, _ = head[0].split(" ")
    headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in head[1:] if line)}
    return Received(method, target, headers, await reader.readexactly(int(headers.get("content-length", 0))))


class Servers:
    """Starts servers, and ends them with everything they were still doing."""

    def __init__(self) -> None:
        self._servers: list[asyncio.Server] = []
        self._busy: set[asyncio.Task[Any]] = set()

    async def start(
        self, answer: Answer | bytes, *, host: str = "127.0.0.1", tls: ssl.SSLContext | None = None
    ) -> Server:
        """A server that reads each request and then does what it was told."""
        server = Server(port=0, host=host)

        async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            while True:
                request = await _read_request(reader)
                server.requests.append(request)
                if isinstance(answer, bytes):
                    writer.write(answer)
                else:
                    await answer(request, writer)
                await writer.drain()

        server.port = await self.listen(talk, host=host, tls=tls)
        return server

    async def listen(
        self,
        talk: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]],
        *,
        host: str = "127.0.0.1",
        tls: ssl.SSLContext | None = None,
    ) -> int:
        """A server that speaks whatever `talk` does; its port."""

        async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = asyncio.current_task()
            assert task is not None
            self._busy.add(task)
            with suppress(OSError, EOFError, asyncio.CancelledError):
                await talk(reader, writer)
            writer.transport.abort()
            self._busy.discard(task)

        server = await asyncio.start_server(connected, host, 0, ssl=tls)
        self._servers.append(server)
        return int(server.sockets[0].getsockname()[1])

    async def close(self) -> None:
        for server in self._servers:
            server.close()
        for task in list(self._busy):
            task.cancel()
        if self._busy:
            await asyncio.wait(list(self._busy))


class Reader:
    """Makes fetchers as a test wants them, asks one question with each, closes them at the end."""

    def __init__(self) -> None:
        self._fetchers: list[Fetcher] = []

    def fetcher(self, policy: FetchPolicy | None = None, **given: Any) -> Fetcher:
        limits = given.pop("limits", None) or FetchLimits()
        self._fetchers.append(Fetcher(policy or FetchPolicy(), limits, **given))
        return self._fetchers[-1]

    async def read(
        self, url: str, policy: FetchPolicy | None = None, *, spec: SourceSpec | None = None, **given: Any
    ) -> Fetched:
        """Fetch a URL for a source whose operator wrote it, unless another source is given."""
        asked = {key: given.pop(key) for key in list(given) if key in FetchRequest.__struct_fields__}
        fetcher = self.fetcher(policy, **given)
        return await fetcher.for_source(spec or SourceSpec(id="s", url=url)).send(FetchRequest(url=url, **asked))

    async def close(self) -> None:
        for fetcher in self._fetchers:
            await fetcher.close()


def resolving(names: dict[str, Sequence[str]]) -> Callable[[str, int], Awaitable[Sequence[str]]]:
    """A resolver that knows these names and no others."""

    async def resolve(host: str, _port: int) -> Sequence[str]:
        await asyncio.sleep(0)
        if host not in names:
            raise OSError(-2, "Name or service not known")
        return names[host]

    return resolve


def server_tls(authority: trustme.CA, *names: str, alpn: Sequence[str] = ()) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(*names).configure_cert(context)
    if alpn:
        context.set_alpn_protocols(list(alpn))
    return context
