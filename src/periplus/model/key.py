"""An API key: who holds it, what it opens, and until when. The key itself is nowhere."""

from __future__ import annotations

import msgspec

from periplus.model.principal import Principal


class ApiKey(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What is kept of a key (T-21)."""

    id: str  # the part of it that may be shown
    digest: str  # SHA-256 of the whole key, which is too long to be guessed
    principal: str
    tenant: str = ""
    scopes: tuple[str, ...] = ()
    note: str = ""  # what it is for, in its maker's words
    made_by: str = ""
    made_at: float = 0.0
    expires_at: float = 0.0  # 0: never
    revoked_at: float = 0.0  # 0: it is not
    used_at: float = 0.0  # to the hour; 0: not yet

    @property
    def holder(self) -> Principal:
        """Whoever shows it."""
        return Principal(id=self.principal, tenant=self.tenant, scopes=frozenset(self.scopes))

    def state(self, now: float) -> str:
        """`active`, `expired` or `revoked`."""
        if self.revoked_at:
            return "revoked"
        return "expired" if self.expires_at and self.expires_at <= now else "active"
