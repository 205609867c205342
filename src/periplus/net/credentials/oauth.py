"""Access tokens: from which endpoint, asked for how, kept how long (S-66)."""

from __future__ import annotations

import base64
from collections.abc import Callable, Hashable
from typing import Any
from urllib.parse import parse_qsl, quote_plus, urlencode

import msgspec

from periplus.model import Code, CredentialScheme, CredentialSpec, Problem
from periplus.net.credentials.choosing import Asking, Pick
from periplus.net.credentials.endpoints import Endpoint, Endpoints, Send
from periplus.net.credentials.fixed import looked_up
from periplus.net.credentials.flights import Flights, Fresh
from periplus.net.credentials.logins import Login, Logins
from periplus.net.credentials.redaction import redacted, secrets_of
from periplus.net.credentials.references import ReadSecret
from periplus.ports import Fetched, FetchRequest

_UNSAID_LIFE = 300.0  # seconds a token is used whose server does not say how long it lives
_EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange"
_ACCESS_TOKEN = "urn:ietf:params:oauth:token-type:access_token"  # noqa: S105 - a name, not a token


class Client(msgspec.Struct, frozen=True, kw_only=True):
    """Who asks for a token, with its secrets looked up."""

    id: str = ""
    secret: str = ""
    auth: str = "client_secret_basic"
    refresh_token: str = ""
    subject: str = ""  # the caller's own token, where it is exchanged

    @property
    def pair(self) -> str:
        """Id and secret as one, as RFC 6749 wants them."""
        return base64.b64encode(f"{quote_plus(self.id)}:{quote_plus(self.secret)}".encode()).decode()

    @property
    def secrets(self) -> frozenset[str]:
        pair = (self.pair, quote_plus(self.secret)) if self.secret else ()
        return secrets_of((self.secret, self.refresh_token, self.subject, *pair))


class Tokens:
    """Hands out access tokens, one request for all who want the same."""

    def __init__(self, send: Send, read_secret: ReadSecret, logins: Logins, now: Callable[[], float]) -> None:
        self._send = send
        self._read_secret = read_secret
        self._logins = logins
        self._now = now
        self._endpoints = Endpoints(send, now)
        self._flights = Flights(now)

    async def get(self, pick: Pick, asking: Asking, refused: str = "") -> tuple[str, frozenset[str]]:
        """An access token, and everything around it that nobody may read."""
        client = self._client(pick, asking)

        async def fetch(previous: Fresh | None) -> Fresh:
            return await self._fetch(pick, asking, client, previous, refused)

        token = await self._flights.get(self._key(pick, asking, client), fetch, refused=refused)
        return token, client.secrets | secrets_of((token,))

    def _client(self, pick: Pick, asking: Asking) -> Client:
        if pick.login is not None:
            login = pick.login
            secret = looked_up(login.client_secret, self._read_secret)
            return Client(id=login.client_id, secret=secret, refresh_token=login.refresh_token)
        spec = pick.spec
        exchange = spec.scheme is CredentialScheme.TOKEN_EXCHANGE
        return Client(
            id=looked_up(spec.client_id, self._read_secret),
            secret=looked_up(spec.client_secret, self._read_secret),
            auth=spec.client_auth,
            refresh_token=looked_up(spec.refresh_token, self._read_secret),
            subject=subject_of(pick.spec, asking) if exchange else "",
        )

    def _key(self, pick: Pick, asking: Asking, client: Client) -> Hashable:
        spec = pick.spec
        personal = client.subject or pick.login is not None
        whose = (asking.principal.tenant, asking.principal.id, client.subject) if personal else ()
        said = pick.scheme or (asking.spec.id, asking.target.origin, asking.target.path)
        place = spec.token_url or spec.issuer or msgspec.json.encode(said)
        rights = _scopes(pick) if pick.login is None else asking.spec.id
        return (spec.title, place, client.id, rights, spec.audience, spec.resource, whose)

    async def _fetch(self, pick: Pick, asking: Asking, client: Client, previous: Fresh | None, refused: str) -> Fresh:
        login = pick.login
        if login is not None and login.access_token not in {"", refused} and not self._is_over(login):
            return Fresh(value=login.access_token, until=login.expires or self._now() + _UNSAID_LIFE)
        if previous is not None and previous.refresh_token:
            client = msgspec.structs.replace(client, refresh_token=previous.refresh_token)
        if login is not None and not client.refresh_token:
            raise _login_over(asking)
        endpoint = await self._endpoints.of(pick, asking)
        fresh = await self._ask(endpoint, pick.spec, _form(pick, client, endpoint.resource), client)
        if login is not None:
            await self._keep(login, fresh, asking)
        return fresh

    def _is_over(self, login: Login) -> bool:
        return bool(login.expires) and self._now() >= login.expires

    async def _keep(self, login: Login, fresh: Fresh, asking: Asking) -> None:
        """What a person stored once goes on to work: the next token takes the place of the last."""
        kept = msgspec.structs.replace(
            login,
            access_token=fresh.value,
            expires=fresh.until,
            refresh_token=fresh.refresh_token or login.refresh_token,
        )
        await self._logins.put(asking.spec.id, asking.principal, kept)

    async def _ask(self, endpoint: Endpoint, spec: CredentialSpec, form: dict[str, str], client: Client) -> Fresh:
        headers = {"content-type": "application/x-www-form-urlencoded"}
        if client.secret and client.auth == "client_secret_basic":
            headers["authorization"] = f"Basic {client.pair}"
        elif client.id:
            form = form | {"client_id": client.id} | ({"client_secret": client.secret} if client.secret else {})
        request = FetchRequest(
            url=endpoint.url, method="POST", headers=headers, body=urlencode(form).encode(), accept="application/json"
        )
        answer = await self._send(request, endpoint)
        said = _said(answer)
        token = said.get("access_token")
        if answer.status != 200 or not isinstance(token, str) or not token:
            raise _refused(endpoint, spec, answer, said, client.secrets)
        return Fresh(value=token, until=self._now() + _life(said), refresh_token=_text(said, "refresh_token"))


