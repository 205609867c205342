"""Who asks: one question for every wire over HTTP."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

import msgspec

from periplus.core.gateway import Gateway
from periplus.model import Code, Principal, Problem

AGENT = Principal(id="local")
"""Whoever reaches a gateway that asks nobody for a name: over stdio, or on this machine's own addresses."""


PROTECTED = "/.well-known/oauth-protected-resource"
"""Where a client learns who gives tokens for this gateway (RFC 9728)."""


class Shown(msgspec.Struct, frozen=True, kw_only=True):
    """What a caller shows to say who it is."""

    token: str  # a key, or a bearer token
    client: str = ""  # the name beside it, where it came as a pair


class Authenticator(Protocol):
    """A way to tell who sends a request."""

    @property
    def asks(self) -> bool:
        """Whether a caller must say who it is; False: everybody is the same one."""
        ...

    def challenge(self, base_url: str, /) -> str:
        """What `WWW-Authenticate` tells a caller who said nothing, or the wrong thing."""
        ...

    async def principal(self, headers: Mapping[str, str], /) -> Principal:
        """Who it is, by the headers (names in lower case); `unauthenticated` says what is missing."""
        ...

    def passed_on(self, headers: Mapping[str, str], /) -> dict[str, str]:
        """The headers without what is for this gateway alone; the rest may serve as a caller's own credentials."""
        ...


class Open:
    """Asks nobody. Only for gateways that other machines cannot reach."""

    asks = False

    def challenge(self, _base_url: str) -> str:
        """Never shown: nobody is turned away."""
        return ""

    async def principal(self, _headers: Mapping[str, str]) -> Principal:
        """The one caller there is."""
        return AGENT

    def passed_on(self, headers: Mapping[str, str]) -> dict[str, str]:
        """All of them: none was for the gateway."""
        return dict(headers)


class Keyed:
    """Knows callers by the keys of this gateway, and by the tokens that it gave for them."""

    asks = True

    def __init__(self, gateway: Gateway) -> None:
        self._gateway = gateway

    def challenge(self, base_url: str) -> str:
        """Where tokens are to be had, for clients that do not bring a key."""
        return f'Bearer realm="periplus", resource_metadata="{base_url}{PROTECTED}"'

    async def principal(self, headers: Mapping[str, str]) -> Principal:
        """The holder of the key; a name beside the key has to be that of the key."""
        shown = shown_in(headers)
        if shown.client:
            token = await self._gateway.exchange_key(shown.client, shown.token)
            return await self._gateway.holder_of(token.access_token)
        return await self._gateway.holder_of(shown.token)

    def passed_on(self, headers: Mapping[str, str]) -> dict[str, str]:
        """No key of this gateway, and no token it gave, is for anybody else."""
        own = {name for name, shown in _shown_by(headers) if self._gateway.is_own_key(shown.token)}
        return {name: text for name, text in headers.items() if name not in own}


class Several:
    """Several ways: the first that knows the caller counts, else the last one's refusal."""

    asks = True

    def __init__(self, ways: Sequence[Authenticator]) -> None:
        self._ways = ways

    def challenge(self, base_url: str) -> str:
        """That of the first."""
        return self._ways[0].challenge(base_url)

    async def principal(self, headers: Mapping[str, str]) -> Principal:
        """Whoever one of them knows."""
        *others, last = self._ways
        for way in others:
            try:
                return await way.principal(headers)
            except Problem as problem:
                if problem.code is not Code.UNAUTHENTICATED:
                    raise
        return await last.principal(headers)

    def passed_on(self, headers: Mapping[str, str]) -> dict[str, str]:
        """What is for none of them."""
        left = dict(headers)
        for way in self._ways:
            left = way.passed_on(left)
        return left


def shown_in(headers: Mapping[str, str]) -> Shown:
    """The key or token of a request: as a bearer, as `X-API-Key`, or as the password of a pair."""
    for _, shown in _shown_by(headers):
        return shown
    raise Problem(
        Code.UNAUTHENTICATED,
        "this gateway wants to know who asks, and the request does not say",
        hints=("send Authorization: Bearer KEY, or X-API-Key: KEY", "keys are made with: periplus keys add NAME"),
    )


def _shown_by(headers: Mapping[str, str]) -> Iterator[tuple[str, Shown]]:
    """Each header that says who it is, the one that counts first."""
    if key := headers.get("x-api-key", "").strip():
        yield "x-api-key", Shown(token=key)
    word, _, rest = headers.get("authorization", "").strip().partition(" ")
    if word.lower() == "bearer" and rest.strip():
        yield "authorization", Shown(token=rest.strip())
    if word.lower() == "basic" and (pair := _pair(rest.strip())):
        yield "authorization", Shown(client=pair[0], token=pair[1])


def _pair(text: str) -> tuple[str, str] | None:
    try:
        name, colon, password = base64.b64decode(text, validate=True).decode().partition(":")
    except (binascii.Error, UnicodeDecodeError):
        return None
    return (name, password) if colon and name and password else None
