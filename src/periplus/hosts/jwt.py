"""Tokens of an issuer the operator trusts: this gateway as an OAuth 2.1 resource server (T-21)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import anyio
import msgspec
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import KeySet

from periplus.hosts.identity import PROTECTED, shown_in
from periplus.model import Code, Principal, Problem
from periplus.ports import Clock, Fetch, FetchRequest

_KEPT_S = 3600.0
_AGAIN_S = 30.0  # how soon a key that is not known makes us ask the issuer again
_LEEWAY_S = 30
_ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA", "Ed25519"]
_METADATA = ("/.well-known/oauth-authorization-server", "/.well-known/openid-configuration")


class Trust(msgspec.Struct, frozen=True, kw_only=True):
    """Whose tokens count, and what in them says who the caller is."""

    issuer: str
    audience: tuple[str, ...]
    jwks_url: str = ""
    principal: str = "sub"
    tenant: str = ""  # the claim with the tenant; empty: all are of one
    scopes: str = ""  # the claim with the scopes; empty: `scope`, else `scp`


class Issued:
    """Knows callers by signed tokens. The issuer's keys are fetched when needed, and again when they change."""

    asks = True

    def __init__(self, trust: Trust, fetch: Fetch, clock: Clock) -> None:
        self._trust = trust
        self._keys = _Keys(trust, fetch, clock)
        self._claims = jwt.JWTClaimsRegistry(
            now=lambda: int(clock.now()),
            leeway=_LEEWAY_S,
            iss={"essential": True, "value": trust.issuer},
            aud={"essential": True, "values": list(trust.audience)},
            exp={"essential": True},
        )

    def challenge(self, base_url: str) -> str:
        """Where a client learns whom to ask for a token."""
        return f'Bearer realm="periplus", resource_metadata="{base_url}{PROTECTED}"'

    async def principal(self, headers: Mapping[str, str]) -> Principal:
        """The token's subject, if this issuer signed it for us and it is in force."""
        shown = shown_in(headers)
        token = await self._verified(shown.token)
        try:
            self._claims.validate(token.claims)
        except JoseError as error:
            raise _unaccepted(str(error)) from error
        return self._named(token.claims)

    def passed_on(self, headers: Mapping[str, str]) -> dict[str, str]:
        """All of them: a token of an issuer is the caller's own, and may be exchanged for another."""
        return dict(headers)

    async def _verified(self, text: str) -> jwt.Token:
        try:
            return jwt.decode(text, await self._keys.current(), algorithms=_ALGORITHMS)
        except (JoseError, ValueError) as error:
            fresh = await self._keys.fresher()
            if fresh is None:
                raise _unaccepted(str(error)) from error
        try:
            return jwt.decode(text, fresh, algorithms=_ALGORITHMS)
        except (JoseError, ValueError) as error:
            raise _unaccepted(str(error)) from error

    def _named(self, claims: dict[str, Any]) -> Principal:
        trust = self._trust
        name, tenant = claims.get(trust.principal), claims.get(trust.tenant, "") if trust.tenant else ""
        if not isinstance(name, str) or not name:
            raise _unaccepted(f"its claim {trust.principal!r} names nobody")
        if not isinstance(tenant, str) or (trust.tenant and not tenant):
            raise _unaccepted(f"its claim {trust.tenant!r} names no tenant")
        said = claims.get(trust.scopes) if trust.scopes else claims.get("scope", claims.get("scp", ""))
        scopes = said.split() if isinstance(said, str) else said if isinstance(said, list) else ()
        return Principal(id=name, tenant=tenant, scopes=frozenset(map(str, scopes)))


class _Keys:
    """The issuer's key set, kept for an hour."""

    def __init__(self, trust: Trust, fetch: Fetch, clock: Clock) -> None:
        self._trust = trust
        self._fetch = fetch
        self._clock = clock
        self._held: KeySet | None = None
        self._fetched_at = 0.0
        self._turn = anyio.Lock()

    async def current(self) -> KeySet:
        async with self._turn:
            if self._held is None or self._clock.now() - self._fetched_at > _KEPT_S:
                self._held = await self._read()
            return self._held

    async def fresher(self) -> KeySet | None:
        """The keys as they are now, after one that did not fit; None when they were asked for just now."""
        async with self._turn:
            if self._clock.now() - self._fetched_at < _AGAIN_S:
                return None
            self._held = await self._read()
            return self._held

    async def _read(self) -> KeySet:
        url = self._trust.jwks_url or await self._discovered()
        said = await self._json(url)
        try:
            keys = KeySet.import_key_set(said)
        except (JoseError, ValueError, TypeError, KeyError) as error:
            raise _no_keys(f"{url} holds no key set: {error}") from error
        self._fetched_at = self._clock.now()
        return keys

    async def _discovered(self) -> str:
        issuer = self._trust.issuer.rstrip("/")
        for place in _METADATA:
            try:
                said = await self._json(issuer + place)
            except Problem as problem:
                if place == _METADATA[-1]:
                    raise
                if problem.code is not Code.UNAVAILABLE:
                    raise
                continue
            if str(said.get("issuer", "")).rstrip("/") != issuer:
                raise _no_keys(f"{issuer + place} speaks for {str(said.get('issuer'))[:100]!r}")
            if isinstance(url := said.get("jwks_uri"), str):
                return url
        raise _no_keys(f"the metadata of {issuer} names no jwks_uri")

    async def _json(self, url: str) -> Any:
        answer = await self._fetch.send(FetchRequest(url=url, accept="application/json", limit_bytes=1 << 20))
        try:
            said = msgspec.json.decode(answer.body)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise _no_keys(f"{url} answered {answer.status} without JSON") from error
        if answer.status != 200 or not isinstance(said, dict):
            raise _no_keys(f"{url} answered {answer.status}")
        return said


def _unaccepted(why: str) -> Problem:
    return Problem(
        Code.UNAUTHENTICATED, f"the token is not accepted: {why[:200]}", hints=("get a new one from its issuer",)
    )


def _no_keys(why: str) -> Problem:
    return Problem(
        Code.UNAVAILABLE,
        f"tokens cannot be checked: {why}",
        hints=("check [serve.jwt] issuer and jwks_url",),
        retryable=True,
    )
