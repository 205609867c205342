"""The desk that hands out credentials: chosen for one request, looked up, and renewed once when they are refused."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import anyio.to_thread
import msgspec

from periplus.model import Code, CredentialScheme, CredentialSpec, Problem
from periplus.net.credentials.choosing import DEFAULT_KEY, Asking, Choice, Pick, choose
from periplus.net.credentials.commands import Commands
from periplus.net.credentials.digest import authorization, challenge_of, proof_in
from periplus.net.credentials.endpoints import Send
from periplus.net.credentials.fixed import looked_up, plain_part, refers, resolve
from periplus.net.credentials.given import Credentials, check_header
from periplus.net.credentials.logins import Logins, NoLogins
from periplus.net.credentials.oauth import Tokens
from periplus.net.credentials.redaction import secrets_of, secrets_of_headers
from periplus.net.credentials.references import ReadSecret, read_reference
from periplus.net.guard import parse_entry
from periplus.ports import Clock

_PERSONAL = frozenset({CredentialScheme.PASS_THROUGH, CredentialScheme.TOKEN_EXCHANGE})
_NEVER_PASSED = frozenset({"host", "content-length", "connection", "transfer-encoding", "te", "upgrade", "keep-alive"})


class Handed(msgspec.Struct, frozen=True, kw_only=True):
    """What one request carries, and what it was chosen from."""

    credentials: Credentials
    choice: Choice
    identity: tuple[str, ...] = ()  # who the upstream sees: callers who share it may share connections

    @property
    def certificate(self) -> CredentialSpec | None:
        return next((pick.spec for pick in self.choice.picks if pick.spec.scheme is CredentialScheme.MTLS), None)


class Desk:
    """All credentials of a gateway."""

    def __init__(
        self,
        specs: Sequence[CredentialSpec],
        send: Send,
        clock: Clock,
        *,
        logins: Logins | None = None,
        read_secret: ReadSecret = read_reference,
    ) -> None:
        for spec in specs:
            if spec.host:
                parse_entry(spec.host)
        self._specs = tuple(specs)
        self._read_secret = read_secret
        self._clock = clock
        self._logins = logins or NoLogins()
        self._tokens = Tokens(send, read_secret, self._logins, clock.now)
        self._commands = Commands(clock.now)

    async def hand_out(self, asking: Asking, *, fixed: bool = True) -> Handed:
        """The credentials of a request; `credentials_missing` where a reference leads nowhere.

        With `fixed`, the source's own headers and query are among them. Without, whoever asks brings those, and
        nothing that is each caller's own is given.
        """
        specs = [spec for spec in self._specs if fixed or spec.scheme not in _PERSONAL]
        choice = choose(specs, asking, await self._logins.get(asking.spec.id, asking.principal))
        if not choice.satisfied and asking.spec.require_credentials:
            raise _required(asking, choice)
        credentials = await self._fixed(asking) if fixed else Credentials()
        for pick in choice.picks:
            credentials |= await self._give(pick, asking)
        for name, value in credentials.headers.items():
            check_header(name, value)
        return Handed(credentials=credentials, choice=choice, identity=_identity(choice, asking))

    async def renewed(
        self, handed: Handed, asking: Asking, challenges: Iterable[str], sent: tuple[str, str]
    ) -> Handed | None:
        """What to try once more with after a 401 to `sent` (method, target); None where nothing would change."""
        for pick in handed.choice.picks:
            if pick.spec.scheme is CredentialScheme.DIGEST:
                return self._proved(handed, pick.spec, challenges, sent)
            if pick.spec.scheme in _RENEWABLE and (pick.login is None or pick.login.refresh_token):
                refused = handed.credentials.headers.get("authorization", "").partition(" ")[2]
                again = await self._give(pick, asking, refused)
                return msgspec.structs.replace(handed, credentials=handed.credentials | again)
        return None

    async def _fixed(self, asking: Asking) -> Credentials:
        """The source's own headers and query; what is secret in them only goes where it was meant to go."""
        spec = asking.spec
        if not (spec.headers or spec.query):
            return Credentials()
        if not (asking.is_at_home and asking.is_private):
            return plain_part(spec)
        if any(map(refers, (*spec.headers.values(), *spec.query.values()))):
            return await anyio.to_thread.run_sync(resolve, spec, self._read_secret)
        return resolve(spec, self._read_secret)

    async def _give(self, pick: Pick, asking: Asking, refused: str = "") -> Credentials:
        spec = pick.spec
        if spec.scheme in {CredentialScheme.OAUTH2, CredentialScheme.TOKEN_EXCHANGE}:
            token, secrets = await self._tokens.get(pick, asking, refused)
            return Credentials(headers={"authorization": f"Bearer {token}"}, secrets=secrets)
        if spec.scheme is CredentialScheme.COMMAND:
            token = await self._commands.get(spec, refused)
            return Credentials(headers={"authorization": f"Bearer {token}"}, secrets=secrets_of((token,)))
        give = _GIVE.get(spec.scheme)
        if give is None:
            return Credentials()
        if any(text.rpartition(" ")[2].startswith(("file:", "keyring:")) for text in spec.secrets.values()):
            return await anyio.to_thread.run_sync(give, pick, asking, self._read_secret)
        return give(pick, asking, self._read_secret)

    def _proved(
        self, handed: Handed, spec: CredentialSpec, challenges: Iterable[str], sent: tuple[str, str]
    ) -> Handed | None:
        challenge = challenge_of(challenges)
        if challenge is None:
            return None
        password = looked_up(spec.password, self._read_secret)
        value = authorization(
            challenge,
            username=looked_up(spec.username, self._read_secret),
            password=password,
            method=sent[0],
            target=sent[1],
            cnonce=self._clock.token(16).hex(),
        )
        proof = Credentials(headers={"authorization": value}, secrets=secrets_of((password, proof_in(value))))
        return msgspec.structs.replace(handed, credentials=handed.credentials | proof)


