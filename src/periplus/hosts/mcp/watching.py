"""Clients that watch pinned resources: each hears of those it asked for, for as long as it may see them.

A client of the handshake revisions subscribes for its session, a later one opens a stream of its own.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from weakref import WeakKeyDictionary

import anyio
import mcp_types as types
from mcp.server.connection import Connection
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ResourceUpdated, ServerEvent
from mcp.shared.exceptions import MCPError

from periplus.core.gateway import Gateway
from periplus.hosts.mcp.connections import Context, connection_of
from periplus.hosts.mcp.direct import Pinned
from periplus.hosts.mcp.news import News
from periplus.model import Principal, Problem
from periplus.ports import Stop

_log = logging.getLogger("periplus.hosts")
_MOST_RESOURCES = 1_000  # of one session or stream
_MOST_STREAMS = 1_024
_SLOW_S = 5.0  # a client that does not read misses what it is told
Tell = Callable[[str], Awaitable[None]]


class Watcher:
    """A session or a stream: who it is, how it is told, and what it watches."""

    def __init__(self, principal: Principal, tell: Tell) -> None:
        self.principal = principal
        self.tell = tell
        self.lock = anyio.Lock()
        self._stops: dict[str, Stop] = {}
        self._is_over = False

    @property
    def uris(self) -> list[str]:
        return list(self._stops)

    def begin(self, uri: str, stop: Stop) -> None:
        """It is watched from now on, unless all is over meanwhile."""
        if self._is_over:
            stop()
        else:
            self._stops[uri] = stop

    def drop(self, uri: str) -> None:
        """No longer watch this; what never was is as good as dropped."""
        if (stop := self._stops.pop(uri, None)) is not None:
            stop()

    def end(self) -> None:
        """Watch nothing any more."""
        self._is_over = True
        for uri in self.uris:
            self.drop(uri)


class Watching:
    """All that the clients of a host watch."""

    def __init__(self, gateway: Gateway, pinned: Pinned, news: News) -> None:
        self._gateway = gateway
        self._pinned = pinned
        self._news = news
        self._sessions: WeakKeyDictionary[Connection, Watcher] = WeakKeyDictionary()
        self._streams = 0
        self._due: dict[tuple[Watcher, str], None] = {}
        self._told = anyio.Event()

    async def subscribe(self, context: Context, uri: str, principal: Principal) -> None:
        """For as long as the client's session lasts."""
        connection = connection_of(context)
        if not connection.has_standalone_channel:
            raise MCPError(types.INVALID_REQUEST, "no session is kept here in which you could be told of changes")
        watcher = self._sessions.get(connection)
        if watcher is None:
            watcher = self._sessions[connection] = Watcher(principal, connection.send_resource_updated)
            connection.exit_stack.callback(watcher.end)
        try:
            await self._watch(watcher, uri)
        except Problem as problem:
            raise MCPError(problem.code.status.rpc, problem.message, {"uri": uri}) from problem

    def unsubscribe(self, context: Context, uri: str) -> None:
        """End one subscription of a session."""
        if (watcher := self._sessions.get(connection_of(context))) is not None:
            watcher.drop(uri)

    async def listen(
        self, context: Context, params: types.SubscriptionsListenRequestParams, principal: Principal
    ) -> types.SubscriptionsListenResult:
        """One stream: changes of lists, and inside those resources that its client may see."""
        if self._streams >= _MOST_STREAMS:
            raise MCPError(types.INTERNAL_ERROR, f"there are {_MOST_STREAMS} subscriptions; end one first")
        stream = _Stream(self._news.bus)
        watcher = Watcher(principal, stream.tell)
        self._streams += 1
        try:
            for uri in dict.fromkeys(params.notifications.resource_subscriptions or ()):
                with suppress(Problem, MCPError):  # what is not honoured is missing in the acknowledgement
                    await self._watch(watcher, uri)
            honoured = {"resource_subscriptions": watcher.uris or None}
            wanted = params.notifications.model_copy(update=honoured)
            async with self._news.wanted():
                return await ListenHandler(stream)(context, params.model_copy(update={"notifications": wanted}))
        finally:
            self._streams -= 1
            watcher.end()

    async def pass_on(self) -> None:
        """Tell clients what changed, for as long as this runs; a slow one delays no other."""
        async with anyio.create_task_group() as tasks:
            while True:
                await self._told.wait()
                self._told = anyio.Event()
                due, self._due = self._due, {}
                for watcher, uri in due:
                    tasks.start_soon(self._tell, watcher, uri)

    async def _tell(self, watcher: Watcher, uri: str) -> None:
        try:
            shelf = await self._pinned.shelf(watcher.principal)
        except Problem as problem:
            _log.warning("nobody is told of %s: %s", uri, problem.message)
            return
        if uri in watcher.uris and shelf.resource(uri) is not None:
            with anyio.move_on_after(_SLOW_S):
                await watcher.tell(uri)

    async def _watch(self, watcher: Watcher, uri: str) -> None:
        async with watcher.lock:
            if uri in watcher.uris:
                return
            if len(watcher.uris) >= _MOST_RESOURCES:
                raise MCPError(types.INVALID_PARAMS, f"{_MOST_RESOURCES} resources are the most that can be watched")
            found = (await self._pinned.shelf(watcher.principal)).resource(uri)
            if found is None:
                raise MCPError(types.INVALID_PARAMS, f"there is no resource {uri[:200]!r}", {"uri": uri})
            tool, _ = found
            heard = partial(self._heard, watcher)
            watcher.begin(uri, await self._gateway.watch(str(tool.ref), uri, heard, principal=watcher.principal))

    def _heard(self, watcher: Watcher, uri: str) -> None:
        self._due[watcher, uri] = None
        self._told.set()


class _Stream:
    """What the SDK's handler of one stream listens to: changes of lists for all, of resources for it alone."""

    def __init__(self, bus: InMemorySubscriptionBus) -> None:
        self._bus = bus
        self._deliver: Callable[[ServerEvent], None] | None = None

    async def publish(self, event: ServerEvent) -> None:
        await self._bus.publish(event)

    def subscribe(self, listener: Callable[[ServerEvent], None]) -> Callable[[], None]:
        self._deliver = listener
        return self._bus.subscribe(listener)

    async def tell(self, uri: str) -> None:
        """Let this stream say that a resource is another one."""
        if self._deliver is not None:
            self._deliver(ResourceUpdated(uri=uri))
