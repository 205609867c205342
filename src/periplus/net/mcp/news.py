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

LISTEN = "subscriptions/listen"
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
        began = anyio.current_time()
        try:
            await listen(wire, voice, hello, f"listen-{number}", wanted, farewell=False)
        except MCPError as error:
            if is_closed(error):
                return
        failures = 1 if anyio.current_time() - began > timing.retry_most_seconds else failures + 1
        if failures > _MOST_FAILURES:
            return
        await anyio.sleep(timing.retry_after(failures))
        on_notice(MISSED, {})


async def listen(
    wire: Outbound, voice: Voice, hello: Hello, name: str, wanted: Mapping[str, Any], *, farewell: bool = True
) -> None:
    """One subscription, until its server ends it or the caller is cancelled; what it tells comes as all notices do.

    `farewell`: the server is told of the end, which is not the session's.
    """
    params, options = stamped(hello.protocol, voice, LISTEN, {"notifications": dict(wanted)})
    await wire.send_raw_request(LISTEN, params, options | {"request_id": name, "cancel_on_abandon": farewell})


def _wanted(capabilities: Mapping[str, Any]) -> dict[str, bool]:
    """Those changes the server says it tells of."""
    return {
        f"{name}ListChanged": True
        for name in ("tools", "resources", "prompts")
        if isinstance(offer := capabilities.get(name), dict) and offer.get("listChanged") is True
    }
