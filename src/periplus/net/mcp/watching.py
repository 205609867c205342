"""Resources that somebody watches: their server is told of each once, and again whenever its session begins anew."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from itertools import count
from typing import TYPE_CHECKING, Any

import anyio
from anyio.abc import TaskGroup

from periplus.model import Code, Problem
from periplus.net.mcp.timing import Timing
from periplus.ports import Told

if TYPE_CHECKING:
    from periplus.net.mcp.link import Link

Reach = Callable[[], Awaitable[tuple["Link", bool]]]
"""Gives the open session, begun if there is none."""

_log = logging.getLogger("periplus.net")
_UPDATED = "notifications/resources/updated"
_ACKNOWLEDGED = "notifications/subscriptions/acknowledged"
_ID = "io.modelcontextprotocol/subscriptionId"
_SECONDS = 10.0
_PATIENCE_S = 2.0


class _Stream:
    """A subscription of the newest revision: all watched resources in one request that stays open."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.scope = anyio.CancelScope()
        self.settled = anyio.Event()  # acknowledged, or it never will be
        self.failure: Problem | None = None


class Watches:
    """What of one server is watched, and by whom; its session is kept open as long as anything is."""

    def __init__(self, reach: Reach, tasks: TaskGroup, timing: Timing) -> None:
        self._reach = reach
        self._tasks = tasks
        self._timing = timing
        self._by_uri: dict[str, list[Told]] = {}
        self._lock = anyio.Lock()
        self._changed = anyio.Event()
        self._numbers = count(1)
        self._link: Link | None = None
        self._asked: set[str] = set()  # of the present session
        self._stream: _Stream | None = None
        self._opening: _Stream | None = None
        self._missed = False
        self._keeping: anyio.CancelScope | None = None
        self._is_over = False

    @property
    def are_empty(self) -> bool:
        return not self._by_uri

    async def add(self, uri: str, told: Told) -> None:
        """Begin to watch; refused where the server refuses, or says that it tells nobody."""
        async with self._lock:
            link, _ = await self._reach()
            self._meet(link)
            if uri not in self._asked:
                await self._ask(link, {uri})
            self._by_uri.setdefault(uri, []).append(told)
        self._go_on()

    def remove(self, uri: str, told: Told) -> None:
        """No longer watch; the server is told when nobody does."""
        listeners = self._by_uri.get(uri, [])
        if told in listeners:
            listeners.remove(told)
        if not listeners:
            self._by_uri.pop(uri, None)
        self._changed.set()

    def take(self, other: Watches) -> None:
        """Go on with what another definition of the same server had to watch."""
        if other._by_uri:
            self._by_uri, other._by_uri = other._by_uri, {}
            self._missed = True
            self._go_on()
        other.end()

    def end(self) -> None:
        """Ask for nothing any more; who watches is known still, for another to go on with."""
        self._is_over = True
        if self._keeping is not None:
            self._keeping.cancel()
        if self._stream is not None:
            self._stream.scope.cancel()

    def hear(self, method: str, params: Mapping[str, Any]) -> None:
        """Take a server's notification; of a part of what is watched, too."""
        if method == _ACKNOWLEDGED:
            self._acknowledged(params)
        uri = params.get("uri") if method == _UPDATED else None
        if isinstance(uri, str):
            for watched in tuple(self._by_uri):
                if uri == watched or uri.startswith(f"{watched.rstrip('/')}/"):
                    self._tell(watched)

    def _tell(self, uri: str) -> None:
        for told in tuple(self._by_uri.get(uri, ())):
            told(uri)

    def _go_on(self) -> None:
        self._changed.set()
        if self._keeping is None and not self._is_over:
            self._keeping = anyio.CancelScope()
            self._tasks.start_soon(self._keep, self._keeping)

    async def _keep(self, scope: anyio.CancelScope) -> None:
        with scope:
            failures = 0
            while self._by_uri:
                try:
                    link, _ = await self._reach()
                    await self._settle(link)
                    failures = 0
                    with link.held():
                        await self._until_changed(link)
                    if not link.is_open:
                        await anyio.sleep(self._timing.retry_first_seconds)
                except Problem as problem:
                    failures += 1
                    _log.warning("resources cannot be watched: %s", problem.message)
                    await anyio.sleep(self._timing.retry_after(failures))
            if self._link is not None and self._link.is_open:
                with suppress(Problem):
                    await self._settle(self._link)
        self._keeping = None
        if self._by_uri:
            self._go_on()

    async def _until_changed(self, link: Link) -> None:
        async with anyio.create_task_group() as tasks:

            async def wait(event: anyio.Event) -> None:
                await event.wait()
                tasks.cancel_scope.cancel()

            tasks.start_soon(wait, self._changed)
            tasks.start_soon(wait, link.ended)
        self._changed = anyio.Event()

    def _meet(self, link: Link) -> None:
        if link is not self._link:
            self._missed = self._missed or self._link is not None
            self._link, self._asked, self._stream = link, set(), None

    async def _settle(self, link: Link) -> None:
        """Ask for what is watched and not asked for yet, take back the rest; say so where something was missed."""
        async with self._lock:
            self._meet(link)
            wanted = set(self._by_uri)
            if wanted - self._asked:
                await self._ask(link, wanted - self._asked)
            if self._asked - wanted:
                await self._take_back(link, self._asked - wanted)
            if self._missed:
                self._missed = False
                for uri in wanted:
                    self._tell(uri)

    async def _ask(self, link: Link, uris: set[str]) -> None:
        hello = link.hello
        offer = hello.capabilities.get("resources") if hello else None
        if hello is None or not isinstance(offer, dict) or offer.get("subscribe") is not True:
            raise Problem(Code.UNSUPPORTED, "the server tells nobody of changes inside its resources")
        if hello.is_modern:
            await self._listen(link, self._asked | uris)
        else:
            for uri in uris:
                try:
                    await link.request("resources/subscribe", {"uri": uri}, timeout_s=_SECONDS)
                except Problem:
                    if uri not in self._by_uri:  # it is only now wanted: whoever wants it hears why not
                        raise
                    _log.warning("%s is watched no more: its server refuses", uri)
        self._asked |= uris

    async def _take_back(self, link: Link, uris: set[str]) -> None:
        self._asked -= uris
        if link.hello is not None and link.hello.is_modern:
            if self._asked:
                await self._listen(link, self._asked)
            elif self._stream is not None:
                self._stream.scope.cancel()
                self._stream = None
            return
        for uri in uris:
            await link.request("resources/unsubscribe", {"uri": uri}, timeout_s=_SECONDS)

    async def _listen(self, link: Link, uris: set[str]) -> None:
        """Open a subscription to all of these; the one before it ends once this one is open."""
        stream = self._opening = _Stream(f"watch-{next(self._numbers)}")
        self._tasks.start_soon(self._hold_open, link, stream, sorted(uris))
        with anyio.move_on_after(_PATIENCE_S):  # some say nothing, and tell all the same
            await stream.settled.wait()
        if stream.failure is not None:
            raise stream.failure
        before, self._stream = self._stream, stream
        if before is not None:
            before.scope.cancel()

    async def _hold_open(self, link: Link, stream: _Stream, uris: list[str]) -> None:
        with stream.scope:
            try:
                await link.listen(stream.name, uris)
            except Problem as problem:
                stream.failure = problem
            stream.settled.set()
            if self._stream is stream:  # ended by the server
                self._stream, self._asked, self._missed = None, set(), True
                await anyio.sleep(self._timing.retry_first_seconds)
                self._changed.set()

    def _acknowledged(self, params: Mapping[str, Any]) -> None:
        meta = params.get("_meta")
        if self._opening is not None and isinstance(meta, dict) and meta.get(_ID) == self._opening.name:
            self._opening.settled.set()
