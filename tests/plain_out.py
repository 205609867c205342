"""The way out for calls without a guard: what a transport sends goes to a real server, and its answer comes back."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2

from periplus.model import LOCAL, Answer, Code, Problem, SourceSpec, Tool
from periplus.ports import Calling, CallWires, HttpReply, HttpRequest, McpOut, Site, Transport


class PlainReply:
    """An answer on its way in."""

    def __init__(self, response: httpx2.Response, secret: str) -> None:
        self.status = response.status_code
        self.headers = tuple((name.lower(), text) for name, text in response.headers.items())
        self.url = str(response.url)
        self._response = response
        self._secret = secret

    def body(self) -> AsyncIterator[bytes]:
        return self._response.aiter_bytes()

    def redact(self, text: str) -> str:
        return text.replace(self._secret, "***") if self._secret else text


class PlainOut:
    """Sends what it is given, with the source's own headers, and keeps it."""

    def __init__(self) -> None:
        self.sent: list[HttpRequest] = []

    @asynccontextmanager
    async def send(self, request: HttpRequest, site: Site, calling: Calling) -> AsyncIterator[HttpReply]:
        self.sent.append(request)
        headers = dict(request.headers) | site.spec.headers
        url = request.origin + request.target
        async with httpx2.AsyncClient(timeout=calling.timeout_s) as client:
            asked = client.build_request(request.method, url, headers=headers, content=request.body)
            try:
                response = await client.send(asked, stream=True)
            except httpx2.TransportError as error:
                raise Problem(Code.UNAVAILABLE, f"{url}: {error}", details={"not_processed": True}) from error
            try:
                yield PlainReply(response, site.spec.headers.get("Authorization", "").removeprefix("Bearer "))
            finally:
                await response.aclose()


class NoMcp(McpOut):
    """These calls need no MCP."""


CALLING = Calling(principal=LOCAL, idempotency_key="k1")


async def call(
    transport: Transport, tool: Tool, base: str, arguments: dict[str, Any] | None = None, **more: Any
) -> Answer:
    """One call of a tool whose source answers at this base."""
    spec = {name: more.pop(name) for name in ("headers", "base_url") if name in more}
    site = Site(spec=SourceSpec(id="harbour", kind=transport.kind, url=base, **spec), site={"base": base, **more})
    prepared = transport.prepare(tool, site, arguments or {}, CALLING)
    return await transport.send(prepared, tool, site, CALLING, CallWires(http=PlainOut(), mcp=NoMcp()))
