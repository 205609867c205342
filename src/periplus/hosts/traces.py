"""Trace ids: taken over from a caller that has one, else made."""

from __future__ import annotations

import re

from periplus.ports import Clock

_TRACEPARENT = re.compile(r"[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}(?:-.*)?")
_NONE = "0" * 32


def trace_of(traceparent: str | None, clock: Clock) -> str:
    """The trace of a W3C `traceparent`, or a new one where there is none that holds."""
    found = _TRACEPARENT.fullmatch(traceparent) if traceparent else None
    if found and found[1] != _NONE:
        return found[1]
    return clock.token(16).hex()
