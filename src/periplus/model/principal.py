"""Who asks, and in which conversation."""

from __future__ import annotations

from typing import Any

import msgspec


class Principal(msgspec.Struct, frozen=True, kw_only=True):
    """An authenticated caller; two tenants share nothing."""

    id: str
    tenant: str = ""
    scopes: frozenset[str] = frozenset()

    @property
    def is_admin(self) -> bool:
        return "admin" in self.scopes

    @property
    def guest(self) -> str:
        """How sources name those who connected them; no two callers are named alike, whatever their names hold."""
        tenant = self.tenant.replace("%", "%25").replace("/", "%2F")
        return f"{tenant}/{self.id}"


LOCAL = Principal(id="local", scopes=frozenset({"admin"}))
"""The operator at their own machine: the command line and a library caller."""


class Session(msgspec.Struct, frozen=True, kw_only=True):
    """What one conversation remembers: a named slot per face, versioned for compare-and-swap."""

    id: str
    principal: str
    tenant: str = ""
    version: int = 0
    slots: dict[str, dict[str, Any]] = {}
