"""What happened: one event per verb, from which search -> choose -> expand -> call can be read back."""

from __future__ import annotations

import hashlib
from typing import Any

import msgspec

VERBS = ("connect", "browse", "search", "describe", "call", "run", "plan", "grant")


class Event(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One row of the audit trail."""

    verb: str
    at: str  # RFC 3339, UTC
    trace: str
    principal: str
    tenant: str = ""
    span: str = ""  # its own place in the trace
    parent: str = ""  # the span it happened in
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


class Recorded(msgspec.Struct, frozen=True, kw_only=True):
    """An event in its place: each row's hash covers the row before it, so none can be changed or taken out."""

    seq: int
    event: Event
    previous: str
    hash: str


_encode = msgspec.json.Encoder(order="deterministic").encode
START = "0" * 64
"""What the first row's hash covers."""


def event_text(event: Event) -> bytes:
    """The one text of an event: what is stored, and what its hash covers."""
    return _encode(event)


def chained(seq: int, event: bytes, previous: str) -> str:
    """The hash of a row: its number, its event as it is stored, and the hash of the row before."""
    return hashlib.sha256(b"%d\0%b\0" % (seq, previous.encode()) + event).hexdigest()


class EventFilter(msgspec.Struct, frozen=True, kw_only=True):
    """Which events; what is empty does not matter."""

    tenant: str | None = None
    session: str = ""
    trace: str = ""
    subject: str = ""  # a ref; with `*` at its end, a prefix
    principal: str = ""
    verb: str = ""
    outcome: str = ""
