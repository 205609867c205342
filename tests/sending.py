"""Sending a transport's calls the way the gateway does: through the guard, to a real server."""

from __future__ import annotations

from typing import Any

from periplus.model import LOCAL, Answer, SourceSpec, Tool
from periplus.net import Fetcher, FetchPolicy, HttpCalls
from periplus.ports import Calling, CallWires, McpOut, Site, Transport
from periplus.testing.clock import SettableClock


class NoMcp(McpOut):
    """These calls need no MCP."""


CALLING = Calling(principal=LOCAL, idempotency_key="k1")


async def call(
    transport: Transport, tool: Tool, base: str, arguments: dict[str, Any] | None = None, **more: Any
) -> Answer:
    """One call of a tool whose source answers at this base; `more` is what its document said, or its operator."""
    spec = {name: more.pop(name) for name in ("headers", "base_url") if name in more}
    site = Site(spec=SourceSpec(id="harbour", kind=transport.kind, url=base, **spec), site={"base": base, **more})
    prepared = transport.prepare(tool, site, arguments or {}, CALLING)
    fetcher = Fetcher(FetchPolicy())
    http = HttpCalls(fetcher, SettableClock())
    try:
        return await transport.send(prepared, tool, site, CALLING, CallWires(http=http, mcp=NoMcp()))
    finally:
        await http.close()
        await fetcher.close()
