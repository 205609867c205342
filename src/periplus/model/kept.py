"""A value too large to show whole, kept for its owner for a while."""

from __future__ import annotations

import msgspec


class Kept(msgspec.Struct, frozen=True, kw_only=True):
    """Sealed before it reaches a store: a backup of the data directory shows nobody's results."""

    id: str
    tenant: str
    principal: str
    tool: str
    sealed: bytes
    kept_at: float
    used_at: float
    ends_at: float


class Rate(msgspec.Struct, frozen=True):
    """A token bucket: so many at once, and so many more each second."""

    capacity: float
    per_second: float
