"""What upstreams log while they work at a call, and who wants to hear it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import msgspec

LEVELS = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")
"""As MCP names them, the least serious first."""

UNSAID = "info"
"""From which level on those hear who do not say it."""


class Logged(msgspec.Struct, frozen=True, kw_only=True):
    """One message of an upstream's log."""

    level: str
    data: Any
    logger: str = ""


class Listener(msgspec.Struct, frozen=True, kw_only=True):
    """A caller that hears what an upstream logs during its call."""

    tell: Callable[[Logged], Awaitable[None]]
    level: str = ""  # from which on; empty: not said

    def wants(self, logged: Logged) -> bool:
        return LEVELS.index(logged.level) >= LEVELS.index(self.level or UNSAID)


def is_finer(level: str, other: str) -> bool:
    """Whether more is logged at this level than at the other."""
    return LEVELS.index(level) < LEVELS.index(other)