_RENEWABLE = frozenset({CredentialScheme.OAUTH2, CredentialScheme.TOKEN_EXCHANGE, CredentialScheme.COMMAND})


def _bearer(pick: Pick, _asking: Asking, read_secret: ReadSecret) -> Credentials:
    token = looked_up(pick.spec.token, read_secret)
    return Credentials(headers={"authorization": f"Bearer {token}"}, secrets=secrets_of((token,)))


def _basic(pick: Pick, _asking: Asking, read_secret: ReadSecret) -> Credentials:
    user, password = looked_up(pick.spec.username, read_secret), looked_up(pick.spec.password, read_secret)
    pair = base64.b64encode(f"{user}:{password}".encode()).decode()
    hidden = secrets_of((password, pair, f"{user}:{password}"))
    return Credentials(headers={"authorization": f"Basic {pair}"}, secrets=hidden)


def _digest(pick: Pick, _asking: Asking, read_secret: ReadSecret) -> Credentials:
    """Nothing yet: the server has to ask first. The password is already hidden."""
    return Credentials(secrets=secrets_of((looked_up(pick.spec.password, read_secret),)))


def _api_key(pick: Pick, _asking: Asking, read_secret: ReadSecret) -> Credentials:
    spec, scheme = pick.spec, pick.scheme
    declared: dict[str, Any] = dict(scheme) if scheme.get("type") == "apiKey" else {}
    place = spec.place or declared.get("in", "header")
    name = spec.parameter or declared.get("name", DEFAULT_KEY)
    key = looked_up(spec.key, read_secret)
    hidden = secrets_of((key,))
    if place == "query":
        return Credentials(query={name: key}, secrets=hidden)
    if place == "cookie":
        return Credentials(cookies={name: key}, secrets=hidden)
    return Credentials(headers={name.lower(): key}, secrets=hidden)


def _header(pick: Pick, _asking: Asking, read_secret: ReadSecret) -> Credentials:
    headers = {name.lower(): looked_up(text, read_secret) for name, text in pick.spec.headers.items()}
    return Credentials(headers=headers, secrets=secrets_of_headers(headers.values()))


def _pass_through(pick: Pick, asking: Asking, _read_secret: ReadSecret) -> Credentials:
    wanted = {name.lower() for name in pick.spec.pass_headers} - _NEVER_PASSED
    headers = {name: text for name, text in asking.presented.items() if name in wanted}
    return Credentials(headers=headers, secrets=secrets_of_headers(headers.values()))


_GIVE: dict[CredentialScheme, Callable[[Pick, Asking, ReadSecret], Credentials]] = {
    CredentialScheme.BEARER: _bearer,
    CredentialScheme.BASIC: _basic,
    CredentialScheme.DIGEST: _digest,
    CredentialScheme.API_KEY: _api_key,
    CredentialScheme.HEADER: _header,
    CredentialScheme.PASS_THROUGH: _pass_through,
}


def _identity(choice: Choice, asking: Asking) -> tuple[str, ...]:
    """Credentials tell callers apart; those that are each caller's own are joined by who calls."""
    personal = any(pick.spec.scheme in _PERSONAL or pick.login is not None for pick in choice.picks)
    caller = (asking.principal.tenant, asking.principal.id) if personal else ()
    return (*(f"{pick.spec.title} {pick.spec.certificate}" for pick in choice.picks), *caller)


def _required(asking: Asking, choice: Choice) -> Problem:
    return Problem(
        Code.CREDENTIALS_MISSING,
        f"nothing that is configured satisfies what {asking.spec.id} asks of its callers",
        hints=tuple(filter(None, (choice.advice,))),
        details={"not_processed": True},
    )
