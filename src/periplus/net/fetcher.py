"""The way out for reading, bound to a source: what its operator wrote decides what it may reach and who it is."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread

from periplus.model import Code, Problem, SourceSpec
from periplus.net.credentials import Credentials, ReadSecret, read_reference, resolve, wary
from periplus.net.files import is_file, judge_file, path_of, read_file
from periplus.net.guard import NO_GRANT, FetchPolicy, Grant, judge_reference, judge_target
from periplus.net.limits import Ceiling, FetchLimits
from periplus.net.urls import DEFAULT_PORTS, Target, parse_target, scheme_of
from periplus.ports import Fetch, Fetched, FetchRequest

if TYPE_CHECKING:
    from ssl import SSLContext

    from periplus.net.transport import GuardedTransport
    from periplus.net.wire import Resolve


Lend = Callable[[SourceSpec, Target], Awaitable[Credentials]]  # the credentials of `[[credentials]]` for a reading


async def lend_none(_spec: SourceSpec, _target: Target) -> Credentials:
    """For a gateway that has none."""
    return Credentials()


class Fetcher:
    """Every source's way out. Sources that were granted the same places share connections; no others do.

    `lend` gives what is read the credentials that its calls have; whoever has them sets it.
    """

    def __init__(
        self,
        policy: FetchPolicy,
        limits: FetchLimits | None = None,
        *,
        resolve: Resolve | None = None,
        read_secret: ReadSecret = read_reference,
        user_agent: str = "periplus",
    ) -> None:
        self.policy = policy
        self.limits = limits or FetchLimits()
        self.read_secret = read_secret
        self.user_agent = user_agent
        self.lend: Lend = lend_none
        self._resolve = resolve
        self._transports: dict[Grant, GuardedTransport] = {}
        self._tls: SSLContext | None = None

    def for_source(self, spec: SourceSpec) -> Fetch:
        """The port, bound to one source."""
        return _SourceFetch(self, spec, self.lend)

    def anonymous(self, spec: SourceSpec) -> Fetch:
        """The same without credentials, for those who are about to get one."""
        return _SourceFetch(self, spec, lend_none)

    def transport(self, spec: SourceSpec) -> GuardedTransport:
        """The guarded transport of a source, for libraries that bring their own use of httpx2."""
        return self.transport_of(grant_of(spec))

    def transport_of(self, grant: Grant) -> GuardedTransport:
        """The guarded transport of everybody who was granted exactly these places."""
        if grant not in self._transports:
            self._transports[grant] = self.opened(grant)
        return self._transports[grant]

    async def close(self) -> None:
        """Close all connections."""
        transports, self._transports = self._transports, {}
        for transport in transports.values():
            await transport.aclose()

    def opened(self, grant: Grant, certificate: tuple[str, str] | None = None) -> GuardedTransport:
        """Fresh connections for these places, shared with nobody; a client certificate and its key as files."""
        # The HTTP library takes 300 ms to import on a cold machine; commands that fetch nothing do without it.
        from periplus.net.transport import GuardedTransport, tls_context, with_certificate  # noqa: PLC0415
        from periplus.net.wire import system_resolve  # noqa: PLC0415

        if self._tls is None:  # the system's roots take a while to load, and are the same for all
            self._tls = tls_context(self.policy)
        return GuardedTransport(
            self.policy,
            grant,
            tls=self._tls if certificate is None else with_certificate(self.policy, *certificate),
            resolve=self._resolve or system_resolve,
            limits=self.limits,
        )


class _SourceFetch:
    """`Fetch` for one source."""

    def __init__(self, fetcher: Fetcher, spec: SourceSpec, lend: Lend) -> None:
        self._fetcher = fetcher
        self._spec = spec
        self._lend = lend
        self._grant = grant_of(spec)
        self._origins = frozenset(target.origin for target in written(spec))

    async def send(self, request: FetchRequest) -> Fetched:
        seconds = request.timeout_s
        if seconds is None:
            seconds = self._fetcher.policy.timeout_seconds
        with anyio.move_on_after(seconds):
            return await (self._file(request) if is_file(request.url) else self._http(request))
        shown = str(path_of(request.url)) if is_file(request.url) else parse_target(request.url).shown
        key = " ([fetch] timeout_seconds)" if request.timeout_s is None else ""
        raise Problem(Code.TIMEOUT, f"{shown} did not answer completely within {seconds:g} s{key}", retryable=True)

    async def _file(self, request: FetchRequest) -> Fetched:
        path = path_of(request.url)
        real = judge_file(self._spec, self._fetcher.policy.file_roots, request.url, request.root)
        return await read_file(path, real, request.validators, self._ceiling(request))

    async def _http(self, request: FetchRequest) -> Fetched:
        from periplus.net.client import Exchange, fetch  # noqa: PLC0415 - see Fetcher.opened

        target = parse_target(request.url)
        judge_target(self._fetcher.policy, self._grant, target, unresolved=bool(self._fetcher.policy.proxy))
        if request.root:
            judge_reference(self._fetcher.policy, None if is_file(request.root) else parse_target(request.root), target)
        credentials = await self._credentials(target)
        exchange = Exchange(
            transport=self._fetcher.transport_of(self._grant),
            limits=self._fetcher.limits,
            ceiling=self._ceiling(request),
            credentials=credentials,
            user_agent=self._fetcher.user_agent,
        )
        try:
            return await fetch(exchange, request, target)
        except Problem as problem:
            if not credentials.secrets:
                raise
            raise credentials.redacted(problem) from problem.__cause__

    async def _credentials(self, target: Target) -> Credentials:
        spec = self._spec
        if target.origin not in self._origins:
            return Credentials()
        lent = await self._lend(spec, target)
        if not (spec.headers or spec.query):
            return lent
        return lent | wary(await anyio.to_thread.run_sync(resolve, spec, self._fetcher.read_secret))

    def _ceiling(self, request: FetchRequest) -> Ceiling:
        if request.limit_bytes is not None:
            return Ceiling(bytes=request.limit_bytes)
        return Ceiling(bytes=self._fetcher.limits.document_bytes, key="[limits] document_bytes")


def written(spec: SourceSpec) -> list[Target]:
    """The URLs that stand in a source's table."""
    found: list[Target] = []
    for text in (spec.url, spec.base_url, spec.endpoint):
        if scheme_of(text) in DEFAULT_PORTS:
            try:
                found.append(parse_target(text))
            except Problem:  # what is no URL grants nothing; whoever sends to it is told
                continue
    return found


def grant_of(spec: SourceSpec) -> Grant:
    """The places a source may reach wherever they are: those its operator wrote. A face grants nothing."""
    return frozenset(target.place for target in written(spec)) if spec.trusted else NO_GRANT


__all__ = ["FetchLimits", "Fetcher", "grant_of", "written"]
