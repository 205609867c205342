"""What the operator wrote about a credential: for whom, for where, of which kind. Secrets stand in it as references."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Any

import msgspec

from periplus.model.principal import Principal
from periplus.model.scope import glob_matches

REFERENCE = re.compile(r"(?:env|file|keyring):.+", re.DOTALL)


class CredentialScheme(StrEnum):
    """How a credential is shown to an upstream."""

    BEARER = "bearer"
    BASIC = "basic"
    DIGEST = "digest"
    API_KEY = "api_key"
    HEADER = "header"
    OAUTH2 = "oauth2"
    TOKEN_EXCHANGE = "token_exchange"  # noqa: S105 - the name of a scheme
    PASS_THROUGH = "pass_through"  # noqa: S105 - as above
    MTLS = "mtls"
    COMMAND = "command"


class CredentialSpec(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """One `[[credentials]]` table. A (secret) is a reference: `env:NAME`, `file:PATH` or `keyring:SERVICE/USER`."""

    name: str = ""  # what messages call it; empty: its scheme and where it is for
    scheme: CredentialScheme  # how it is shown: bearer, basic, digest, api_key, header, oauth2, token_exchange, ...
    host: str = ""  # for calls to this host or host:port, if the description came from there too
    source: str = ""  # for calls of this source, wherever it sends them; with `host`: only to that host
    principals: tuple[str, ...] = ("*",)  # for these callers, by glob
    security: str = ""  # which security scheme of the description it is; empty: the first it fits
    token: str = ""  # bearer: the token (secret)
    username: str = ""  # basic, digest: the user name (a reference or plain)
    password: str = ""  # basic, digest: the password (secret)
    key: str = ""  # api_key: the key (secret)
    place: str = ""  # api_key: "header", "query" or "cookie"; empty: as the description says, else header
    parameter: str = ""  # api_key: the name it goes by there; empty: as the description says, else X-API-Key
    headers: dict[str, str] = {}  # header: names and values (secret, or `Word env:NAME`)
    pass_headers: tuple[str, ...] = ()  # pass_through: which headers of the caller are sent on
    token_url: str = ""  # oauth2, token_exchange: the token endpoint; empty: as the issuer or the description says
    issuer: str = ""  # oauth2, token_exchange: whose metadata names the token endpoint
    client_id: str = ""  # oauth2, token_exchange: the client (a reference or plain)
    client_secret: str = ""  # oauth2, token_exchange: its secret (secret)
    client_auth: str = "client_secret_basic"  # or "client_secret_post"
    scopes: tuple[str, ...] = ()  # oauth2, token_exchange: what to ask for; empty: what the operation needs
    audience: str = ""  # oauth2, token_exchange: whom the token is for
    resource: str = ""  # oauth2, token_exchange: the resource indicator (RFC 8707)
    refresh_token: str = ""  # oauth2: asks with this instead of the client's own right (secret)
    certificate: str = ""  # mtls: a PEM file with the certificate and its chain
    private_key: str = ""  # mtls: a PEM file with the key, readable by its owner alone
    command: tuple[str, ...] = ()  # command: a program and its arguments; its first line is a bearer token
    cache_seconds: float = 300  # command: how long its answer is used

    @property
    def title(self) -> str:
        """What a message calls it."""
        return self.name or f"{self.scheme.value} for {self.source or self.host}"

    def is_for(self, principal: Principal) -> bool:
        """Whether this caller may use it."""
        return any(glob_matches(pattern, principal.id) for pattern in self.principals)

    @property
    def secrets(self) -> dict[str, str]:
        """The members that must be references, as they stand."""
        members = {name: getattr(self, name) for name in ("token", "password", "key", "client_secret", "refresh_token")}
        members |= {f"headers.{name}": text.rpartition(" ")[2] for name, text in self.headers.items()}
        return {name: text for name, text in members.items() if text}

    @property
    def references(self) -> tuple[str, ...]:
        """Everything that is looked up when a request needs it."""
        members = (*self.secrets.values(), self.username, self.client_id)
        return tuple(text for text in members if REFERENCE.fullmatch(text))

    @property
    def shown(self) -> dict[str, Any]:
        """The table as it may be printed: references stay, secrets that were written out do not."""
        told: dict[str, Any] = msgspec.to_builtins(self)
        for member, text in self.secrets.items():
            table, _, name = member.rpartition(".")
            if not REFERENCE.fullmatch(text):
                (told[table] if table else told)[name] = "***"
        return told

    def faults(self, *, allow_literals: bool) -> list[str]:
        """What is wrong with the table, without any value that could be a secret."""
        found = [f"{member} is missing" for member in _NEEDED[self.scheme] if not getattr(self, member)]
        if not self.host and not self.source:
            found.append('neither host nor source says where it is for: add host = "api.example.com"')
        if self.place and self.place not in _PLACES:
            found.append(f"place is {self.place!r}: one of {', '.join(_PLACES)}")
        if self.client_auth not in _CLIENT_AUTH:
            found.append(f"client_auth is {self.client_auth!r}: one of {', '.join(_CLIENT_AUTH)}")
        if not allow_literals:
            found += [
                f"{member} is written out: refer to it as env:NAME, file:PATH or keyring:SERVICE/USER, "
                "or set [secrets] allow_literals"
                for member, text in self.secrets.items()
                if not REFERENCE.fullmatch(text)
            ]
        return found


_PLACES = ("header", "query", "cookie")
_CLIENT_AUTH = ("client_secret_basic", "client_secret_post")
_NEEDED: dict[CredentialScheme, tuple[str, ...]] = {
    CredentialScheme.BEARER: ("token",),
    CredentialScheme.BASIC: ("username",),
    CredentialScheme.DIGEST: ("username", "password"),
    CredentialScheme.API_KEY: ("key",),
    CredentialScheme.HEADER: ("headers",),
    CredentialScheme.OAUTH2: ("client_id",),
    CredentialScheme.TOKEN_EXCHANGE: ("client_id",),
    CredentialScheme.PASS_THROUGH: ("pass_headers",),
    CredentialScheme.MTLS: ("certificate", "private_key"),
    CredentialScheme.COMMAND: ("command",),
}
