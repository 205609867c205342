"""Which trace a request belongs to: that of a caller who has one, else one that begins here."""

from __future__ import annotations

from periplus.ports import Clock, Origin, begun


def origin_of(traceparent: str | None, clock: Clock) -> Origin:
    """The place of a request in a W3C trace; where none came, or none that holds, a new one."""
    found = begun(traceparent)
    if found.trace:
        return found
    return Origin(trace=clock.token(16).hex(), span=clock.token(8).hex(), begins=True)