def subject_of(spec: CredentialSpec, asking: Asking) -> str:
    """The caller's own token; without one there is nothing to exchange."""
    word, _, token = asking.presented.get("authorization", "").partition(" ")
    if word.lower() == "bearer" and token.strip():
        return token.strip()
    raise Problem(
        Code.CREDENTIALS_MISSING,
        f"{spec.title} exchanges the caller's own token, and this caller came without one",
        hints=("call over HTTP with a bearer token",),
        details={"not_processed": True},
    )


def _form(pick: Pick, client: Client, resource: str) -> dict[str, str]:
    spec = pick.spec
    if client.subject:
        form = {"grant_type": _EXCHANGE, "subject_token": client.subject, "subject_token_type": _ACCESS_TOKEN}
    elif client.refresh_token:
        form = {"grant_type": "refresh_token", "refresh_token": client.refresh_token}
    else:
        form = {"grant_type": "client_credentials"}
    asked = {"scope": " ".join(_scopes(pick)), "audience": spec.audience, "resource": spec.resource or resource}
    if pick.login is not None:  # the person decided what it is for
        del asked["scope"]
    return form | {name: text for name, text in asked.items() if text}


def _scopes(pick: Pick) -> tuple[str, ...]:
    return pick.spec.scopes or tuple(sorted(pick.scopes))


def _said(answer: Fetched) -> dict[str, Any]:
    if answer.media_type == "application/x-www-form-urlencoded":
        return dict(parse_qsl(answer.body.decode("utf-8", "replace")))
    try:
        value = msgspec.json.decode(answer.body)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return {}
    return value if isinstance(value, dict) else {}


def _life(said: dict[str, Any]) -> float:
    """Seconds a token is used: a little less than it lives, so that none ends on its way."""
    try:
        lives = float(said.get("expires_in") or _UNSAID_LIFE)
    except (TypeError, ValueError):
        lives = _UNSAID_LIFE
    return max(0.0, lives - min(60.0, lives / 10))


def _text(said: dict[str, Any], name: str) -> str:
    value = said.get(name)
    return value if isinstance(value, str) else ""


def _refused(
    endpoint: Endpoint, spec: CredentialSpec, answer: Fetched, said: dict[str, Any], secrets: frozenset[str]
) -> Problem:
    words = ": ".join(filter(None, (_text(said, "error"), _text(said, "error_description"))))
    if not words:
        words = "no access_token in its answer" if answer.status == 200 else f"status {answer.status}"
    ill = answer.status >= 500
    return Problem(
        Code.UNAVAILABLE if ill else Code.UPSTREAM_UNAUTHENTICATED,
        f"{endpoint.shown} gave no token for {spec.title}: {redacted(words, secrets)[:300]}",
        hints=("check client_id, client_secret, scopes and audience of that credential",),
        retryable=ill,
        details={"http_status": answer.status, "not_processed": True},
    )


def _login_over(asking: Asking) -> Problem:
    return Problem(
        Code.UPSTREAM_UNAUTHENTICATED,
        f"the login stored for {asking.spec.id} is no longer accepted",
        hints=(f"run: periplus login {asking.spec.id}",),
        details={"not_processed": True},
    )
