"""Which credentials a call gets: for this caller, host and source, by what the description asks (S-64, S-65)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

import msgspec

from periplus.model import CredentialScheme, CredentialSpec, Principal, SourceSpec
from periplus.net.addresses import AddressClass, class_of
from periplus.net.credentials.logins import Login
from periplus.net.guard import parse_entry
from periplus.net.urls import Target

Requirement = Mapping[str, Sequence[str]]  # scheme name -> scopes; all of them together


class Asking(msgspec.Struct, frozen=True, kw_only=True):
    """What one request looks like to whoever hands out credentials."""

    spec: SourceSpec
    target: Target
    principal: Principal
    document_url: str = ""
    origins: frozenset[str] = frozenset()  # those that stand in the source's table
    schemes: Mapping[str, Mapping[str, Any]] = {}  # as the description declares them
    security: Sequence[Requirement] | None = None  # OR over AND; None: it says nothing
    is_explicit: bool = False  # the operation itself says it, not the whole description
    presented: Mapping[str, str] = {}  # headers of the caller's own request

    @property
    def is_written(self) -> bool:
        """Whether the operator wrote where this request goes."""
        return self.spec.trusted and self.target.origin in self.origins

    @property
    def is_at_home(self) -> bool:
        """Whether it goes where the description came from."""
        return self.is_written or _host(self.document_url) == self.target.host

    @property
    def is_private(self) -> bool:
        """Whether nobody on the way can read it, or the operator wrote that it may go in the clear."""
        address = self.target.address
        loopback = self.target.host == "localhost" or (
            address is not None and class_of(address) is AddressClass.LOOPBACK
        )
        return self.target.scheme == "https" or loopback or self.is_written


class Pick(msgspec.Struct, frozen=True, kw_only=True):
    """One credential for one request: which, as which declared scheme, with which scopes."""

    spec: CredentialSpec
    scheme: Mapping[str, Any] = {}
    scopes: tuple[str, ...] = ()
    login: Login | None = None


class Choice(msgspec.Struct, frozen=True, kw_only=True):
    """The credentials of a request, and what an operator could add where they do not suffice."""

    picks: tuple[Pick, ...] = ()
    satisfied: bool = True  # the description asks for nothing more
    advice: str = ""


def choose(specs: Sequence[CredentialSpec], asking: Asking, login: Login | None = None) -> Choice:
    """The first alternative all of whose schemes are at hand, and what goes with every request."""
    able = [Pick(spec=spec) for spec in specs if may_use(spec, asking)]
    if login is not None and asking.is_at_home and asking.is_private:
        able.append(Pick(spec=_of_login(asking.spec), login=login))
    if asking.security is None or not (asking.security or asking.schemes or asking.is_explicit):
        picks = tuple(_without_rivals(able))
        return Choice(picks=picks, advice=_sent_with(picks) or _advice(specs, asking, ()))
    beside = tuple(pick for pick in able if pick.spec.scheme is CredentialScheme.MTLS and not pick.spec.security)
    for requirement in asking.security:
        fitting = [_fitting(able, name, tuple(scopes), asking) for name, scopes in requirement.items()]
        found = [pick for pick in fitting if pick is not None]
        if len(found) == len(fitting):
            chosen = (*found, *(pick for pick in beside if pick.spec not in [each.spec for each in found]))
            return Choice(picks=chosen, advice=_sent_with(found))
    wanted = tuple(dict.fromkeys(name for requirement in asking.security for name in requirement))
    return Choice(picks=beside, satisfied=not asking.security, advice=_advice(specs, asking, wanted))


def may_use(spec: CredentialSpec, asking: Asking) -> bool:
    """Whether this caller's request to this place may carry that credential."""
    return _is_about(spec, asking) and not _obstacle(spec, asking)


def _is_about(spec: CredentialSpec, asking: Asking) -> bool:
    """Whether the operator meant requests like this one."""
    if not spec.is_for(asking.principal) or spec.source not in {"", asking.spec.id}:
        return False
    return not spec.host or _names(spec.host, asking.target)


def _obstacle(spec: CredentialSpec, asking: Asking) -> str:
    """Why a credential that was meant for it stays here all the same; empty where it goes along."""
    # Whoever adds a source through a face chooses its name: a name alone must not open what is the operator's.
    if not spec.host and not asking.spec.trusted:
        return f'the source was not added by the operator: add host = "{asking.target.host}" to it'
    if not spec.source and not asking.is_at_home:
        return (
            f"the description came from {_host(asking.document_url) or 'a file'} and sends calls to "
            f'{asking.target.host}: add source = "{asking.spec.id}" to it'
        )
    if not asking.is_private:
        return f"it would go in the clear to {asking.target.origin}: use https, or write that address into the source"
    return ""


