"""An upstream on loopback that costs as little as it can: python -m benchmarks.calls.upstream LATENCY_SECONDS.

Prints its address on the first line, and serves until its stdin is closed.
"""

from __future__ import annotations

import asyncio
import sys

_BODY = b'{"code":"B4","length_m":40.0,"free":true}'
_HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n"
_ANSWER = _HEAD % len(_BODY) + _BODY
DOCUMENT = {
    "openapi": "3.1.0",
    "info": {"title": "Bench", "version": "1"},
    "servers": [{"url": "/"}],
    "paths": {
        "/berths/{code}": {
            "get": {
                "operationId": "getBerth",
                "tags": ["berths"],
                "summary": "Get one berth.",
                "parameters": [
                    {"name": "code", "in": "path", "required": True, "schema": {"type": "string"}},
                    {"name": "free", "in": "query", "schema": {"type": "boolean"}},
                ],
                "responses": {
                    "200": {
                        "description": "The berth.",
                        "content": {
                            "application/json": {
                                "schema": {
                                    "type": "object",
                                    "required": ["code"],
                                    "properties": {"code": {"type": "string"}, "length_m": {"type": "number"}},
                                }
                            }
                        },
                    }
                },
            }
        }
    },
}


class _Berths(asyncio.Protocol):
    def __init__(self, latency_s: float) -> None:
        self._latency_s = latency_s
        self._transport: asyncio.Transport | None = None
        self._rest = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        if isinstance(transport, asyncio.Transport):
            self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._rest += data
        while b"\r\n\r\n" in self._rest:
            _, _, self._rest = self._rest.partition(b"\r\n\r\n")
            if self._latency_s:
                asyncio.get_running_loop().call_later(self._latency_s, self._answer)
            else:
                self._answer()

    def _answer(self) -> None:
        if self._transport and not self._transport.is_closing():
            self._transport.write(_ANSWER)


async def _serve(latency_s: float) -> None:
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: _Berths(latency_s), "127.0.0.1", 0, backlog=1024)
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", flush=True)
    await loop.run_in_executor(None, sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(_serve(float(sys.argv[1])))
