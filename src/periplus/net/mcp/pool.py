"""Sessions with MCP servers: one per source, begun at first need, shared by all callers, ended with the gateway.

No call waits for another server's, and nothing of the SDK is imported before the first link: that import costs
0.4 s and 64 MB.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack, contextmanager
from functools import partial
from types import ModuleType, TracebackType
from typing import TYPE_CHECKING, Any, Self, cast

import anyio
import anyio.to_thread
import msgspec
from anyio.abc import TaskGroup

from periplus.model import LOCAL, Code, Principal, Problem, SourceSpec
from periplus.net.credentials import ReadSecret, read_reference
from periplus.net.mcp.blame import named
from periplus.net.mcp.journal import Journal
from periplus.net.mcp.launch import launch
from periplus.net.mcp.lists import read_lists
from periplus.net.mcp.notices import MISSED
from periplus.net.mcp.seat import Hear, Seat
from periplus.net.mcp.timing import Timing
from periplus.net.mcp.watching import Watches
from periplus.ports import Dialogue, Listener, McpListing, Stop, Told

if TYPE_CHECKING:
    import httpx2
    from mcp.shared.dispatcher import ProgressFnT

    from periplus.net.mcp.link import Link

Learn = Callable[[Iterable[str]], None]
"""Told the secrets that go out, so that they come back in no message."""

Transports = Callable[[SourceSpec, Principal, Learn], "httpx2.AsyncBaseTransport"]
"""Gives the guarded transport of a source for somebody; it stays the giver's to close."""

Place = tuple[str, str, str]
"""Whose session it is: a source, and where each principal has its own, tenant and name."""

OnNotice = Callable[[str, str, Mapping[str, Any]], None]
"""Told each notification of a server: its source, the method and the parameters."""


def unheard(_source: str, _method: str, _params: Mapping[str, Any]) -> None:
    """Take no notice."""


