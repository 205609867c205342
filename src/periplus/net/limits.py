"""How much a fetch may take, and the refusal of more."""

from __future__ import annotations

import msgspec

from periplus.model import Code, Problem


class FetchLimits(msgspec.Struct, frozen=True, kw_only=True):
    """The bounds of every fetch; those without a setting are fixed."""

    document_bytes: int = 128 * 1024 * 1024  # `[limits] document_bytes`
    redirects: int = 5
    connect_seconds: float = 5
    connections: int = 100
    idle_seconds: float = 60


class Ceiling(msgspec.Struct, frozen=True, kw_only=True):
    """How many bytes one answer may have, and whose word that is."""

    bytes: int
    key: str = ""  # the setting; empty when the request itself said so

    def exceeded(self, shown: str) -> Problem:
        """The refusal of something larger."""
        return Problem(
            Code.OVER_LIMIT,
            f"{shown} is larger than {self.bytes} bytes, the limit " + (self.key or "of this request"),
            hints=(f"raise {self.key} if it is meant",) if self.key else (),
        )
