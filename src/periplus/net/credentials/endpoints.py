"""Where tokens come from: as the operator wrote, else as metadata or the description says, if it may."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from typing import Any
from urllib.parse import urljoin, urlsplit

import msgspec

from periplus.model import Code, Problem
from periplus.net.credentials.choosing import Asking, Pick
from periplus.net.credentials.protected import Protected, places, read
from periplus.net.urls import Target, parse_target
from periplus.ports import Fetched, FetchRequest

_KEPT_S = 3600.0
_OPENID = "/.well-known/openid-configuration"
_OAUTH = "/.well-known/oauth-authorization-server"


class Endpoint(msgspec.Struct, frozen=True, kw_only=True):
    """A URL that secrets are sent to, and whether the operator wrote it."""

    url: str
    is_written: bool
    resource: str = ""  # what a token from there is for, where the one who asks for it says so

    @property
    def shown(self) -> str:
        return parse_target(self.url).shown


Send = Callable[[FetchRequest, Endpoint], Awaitable[Fetched]]


class Endpoints:
    """Finds token endpoints, and remembers what metadata said for an hour."""

    def __init__(self, send: Send, now: Callable[[], float]) -> None:
        self._send = send
        self._now = now
        self._known: dict[str, tuple[float, str]] = {}
        self._protected: dict[str, tuple[float, Protected]] = {}

    async def of(self, pick: Pick, asking: Asking) -> Endpoint:
        """The token endpoint for one credential."""
        spec, login = pick.spec, pick.login
        written = spec.token_url or (login.token_url if login else "")
        if written:
            return _checked(Endpoint(url=written, is_written=True), asking)
        if spec.issuer:
            issuer = spec.issuer.rstrip("/")
            found = await self._by_metadata(Endpoint(url=issuer + _OPENID, is_written=True), issuer)
            return _checked(Endpoint(url=found, is_written=True), asking)
        return await self._declared(pick, asking)

    async def _declared(self, pick: Pick, asking: Asking) -> Endpoint:
        """What the description names: only where it may direct secrets (S-64)."""
        for kind, text in _named(pick):
            url = urljoin(asking.document_url or asking.target.url, text)
            endpoint = Endpoint(url=url, is_written=False)
            if not (pick.spec.source or _is_near(parse_target(url), asking)):
                raise _undirected(pick, endpoint)
            _checked(endpoint, asking)
            if kind == "token":
                return endpoint
            return _checked(Endpoint(url=await self._by_metadata(endpoint, ""), is_written=False), asking)
        if asking.spec.kind == "mcp" and (protected := await self._as_resource(asking.target)) is not None:
            issuer = protected.issuer.rstrip("/")
            place = Endpoint(url=issuer + _OPENID, is_written=False)
            if not (pick.spec.source or _is_near(parse_target(place.url), asking)):
                raise _undirected(pick, Endpoint(url=issuer, is_written=False))
            _checked(place, asking)
            found = Endpoint(url=await self._by_metadata(place, issuer), is_written=False, resource=protected.resource)
            return _checked(found, asking)
        raise Problem(
            Code.CREDENTIALS_MISSING,
            f"nothing says where {pick.spec.title} gets its tokens",
            hints=('add token_url = "https://..." or issuer = "https://..." to that credential',),
            details={"not_processed": True},
        )

    async def _as_resource(self, target: Target) -> Protected | None:
        """Who gives tokens for the server there, as it says itself."""
        address = target.origin + target.path
        until, known = self._protected.get(address, (0.0, None))
        if known is not None and self._now() < until:
            return known
        for url in places(target):
            place = Endpoint(url=url, is_written=False)
            answer = await self._send(FetchRequest(url=url, accept="application/json"), place)
            if (found := read(answer, target)) is not None:
                self._protected[address] = (self._now() + _KEPT_S, found)
                return found
        return None

    async def _by_metadata(self, place: Endpoint, issuer: str) -> str:
        """The token endpoint an authorization server names; it must be the server it says it is."""
        until, known = self._known.get(place.url, (0.0, ""))
        if self._now() < until:
            return known
        answer = await self._send(FetchRequest(url=place.url, accept="application/json"), place)
        if answer.status == 404 and place.url.endswith(_OPENID):
            place = Endpoint(url=_oauth_place(place.url.removesuffix(_OPENID)), is_written=place.is_written)
            answer = await self._send(FetchRequest(url=place.url, accept="application/json"), place)
        said = _object(answer)
        url, speaks_for = said.get("token_endpoint"), said.get("issuer")
        expected = {_issuer_of(place.url)} if not issuer else {issuer}
        if answer.status != 200 or not isinstance(url, str) or not isinstance(speaks_for, str):
            raise _no_metadata(place, "it names no token_endpoint and issuer")
        if speaks_for.rstrip("/") not in expected:
            raise _no_metadata(place, f"it speaks for another issuer, {speaks_for[:200]!r}")
        self._known[place.url] = (self._now() + _KEPT_S, url)
        return url


def _named(pick: Pick) -> Iterator[tuple[str, str]]:
    """What a declared scheme says: endpoints of its flows, the right flow first, then metadata."""
    flows: dict[str, Any] = pick.scheme.get("flows") or {}
    refreshes = bool(pick.login or pick.spec.refresh_token)
    order = ("authorizationCode", "password", "clientCredentials") if refreshes else ("clientCredentials", "password")
    for name in (*order, *(other for other in flows if other not in order)):
        flow = flows.get(name, {})
        url = (flow.get("refreshUrl") if refreshes else "") or flow.get("tokenUrl")
        if url:
            yield "token", url
    for member in ("openIdConnectUrl", "oauth2MetadataUrl"):
        if pick.scheme.get(member):
            yield "metadata", pick.scheme[member]


def _is_near(target: Target, asking: Asking) -> bool:
    home = urlsplit(asking.document_url).hostname or ""
    return target.host in {home.lower(), asking.target.host} and asking.is_at_home


def _checked(endpoint: Endpoint, asking: Asking) -> Endpoint:
    """Secrets go over TLS, to this machine, or where the operator wrote that they may go in the clear."""
    target = parse_target(endpoint.url)
    here = msgspec.structs.replace(asking, target=target)
    if endpoint.is_written or here.is_private:
        return endpoint
    raise Problem(
        Code.CREDENTIALS_MISSING,
        f"the token endpoint {target.shown} would get the client's secret in the clear",
        hints=("use https, or write it as token_url into the credential if it is meant",),
        details={"not_processed": True},
    )


def _undirected(pick: Pick, endpoint: Endpoint) -> Problem:
    return Problem(
        Code.CREDENTIALS_MISSING,
        f"{pick.spec.title} is not sent to {endpoint.shown}: the description names that endpoint on another host",
        hints=(f'add token_url = "{endpoint.shown}" to that credential if it is meant',),
        details={"not_processed": True},
    )


def _no_metadata(place: Endpoint, reason: str) -> Problem:
    return Problem(
        Code.UPSTREAM_UNAUTHENTICATED,
        f"{place.shown} is not the metadata of an authorization server: {reason}",
        hints=("write token_url into the credential",),
        details={"not_processed": True},
    )


def _object(answer: Fetched) -> dict[str, Any]:
    try:
        value = msgspec.json.decode(answer.body)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return {}
    return value if isinstance(value, dict) else {}


def _oauth_place(issuer: str) -> str:
    """RFC 8414: the well-known part stands between host and path."""
    parts = urlsplit(issuer)
    return f"{parts.scheme}://{parts.netloc}{_OAUTH}{parts.path}"


def _issuer_of(url: str) -> str:
    """The issuer whose metadata lies at this address."""
    parts = urlsplit(url)
    path = parts.path.removesuffix(_OPENID)
    if path.startswith(_OAUTH):
        path = path.removeprefix(_OAUTH)
    return f"{parts.scheme}://{parts.netloc}{path}".rstrip("/")
