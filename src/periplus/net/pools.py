"""Connections by origin and identity: callers whom an upstream tells apart never share one (S-68)."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from periplus.model import CredentialSpec
from periplus.net.fetcher import Fetcher
from periplus.net.guard import Grant

if TYPE_CHECKING:
    from periplus.net.transport import GuardedTransport

_MOST = 256
Key = tuple[Grant, str, tuple[str, ...]]


class _Pool:
    def __init__(self, transport: GuardedTransport) -> None:
        self.transport = transport
        self.lent = 0
        self.used = 0.0


class Pools:
    """One pool for each origin and identity; those nobody used for a while are closed."""

    def __init__(self, fetcher: Fetcher) -> None:
        self._fetcher = fetcher
        self._pools: OrderedDict[Key, _Pool] = OrderedDict()  # least recently used first

    @asynccontextmanager
    async def lent(
        self, grant: Grant, origin: str, identity: tuple[str, ...], certificate: CredentialSpec | None
    ) -> AsyncGenerator[GuardedTransport]:
        """The connections of one origin and identity, kept open while they are in use."""
        key = (grant, origin, identity)
        pool = self._pools.get(key)
        if pool is None:
            files = None if certificate is None else (certificate.certificate, certificate.private_key)
            pool = self._pools[key] = _Pool(self._fetcher.opened(grant, files))
        self._pools.move_to_end(key)
        pool.lent += 1
        try:
            await self._sweep()
            yield pool.transport
        finally:
            pool.lent -= 1
            pool.used = time.monotonic()

    async def close(self) -> None:
        pools, self._pools = self._pools, OrderedDict()
        for pool in pools.values():
            await pool.transport.aclose()

    async def _sweep(self) -> None:
        """Close what is idle for long, oldest first, and more than that when there are too many."""
        now = time.monotonic()
        for key, pool in list(self._pools.items()):
            idle = not pool.lent and now - pool.used > self._fetcher.limits.idle_seconds
            if not idle and len(self._pools) <= _MOST:
                return
            if not pool.lent:
                del self._pools[key]
                await pool.transport.aclose()
