"""How finely a server logs: as finely as anybody wants who calls it; who wants less is told less here."""

from __future__ import annotations

from contextlib import suppress

from mcp.shared.dispatcher import Outbound
from mcp.shared.exceptions import MCPError

from periplus.net.mcp.hello import Hello, Voice, stamped
from periplus.ports import UNSAID, Listener, is_finer

_METHOD = "logging/setLevel"


class LogLevel:
    """The level a session was last set to; later revisions say theirs with each request."""

    def __init__(self) -> None:
        self._level = ""

    async def reach(self, listener: Listener | None, wire: Outbound, voice: Voice, hello: Hello) -> None:
        """Set the session to the level of a listener who says one, where it logs less as yet."""
        if listener is None or not listener.level or hello.is_modern or "logging" not in hello.capabilities:
            return
        level = listener.level if is_finer(listener.level, UNSAID) else UNSAID
        if self._level and not is_finer(level, self._level):
            return
        params, options = stamped(hello.protocol, voice, _METHOD, {"level": level})
        with suppress(MCPError):  # one that declares it, and refuses, logs as it likes
            await wire.send_raw_request(_METHOD, params, options)
        self._level = level
