"""What happened: one event per verb, from which search -> choose -> expand -> call can be read back."""

from __future__ import annotations

from typing import Any

import msgspec

VERBS = ("connect", "browse", "search", "describe", "call", "run", "plan", "grant")


class Event(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One row of the audit trail."""

    verb: str
    at: str  # RFC 3339, UTC
    trace: str
    principal: str
    parent: str = ""
    session: str = ""
    subject: str = ""  # the ref, path or goal it was about
    shown: tuple[str, ...] = ()
    outcome: str = "ok"  # or a problem code
    rule: str = ""
    ms: float = 0.0
    bytes: int = 0
    tokens: int = 0
    detail: dict[str, Any] = {}

    def __post_init__(self) -> None:
        if self.verb not in VERBS:
            raise ValueError(f"not a verb of the core: {self.verb!r}; one of {', '.join(VERBS)}")
