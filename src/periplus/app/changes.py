"""Servers that say their lists have changed: each is read again, once it is quiet, and not too often (S-93)."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Any

import anyio

from periplus.core.gateway import Gateway
from periplus.model import Problem
from periplus.net.mcp import CHANGES

_log = logging.getLogger("periplus.changes")
_MOST_PAUSE_S = 60.0


class Changes:
    """What servers told, until it has been looked into. One server's reading delays no other's."""

    def __init__(self, quiet_s: float = 1.0) -> None:
        self._quiet_s = quiet_s
        self._due: set[str] = set()
        self._reading: set[str] = set()
        self._looked: dict[str, tuple[float, float]] = {}  # when, and how long to wait if it is soon again
        self._told = anyio.Event()
        self.listeners: list[Callable[[], None]] = []  # called when the catalog is another one

    def heard(self, source: str, method: str, _params: Mapping[str, Any]) -> None:
        """Take note of a server's notification."""
        if method in CHANGES:
            self._due.add(source)
            self._told.set()

    async def follow(self, gateway: Gateway) -> None:
        """Read again what is due, for as long as this runs."""
        async with anyio.create_task_group() as tasks:
            while True:
                await self._told.wait()
                self._told = anyio.Event()
                for source in self._due - self._reading:
                    self._reading.add(source)
                    tasks.start_soon(self._read, gateway, source)

    async def _read(self, gateway: Gateway, source: str) -> None:
        # Who cries wolf is looked after less and less; who has something to tell, at once.
        when, pause = self._looked.get(source, (-_MOST_PAUSE_S, self._quiet_s))
        if anyio.current_time() - when > _MOST_PAUSE_S:
            pause = self._quiet_s
        await anyio.sleep(pause)
        self._due.discard(source)
        same = True
        try:
            same = (await gateway.sync(source)).unchanged
            for listener in () if same else self.listeners:
                listener()
        except Problem as problem:
            _log.warning("%s could not be read again: %s", source, problem.message)
        self._looked[source] = (anyio.current_time(), min(pause * 2, _MOST_PAUSE_S) if same else self._quiet_s)
        self._reading.discard(source)
        if source in self._due:
            self._told.set()