def _names(host: str, target: Target) -> bool:
    entry = parse_entry(host)
    by_address = target.address is not None and entry.holds(target.address, target.port)
    return by_address or entry.names(target.host, target.port)


def _fitting(able: Sequence[Pick], name: str, scopes: tuple[str, ...], asking: Asking) -> Pick | None:
    """The credential for one declared scheme: the one that names it, else the first of a kind that fits."""
    scheme = asking.schemes.get(name, {})
    named = (pick for pick in able if pick.spec.security == name)
    alike = (pick for pick in able if not pick.spec.security and _fits(pick.spec, scheme))
    found = next(named, None) or next(alike, None)
    return None if found is None else msgspec.structs.replace(found, scheme=scheme, scopes=scopes)


_TOKENS = frozenset(
    {CredentialScheme.BEARER, CredentialScheme.OAUTH2, CredentialScheme.TOKEN_EXCHANGE, CredentialScheme.COMMAND}
)


def _fits(spec: CredentialSpec, scheme: Mapping[str, Any]) -> bool:
    kind, header = scheme.get("type"), ""
    if kind == "apiKey":
        if spec.scheme is CredentialScheme.API_KEY:
            return spec.place in {"", scheme["in"]} and spec.parameter.lower() in {"", scheme["name"].lower()}
        header = scheme["name"].lower() if scheme["in"] == "header" else "-"
    elif kind == "http":
        word = scheme.get("scheme")
        if (word == "bearer" and spec.scheme in _TOKENS) or spec.scheme.value == word:
            return True
        header = "authorization"
    elif kind in {"oauth2", "openIdConnect"}:
        if spec.scheme in _TOKENS:
            return True
        header = "authorization"
    elif kind == "mutualTLS":
        return spec.scheme is CredentialScheme.MTLS
    return header in {name.lower() for name in (*spec.headers, *spec.pass_headers)}


def _without_rivals(able: Sequence[Pick]) -> Iterator[Pick]:
    """Where nothing is declared, all that apply, but one only for each place; those that name this source first."""
    taken: set[str] = set()
    for pick in sorted(able, key=lambda pick: not pick.spec.source):
        places = set(_places(pick.spec))
        if not places & taken:
            taken |= places
            yield pick


def _places(spec: CredentialSpec) -> Iterator[str]:
    if spec.scheme is CredentialScheme.API_KEY:
        yield f"{spec.place or 'header'} {(spec.parameter or DEFAULT_KEY).lower()}"
    elif spec.scheme is CredentialScheme.MTLS:
        yield "tls"
    elif spec.headers or spec.pass_headers:
        yield from (f"header {name.lower()}" for name in (*spec.headers, *spec.pass_headers))
    else:
        yield "header authorization"


DEFAULT_KEY = "X-API-Key"


def _advice(specs: Sequence[CredentialSpec], asking: Asking, wanted: tuple[str, ...]) -> str:
    """What an operator reads when the upstream wants more than it was given."""
    for spec in specs:
        if _is_about(spec, asking) and (obstacle := _obstacle(spec, asking)):
            return f"the credential {spec.title} was not used: {obstacle}"
    if not wanted:
        return f'add [[credentials]] with source = "{asking.spec.id}", or run: periplus login {asking.spec.id}'
    kinds = ", ".join(f"{name} ({_kind(asking.schemes.get(name, {}))})" for name in wanted)
    return f'it asks for {kinds}: add [[credentials]] with source = "{asking.spec.id}"'


def _sent_with(picks: Sequence[Pick]) -> str:
    titles = " and ".join(pick.spec.title for pick in picks)
    return f"it was sent with {titles}: check what that may do, and whether it is still valid" if titles else ""


def _kind(scheme: Mapping[str, Any]) -> str:
    kind = scheme.get("type", "undeclared")
    if kind == "apiKey":
        return f"key {scheme['name']!r} in {scheme['in']}"
    return str(scheme.get("scheme") or kind)


def _host(url: str) -> str:
    try:
        return (urlsplit(url).hostname or "").lower() if url.startswith(("http://", "https://")) else ""
    except ValueError:
        return ""


def _of_login(spec: SourceSpec) -> CredentialSpec:
    return CredentialSpec(name=f"the login of {spec.id}", scheme=CredentialScheme.OAUTH2, source=spec.id)
