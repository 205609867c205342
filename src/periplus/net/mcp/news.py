"""Hearing that a server's lists have changed: its own word, by subscription where its revision has them (S-93)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import count
from typing import Any

import anyio
from mcp.shared.dispatcher import Outbound
from mcp.shared.exceptions import MCPError

from periplus.net.mcp.hello import Hello, Voice, stamped
from periplus.net.mcp.notices import MISSED
from periplus.net.mcp.refusals import is_closed
from periplus.net.mcp.timing import Timing

_METHOD = "subscriptions/listen"
_MOST_FAILURES = 5


async def subscribe(
    wire: Outbound, voice: Voice, hello: Hello, timing: Timing, on_notice: Callable[[str, Mapping[str, Any]], None]
) -> None:
    """Keep a subscription to changes of lists open for as long as the session; notices come as all others do."""
    wanted = _wanted(hello.capabilities)
    if not hello.is_modern or not wanted:
        return
    failures = 0
    for number in count(1):
        params, options = stamped(hello.protocol, voice, _METHOD, {"notifications": wanted})
        options |= {"request_id": f"listen-{number}", "cancel_on_abandon": False}
        began = anyio.current_time()
        try:
            await wire.send_raw_request(_METHOD, params, options)
        except MCPError as error:
            if is_closed(error):
                return
        failures = 1 if anyio.current_time() - began > timing.retry_most_seconds else failures + 1
        if failures > _MOST_FAILURES:
            return
        await anyio.sleep(timing.retry_after(failures))
        on_notice(MISSED, {})


def _wanted(capabilities: Mapping[str, Any]) -> dict[str, bool]:
    """Those changes the server says it tells of."""
    return {
        f"{name}ListChanged": True
        for name in ("tools", "resources", "prompts")
        if isinstance(offer := capabilities.get(name), dict) and offer.get("listChanged") is True
    }
