"""Where a request comes from: its conversation, and its place in a trace (W3C Trace Context)."""

from __future__ import annotations

import re
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol

import msgspec

from periplus.model import Event

_TRACEPARENT = re.compile(r"[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.*)?")


class Origin(msgspec.Struct, frozen=True, kw_only=True):
    """What everything done for one request has in common, and the work it is done in."""

    session: str = ""
    trace: str = ""  # 32 hexadecimal digits; empty: a new trace begins
    span: str = ""  # 16 of them: what the next event happens in
    begins: bool = False  # nobody sent it: a host made it up, so that there is something to ask for


_here: ContextVar[Origin] = ContextVar("periplus_origin", default=Origin())  # noqa: B039 - frozen


def here() -> Origin:
    """The origin of what this task is doing."""
    return _here.get()


@contextmanager
def within(origin: Origin) -> Generator[None]:
    """Do something for an origin: a host's outermost frame enters one for each request; tasks inherit it."""
    token = _here.set(origin)
    try:
        yield
    finally:
        _here.reset(token)


def begun(traceparent: str | None, session: str = "") -> Origin:
    """The origin of a request that came with this `traceparent`; what is not one is as good as none."""
    found = _TRACEPARENT.fullmatch((traceparent or "").strip())
    if not found or not int(found[1], 16) or not int(found[2], 16) or found[0].startswith("ff"):
        return Origin(session=session)
    return Origin(session=session, trace=found[1], span=found[2])


def traceparent(origin: Origin) -> str:
    """The header that goes out with requests made for an origin; empty outside a trace."""
    return f"00-{origin.trace}-{origin.span}-01" if origin.trace and origin.span else ""


class Span(Protocol):
    """A stretch of work in a trace; `origin` is that of what is done in it."""

    @property
    def origin(self) -> Origin: ...

    def end(self, event: Event) -> None:
        """It is over, and this is what happened."""
        ...


class Tracing(Protocol):
    """Who watches the work. Not here: what is kept of it, which is the ledger's."""

    def start(self, verb: str, origin: Origin) -> Span: ...
