"""The way out for calls: pooled connections, credentials at the last moment, redirects judged, one deadline."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import anyio
import msgspec

from periplus.model import LOCAL, Code, CredentialSpec, Principal, Problem, SourceSpec
from periplus.net.credentials import Credentials, check_header
from periplus.net.credentials.choosing import Asking
from periplus.net.credentials.desk import Desk, Handed
from periplus.net.credentials.endpoints import Endpoint
from periplus.net.credentials.logins import Logins
from periplus.net.fetcher import Fetcher, grant_of, written
from periplus.net.pools import Pools
from periplus.net.redirects import STATUSES, Hop, next_hop
from periplus.net.urls import Target, join, parse_target
from periplus.ports import (
    Calling,
    Clock,
    Fetched,
    FetchRequest,
    HttpReply,
    HttpRequest,
    Site,
    here,
    traceparent,
)

if TYPE_CHECKING:
    import httpx2

    from periplus.net.library import Begun

LONGEST_S = 300.0
_TOKEN_S, _TOKEN_BYTES = 20.0, 1 << 20
_LITTLE = 64 * 1024
_UNAUTHORIZED, _NOT_MODIFIED = 401, 304


class HttpCalls:
    """`HttpOut`: what is sent is what policy judged, plus credentials (S-61 to S-71)."""

    def __init__(
        self,
        fetcher: Fetcher,
        clock: Clock,
        *,
        credentials: Sequence[CredentialSpec] = (),
        logins: Logins | None = None,
    ) -> None:
        self._fetcher = fetcher
        self._desk = Desk(credentials, self._ask_for_token, clock, logins=logins, read_secret=fetcher.read_secret)
        self._pools = Pools(fetcher)

    async def close(self) -> None:
        """Close all connections."""
        await self._pools.close()

    async def lend(self, spec: SourceSpec, target: Target, *, principal: Principal = LOCAL) -> Credentials:
        """What a source's description is asked for with, or a session with it: the operator's, unless one's own."""
        handed = await self._desk.hand_out(
            Asking(spec=spec, target=target, principal=principal, document_url=spec.url, origins=_origins(spec)),
            fixed=False,
        )
        return handed.credentials

    @asynccontextmanager
    async def send(self, request: HttpRequest, site: Site, calling: Calling) -> AsyncGenerator[HttpReply]:
        """Send a request, and give its answer for as long as the block runs; leaving it early ends the transfer."""
        from periplus.net.library import Begun  # noqa: PLC0415 - see Fetcher.opened

        target = _target(request)
        seconds = min(calling.timeout_s, site.spec.timeout_seconds or LONGEST_S, LONGEST_S)
        trip = _Trip(self._fetcher, self._pools, self._desk, _asking(request, site, calling, target), Begun())
        with anyio.move_on_after(seconds) as deadline:
            try:
                async with trip.made(Hop(target=target, **_said(request, self._fetcher.user_agent))) as reply:
                    yield reply
            except Problem as problem:
                raise trip.told(problem) from problem.__cause__
        if deadline.cancelled_caught:
            raise trip.told(
                Problem(
                    Code.TIMEOUT,
                    f"{target.shown} did not answer completely within {seconds:.3g} s",
                    hints=("raise timeout_seconds of the source if it is meant",) if seconds < LONGEST_S else (),
                    retryable=True,
                )
            )

    async def _ask_for_token(self, request: FetchRequest, endpoint: Endpoint) -> Fetched:
        """A request to a token endpoint, through the guard; what the operator wrote there is granted."""
        spec = SourceSpec(id="token", url=endpoint.url, trusted=endpoint.is_written)
        bounded = msgspec.structs.replace(request, timeout_s=_TOKEN_S, limit_bytes=_TOKEN_BYTES)
        return await self._fetcher.anonymous(spec).send(bounded)


