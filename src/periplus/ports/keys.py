"""Keys that callers show, where any replica finds them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from periplus.model import ApiKey


class Keys(Protocol):
    """Not here: what a key may do, and whether the one that was shown is it. That is the core's."""

    async def add_key(self, key: ApiKey) -> None:
        """Keep a new one; `conflict` when its id is taken."""
        ...

    async def key(self, id_: str) -> ApiKey | None: ...

    async def keys(self, tenant: str | None) -> Sequence[ApiKey]:
        """All, or those of a tenant, in the order in which they were made."""
        ...

    async def revoke_key(self, id_: str, now: float) -> ApiKey | None:
        """Revoke it for good; the first time counts. None when there is none."""
        ...

    async def use_key(self, id_: str, now: float) -> None:
        """Write down that it was used; nobody waits for a disk."""
        ...
