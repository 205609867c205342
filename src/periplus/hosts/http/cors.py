"""Pages of other origins that the operator named: they are told that they may ask, and may read the answers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from starlette.datastructures import Headers, MutableHeaders

Message = MutableMapping[str, Any]
Send = Callable[[Message], Awaitable[None]]
_METHODS = "GET, POST, DELETE"
_SHOWN = "Mcp-Session-Id, Retry-After, Traceparent, WWW-Authenticate, X-Request-Id"
_KEPT_S = "600"


def is_preflight(method: str, headers: Headers) -> bool:
    """Whether a browser asks whether a page may ask."""
    return method == "OPTIONS" and "origin" in headers and "access-control-request-method" in headers


async def permit(headers: Headers, send: Send) -> None:
    """The answer to that, for an origin that was named; credentials are not the browser's to add."""
    answer = MutableHeaders(
        {
            "access-control-allow-methods": _METHODS,
            "access-control-allow-headers": headers.get("access-control-request-headers", ""),
            "access-control-max-age": _KEPT_S,
        }
    )
    await send({"type": "http.response.start", "status": 204, "headers": answer.raw})
    await send({"type": "http.response.body", "body": b""})


def readable(send: Send, origin: str) -> Send:
    """Answers that a page of this origin may read."""

    async def marked(message: Message) -> None:
        if message["type"] == "http.response.start":
            out = MutableHeaders(scope=message)
            out["access-control-allow-origin"] = origin
            out["access-control-expose-headers"] = _SHOWN
            out.add_vary_header("Origin")
        await send(message)

    return marked