class _Trip:
    """One request on its way, with its redirects and its second try after a 401."""

    def __init__(self, fetcher: Fetcher, pools: Pools, desk: Desk, asking: Asking, begun: Begun) -> None:
        self._fetcher = fetcher
        self._pools = pools
        self._desk = desk
        self._asking = asking
        self._begun = begun
        self._secrets: frozenset[str] = frozenset()

    def told(self, problem: Problem) -> Problem:
        """The refusal as it may be shown, with the truth about whether anything was sent."""
        shown = Credentials(secrets=self._secrets).redacted(problem)
        if not self._begun.value:
            shown.details = shown.details | {"not_processed": True}
        return shown

    @asynccontextmanager
    async def made(self, hop: Hop) -> AsyncGenerator[HttpReply]:
        handed = await self._hand_out()
        tried_again = False
        for _ in range(self._fetcher.limits.redirects + 1):
            async with self._answer(hop, handed) as answer:
                renewed = None
                if answer.status_code == _UNAUTHORIZED and hop.at_home and not tried_again:
                    tried_again = True
                    challenges = answer.headers.get_list("www-authenticate")
                    sent = hop.method, _target_sent(answer)
                    renewed = await self._desk.renewed(handed, self._asking, challenges, sent)
                following = self._following(hop, answer) if renewed is None else hop
                if following is None:
                    yield _Reply(answer, hop, handed, self._secrets)
                    return
                await _drained(answer)
                hop, handed = following, renewed or handed
                self._secrets |= handed.credentials.secrets
        raise Problem(
            Code.UPSTREAM_ERROR,
            f"{self._asking.target.shown} redirects more than {self._fetcher.limits.redirects} times, "
            f"the last time to {hop.target.shown}",
        )

    async def _hand_out(self) -> Handed:
        handed = await self._desk.hand_out(self._asking)
        self._secrets = handed.credentials.secrets
        return handed

    @asynccontextmanager
    async def _answer(self, hop: Hop, handed: Handed) -> AsyncGenerator[httpx2.Response]:
        """One exchange on the connections of this origin and identity."""
        from periplus.net.outgoing import outgoing  # noqa: PLC0415 - see Fetcher.opened

        identity = handed.identity if hop.at_home else ()
        given = handed.credentials if hop.at_home else Credentials()
        certificate = handed.certificate if hop.at_home else None
        request = outgoing(hop, given, self._fetcher.limits.connect_seconds, begun=self._begun)
        async with self._pools.lent(grant_of(self._asking.spec), hop.target.origin, identity, certificate) as transport:
            answer = await transport.handle_async_request(request)
            try:
                yield answer
            finally:
                with anyio.CancelScope(shield=True):
                    await answer.aclose()

    def _following(self, hop: Hop, answer: httpx2.Response) -> Hop | None:
        """Where a redirect leads, if it may be followed; None where the answer is the answer (S-71)."""
        status, location = answer.status_code, answer.headers.get("location", "")
        if not 300 <= status < 400 or status == _NOT_MODIFIED:
            return None
        if status in STATUSES and location and self._may_follow(hop, status, location):
            return next_hop(hop, status, location)
        leads = f" to {join(hop.target, location).shown}" if location else ""
        raise Problem(
            Code.UPSTREAM_ERROR,
            f"{hop.method} {hop.target.shown} answered {status}{leads}, which is not followed",
            hints=(f'set redirects = "any" for {self._asking.spec.id} if it is meant',) if leads else (),
            details={"http_status": status},
        )

    def _may_follow(self, hop: Hop, status: int, location: str) -> bool:
        if self._asking.spec.redirects == "any":
            return True
        reads = hop.method in {"GET", "HEAD"} or status == 303
        return (
            reads and self._asking.spec.redirects != "none" and join(hop.target, location).origin == hop.target.origin
        )


class _Reply:
    """An answer whose body is read while its block runs."""

    def __init__(self, answer: httpx2.Response, hop: Hop, handed: Handed, secrets: frozenset[str]) -> None:
        from periplus.net.outgoing import without_query  # noqa: PLC0415 - see Fetcher.opened

        self._answer = answer
        self._shown = hop.target.shown
        self._secrets = Credentials(secrets=secrets)
        self.status: int = answer.status_code
        self.headers = tuple(
            (name.decode("latin-1").lower(), value.decode("latin-1")) for name, value in answer.headers.raw
        )
        self.url = without_query(hop.target, handed.credentials.query).url
        self.advice = handed.choice.advice

    async def body(self) -> AsyncIterator[bytes]:
        """The body as it stands behind its compression."""
        from periplus.net.decoding import inflater_for  # noqa: PLC0415

        inflater = inflater_for(self._shown, self._answer.headers.get("content-encoding", ""))
        async for chunk in self._answer.aiter_raw():
            if inflater is None:
                yield chunk
            else:
                for piece in inflater.feed(chunk):
                    yield piece
        if inflater is not None:
            inflater.finish()

    def redact(self, text: str) -> str:
        """The text without the credentials that were sent."""
        return self._secrets.redact(text)


def _target(request: HttpRequest) -> Target:
    target = parse_target(request.origin + request.target)
    if target.path != request.target:
        raise Problem(Code.BAD_INPUT, f"not the path and query of a request as it is sent: {request.target[:100]!r}")
    if not (request.method.isascii() and request.method.replace("-", "").isalpha()):
        raise Problem(Code.BAD_INPUT, f"not an HTTP method: {request.method[:40]!r}")
    return target


def _said(request: HttpRequest, user_agent: str) -> dict[str, Any]:
    """The request as a hop says it; of a header given twice, both values in one line."""
    from periplus.net.outgoing import FRAMING  # noqa: PLC0415 - see Fetcher.opened

    headers = {"accept": "*/*", "user-agent": user_agent}
    seen: set[str] = set()
    for given, value in request.headers:
        name = given.lower()
        check_header(name, value)
        if name in FRAMING or name == "host":
            continue
        joint = "; " if name == "cookie" else ", "
        headers[name] = f"{headers[name]}{joint}{value}" if name in seen else value
        seen.add(name)
    if place := traceparent(here()):
        headers.setdefault("traceparent", place)
    return {"method": request.method.upper(), "headers": headers, "body": request.body}


def _origins(spec: SourceSpec) -> frozenset[str]:
    return frozenset(target.origin for target in written(spec))


def _asking(request: HttpRequest, site: Site, calling: Calling, target: Target) -> Asking:
    security = request.security if request.security is not None else site.site.get("security")
    return Asking(
        spec=site.spec,
        target=target,
        principal=calling.principal,
        document_url=site.document_url,
        origins=_origins(site.spec),
        schemes=site.site.get("schemes") or {},
        security=None if security is None else tuple(security),
        is_explicit=request.security is not None,
        presented=calling.presented,
    )


async def _drained(answer: httpx2.Response) -> None:
    """Read the little that an answer nobody wants usually has, so that its connection can be used again."""
    size = 0
    async for chunk in answer.aiter_raw():
        size += len(chunk)
        if size > _LITTLE:
            return


def _target_sent(answer: httpx2.Response) -> str:
    sent: bytes = answer.request.extensions["target"]
    return sent.decode("ascii")