class McpPool:
    """`McpLinks` for the whole gateway. Use as an async context manager; leaving it ends every server."""

    def __init__(
        self,
        transports: Transports,
        *,
        environ: Mapping[str, str],
        reveal: ReadSecret = read_reference,
        timing: Timing | None = None,
        version: str = "",
        on_notice: OnNotice = unheard,
    ) -> None:
        self._transports = transports
        self._environ = environ
        self._reveal = reveal
        self._timing = timing or Timing()
        self._version = version
        self._on_notice = on_notice
        self._seats: dict[Place, Seat] = {}
        self._left: dict[Place, Watches] = {}  # what was watched where a session was ended, until there is another
        self._stack = AsyncExitStack()
        self._tasks: TaskGroup | None = None

    async def __aenter__(self) -> Self:
        self._tasks = await self._stack.enter_async_context(anyio.create_task_group())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for seat in self._seats.values():
            seat.leave()
        # The body's own exception is not the servers': it leaves as it came, not wrapped in a group.
        await self._stack.aclose()

    async def listing(self, spec: SourceSpec) -> McpListing:
        """What the server has, read whole. A session that turns out to be dead is replaced once."""
        with _deadline(spec, self._timing.list_seconds):
            link, was_open = await self._seat(spec).link()
            try:
                return await self._read(spec, link)
            except Problem as problem:
                if not was_open or link.is_open or not problem.retryable:
                    raise
            link, _ = await self._seat(spec).link()
            return await self._read(spec, link)

    async def request(  # noqa: PLR0913 - each says one thing about a request
        self,
        spec: SourceSpec,
        method: str,
        params: Mapping[str, Any] | None = None,
        *,
        principal: Principal = LOCAL,
        timeout_s: float | None = None,
        headers: Mapping[str, str] | None = None,
        on_progress: ProgressFnT | None = None,
        dialogue: Dialogue | None = None,
        listener: Listener | None = None,
    ) -> dict[str, Any]:
        """One request over the shared session; the result as it came on the wire."""
        limit = timeout_s or spec.timeout_seconds or self._timing.request_seconds
        with _deadline(spec, limit):
            seat = self._seat(spec, principal)
            link, was_open = await seat.link()
            if not was_open or seat.is_stale:
                self._on_notice(spec.id, MISSED, {})
            found = await link.request(
                method,
                params,
                timeout_s=limit,
                headers=headers,
                on_progress=on_progress,
                principal=principal,
                dialogue=dialogue,
                listener=listener,
            )
        return cast("dict[str, Any]", seat.journal.without_secrets(found))

    async def watch(self, spec: SourceSpec, uri: str, told: Told, *, principal: Principal = LOCAL) -> Stop:
        """Have changes inside a resource told, until what this returns is called."""
        with _deadline(spec, spec.timeout_seconds or self._timing.request_seconds):
            await self._seat(spec, principal).watches.add(uri, told)

        def stop() -> None:
            place = _place(spec, principal)
            seat = self._seats.get(place)
            watches = seat.watches if seat else self._left.get(place)
            if watches is not None:
                watches.remove(uri, told)

        return stop

    def stderr(self, source: str) -> Sequence[str]:
        """The last lines a server wrote or logged, redacted."""
        own = (seat for place, seat in self._seats.items() if place[0] == source)
        return tuple(line for seat in own for line in seat.journal.lines)

    async def close(self, source: str | None = None) -> None:
        """End one server's session, or all; the next use begins a new one."""
        places = [place for place in self._seats if source in {None, place[0]}]
        ended = {place: self._seats.pop(place) for place in places}
        seats = list(ended.values())
        for place, seat in ended.items():
            seat.leave()
            if not seat.watches.are_empty:
                self._left[place] = seat.watches
        for seat in seats:
            await seat.gone()

    async def _read(self, spec: SourceSpec, link: Link) -> McpListing:
        async def ask(method: str, params: Mapping[str, Any]) -> dict[str, Any]:
            limit = spec.timeout_seconds or self._timing.request_seconds
            return await link.request(method, params, timeout_s=limit)

        hello = link.hello
        if hello is None:  # it ended between being given and being used
            raise link.failure or Problem(Code.UNAVAILABLE, f"source {spec.id!r} is not connected")
        seat = self._seat(spec)
        journal = seat.journal
        try:
            found = await read_lists(ask, spec.offers, hello.server, hello.capabilities, hello.protocol, self._timing)
        except Problem as problem:
            raise named(spec.id, problem, journal.masked) from problem
        seat.listed(found.fresh_seconds)
        return msgspec.structs.replace(found, notes=tuple(map(journal.masked, (*found.notes, *journal.notes))))

    def _seat(self, spec: SourceSpec, principal: Principal = LOCAL) -> Seat:
        """The place of this source; another definition under the same name takes the old one's."""
        place = _place(spec, principal)
        seat = self._seats.get(place)
        if seat is not None and seat.spec == spec:
            return seat
        if self._tasks is None:
            raise Problem(Code.UNAVAILABLE, "the pool of MCP sessions is not open")
        make = partial(self._make, principal if place[2] else LOCAL)
        fresh = self._seats[place] = Seat(spec, make, self._tasks, self._timing)
        if (watched := seat.watches if seat else self._left.pop(place, None)) is not None:
            fresh.watches.take(watched)
        if seat is not None:
            seat.leave()
        return fresh

    async def _make(self, principal: Principal, spec: SourceSpec, journal: Journal, hear: Hear) -> Link:
        made = launch(spec, self._environ, self._reveal)
        journal.begin(made.secrets)
        module = await anyio.to_thread.run_sync(_link_module)

        def transport() -> httpx2.AsyncBaseTransport:
            # What is granted is the address itself, not the variables it was written with.
            return self._transports(msgspec.structs.replace(spec, url=made.url), principal, journal.learn)

        def on_notice(method: str, params: Mapping[str, Any]) -> None:
            hear(method, params)
            self._on_notice(spec.id, method, params)

        link: Link = module.link_to(made, journal, self._timing, self._version, transport, on_notice)
        return link


def _place(spec: SourceSpec, principal: Principal) -> Place:
    own = spec.per_principal and principal != LOCAL
    return (spec.id, principal.tenant, principal.id) if own else (spec.id, "", "")


def _link_module() -> ModuleType:
    """The part that needs the SDK, imported once, in a thread so that nobody waits for it."""
    return importlib.import_module("periplus.net.mcp.link")


@contextmanager
def _deadline(spec: SourceSpec, seconds: float) -> Generator[None]:
    try:
        with anyio.fail_after(seconds):
            yield
    except TimeoutError as error:
        raise Problem(Code.TIMEOUT, f"source {spec.id!r} did not answer in {seconds:g} s", retryable=True) from error
