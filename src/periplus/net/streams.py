"""A connection's bytes, and whether its other end has hung up: asked of the system seldom enough to be cheap."""

from __future__ import annotations

import ssl
import time
from typing import Any

import httpcore2

_FRESH_S = 0.05  # as old as news of a hang-up may be on any network


class Stream(httpcore2.AsyncNetworkStream):
    """The library's stream. Its pool asks every idle connection about every request whether it is still there."""

    def __init__(self, stream: httpcore2.AsyncNetworkStream) -> None:
        self._stream = stream
        self._readable = False
        self._asked_at = 0.0

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ASYNC109 - the library's signature
        return await self._stream.read(max_bytes, timeout)

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ASYNC109 - as above
        await self._stream.write(buffer, timeout)

    async def aclose(self) -> None:
        await self._stream.aclose()

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ASYNC109 - as above
    ) -> httpcore2.AsyncNetworkStream:
        return Stream(await self._stream.start_tls(ssl_context, server_hostname, timeout))

    def get_extra_info(self, info: str) -> Any:
        """What the library's stream says; that something lies in the socket is known for a moment."""
        if info != "is_readable":
            return self._stream.get_extra_info(info)
        now = time.monotonic()
        if not self._readable and now - self._asked_at > _FRESH_S:
            self._asked_at = now
            self._readable = bool(self._stream.get_extra_info(info))
        return self._readable
