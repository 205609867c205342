"""Changes of what is listed, for clients that subscribed to them (`subscriptions/listen`)."""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import anyio
from mcp.server.subscriptions import (
    InMemorySubscriptionBus,
    PromptsListChanged,
    ResourcesListChanged,
    ServerEvent,
    ToolsListChanged,
)

from periplus.core.gateway import Gateway
from periplus.hosts.desk import Desk
from periplus.model import Problem, Tool

_log = logging.getLogger("periplus.hosts")
_LOOK_S = 1.0
_EVENTS: dict[str, ServerEvent] = {
    "tools": ToolsListChanged(),
    "prompts": PromptsListChanged(),
    "resources": ResourcesListChanged(),
}
_LISTS = {"resources/read": "resources", "prompts/get": "prompts"}


class News:
    """Looks at what a face and the pinned sources list, and says which of the lists changed."""

    def __init__(self, gateway: Gateway, desk: Desk) -> None:
        self._gateway = gateway
        self._desk = desk
        self.bus = InMemorySubscriptionBus()
        self._nudged = anyio.Event()
        self._wanted = anyio.Event()
        self._listeners = 0
        self._before: dict[str, Any] | None = None

    @asynccontextmanager
    async def wanted(self) -> AsyncGenerator[None]:
        """Somebody listens while the block runs; what changes from its beginning on is told."""
        if not self._listeners:
            self._before = await self._listed()
        self._listeners += 1
        self._wanted.set()
        try:
            yield
        finally:
            self._listeners -= 1

    def look(self) -> None:
        """Look now: there is something new."""
        self._nudged.set()

    async def watch(self) -> None:
        """Look until cancelled, while anybody listens. A look costs one read of the sources while nothing is pinned."""
        while True:
            await self._wanted.wait()
            while self._listeners:
                with anyio.move_on_after(_LOOK_S):
                    await self._nudged.wait()
                self._nudged = anyio.Event()
                await self._compare(await self._listed())
            self._wanted = anyio.Event()

    async def _compare(self, now: dict[str, Any] | None) -> None:
        before, self._before = self._before, now or self._before
        for name, event in _EVENTS.items():
            if before is not None and now is not None and before[name] != now[name]:
                await self.bus.publish(event)

    async def _listed(self) -> dict[str, Any] | None:
        """What stands in each list, as something that can be compared; None while the store is away."""
        try:
            pinned = await self._gateway.direct()
        except Problem as problem:
            _log.warning("the pinned tools cannot be listed: %s", problem.message)
            return None
        listed = _by_list(pinned)
        operations = [(one.name, one.description) for one in self._desk.face.operations]
        return listed | {"tools": (operations, listed["tools"])}


def _by_list(pinned: Sequence[Tool]) -> dict[str, Any]:
    found: dict[str, list[tuple[str, str]]] = {name: [] for name in _EVENTS}
    for tool in pinned:
        found[_LISTS.get(str(tool.binding.get("method")), "tools")].append((str(tool.ref), tool.fingerprint))
    return dict(found)
