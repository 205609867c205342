"""What lives as long as a client's session, for handlers that keep something for it."""

from __future__ import annotations

from typing import Any

from mcp.server.connection import Connection
from mcp.server.context import ServerRequestContext

Context = ServerRequestContext[Any, Any]


def connection_of(context: Context) -> Connection:
    """The connection a request came on; the SDK gives handlers its parts, and not itself."""
    return context.session._connection  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
