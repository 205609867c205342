"""T-20, T-21: who may come in, and how they say who they are."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import anyio
import httpx2
import pytest
from harbours import Caller, keys_for, settings_of
from joserfc import jwt
from joserfc.jwk import ECKey, KeySet, OctKey
from mcp import Client
from whole import code_of

from listening import listening
from periplus.app import open_gateway
from periplus.app.callers import callers
from periplus.app.serving import Address, open_application
from periplus.model import Code, Principal, Problem
from periplus.settings import JwtSettings, ServeSettings, Settings
from periplus.testing.clock import SettableClock
from sites import Site

AUDIENCE = "https://tools.example"


class Keyed(NamedTuple):
    base: str
    key: str
    settings: Settings


@pytest.fixture
def keyed(tmp_path: Path, upstream: Site, verbs: None) -> Iterator[Keyed]:
    settings = settings_of(tmp_path, upstream, auth="keys")
    (key,) = keys_for(settings, Principal(id="ann", tenant="red", scopes=frozenset({"read", "book"})))
    with listening(lambda: open_application(settings)) as base:
        yield Keyed(base, key, settings)


def test_a_gateway_for_other_machines_wants_to_know_its_callers(tmp_path: Path, verbs: None) -> None:
    """T-20."""

    async def attempt(settings: Settings) -> None:
        async with open_application(settings, address=Address("0.0.0.0", 8750)):  # noqa: S104 - refused, or not bound
            pass

    with pytest.raises(Problem, match="nobody has to say who it is") as caught:
        anyio.run(attempt, Settings(data=str(tmp_path), serve=ServeSettings(face="verbs")))
    assert "or, knowing that, pass --insecure" in caught.value.hints
    for serve in ({"insecure": True}, {"auth": "keys"}):
        anyio.run(attempt, Settings(data=str(tmp_path), serve=ServeSettings(face="verbs", **serve)))


def test_nobody_comes_in_without_saying_who_it_is(keyed: Keyed) -> None:
    """T-21."""
    answer = Caller(keyed.base)("browse")
    assert (answer.status_code, code_of(answer)) == (401, Code.UNAUTHENTICATED)
    assert (
        f'resource_metadata="{keyed.base}/.well-known/oauth-protected-resource"' in answer.headers["www-authenticate"]
    )
    assert httpx2.post(f"{keyed.base}/mcp", json={}).status_code == 401
    assert httpx2.get(f"{keyed.base}/metrics").status_code == 401
    assert httpx2.get(f"{keyed.base}/healthz").status_code == 200


def test_a_key_is_shown_as_a_bearer_in_its_own_header_or_as_a_password(keyed: Keyed) -> None:
    """T-21."""
    id_ = keyed.key.split("_")[1]
    pair = base64.b64encode(f"{id_}:{keyed.key}".encode()).decode()
    for headers in (
        {"authorization": f"Bearer {keyed.key}"},
        {"x-api-key": keyed.key},
        {"authorization": f"Basic {pair}"},
    ):
        answer = httpx2.post(f"{keyed.base}/v1/verbs/browse", json={}, headers=headers)
        assert answer.status_code == 200, headers
    wrong = base64.b64encode(f"{'0' * 12}:{keyed.key}".encode()).decode()
    answer = httpx2.post(f"{keyed.base}/v1/verbs/browse", json={}, headers={"authorization": f"Basic {wrong}"})
    assert answer.status_code == 401


async def test_a_key_opens_the_mcp_endpoint_and_its_holder_owns_the_session(keyed: Keyed) -> None:
    """T-21."""
    headers = {"authorization": f"Bearer {keyed.key}"}
    async with httpx2.AsyncClient(headers=headers) as http:
        from mcp.client.streamable_http import streamable_http_client  # noqa: PLC0415

        async with Client(streamable_http_client(f"{keyed.base}/mcp", http_client=http), mode="legacy") as client:
            result = await client.call_tool("browse", {})
    assert {ref.partition("/")[0] for ref in result.structured_content["refs"]} == {"red"}


@pytest.mark.parametrize("spoiled", ["", "pk_", "pk_000000000000_" + "a" * 43, "nonsense"])
def test_a_key_that_is_not_one_is_refused(keyed: Keyed, spoiled: str) -> None:
    """T-21."""
    key = spoiled or keyed.key[:-1] + ("a" if keyed.key[-1] != "a" else "b")
    answer = Caller(keyed.base, key)("browse")
    assert (answer.status_code, code_of(answer)) == (401, Code.UNAUTHENTICATED)
    assert key not in answer.text


def test_a_revoked_key_is_refused_at_once_and_so_are_its_tokens(keyed: Keyed) -> None:
    """T-21."""
    token = _token(keyed).json()["access_token"]
    assert Caller(keyed.base, token)("browse").status_code == 200

    async def revoke() -> None:
        async with open_gateway(keyed.settings, configure=False) as gateway:
            await gateway.revoke_key(keyed.key)

    anyio.run(revoke)
    for shown in (keyed.key, token):
        answer = Caller(keyed.base, shown)("browse")
        assert answer.status_code == 401
        assert "revoked" in answer.json()["message"]


def test_the_data_directory_holds_no_key(keyed: Keyed) -> None:
    """T-21: hashed at rest."""
    Caller(keyed.base, keyed.key)("browse")
    secret = keyed.key.rsplit("_", 1)[1].encode()
    for file in Path(keyed.settings.data).rglob("*"):
        assert not file.is_file() or secret not in file.read_bytes(), file


def test_a_client_exchanges_its_key_for_a_token_of_an_hour(keyed: Keyed) -> None:
    """T-21: client credentials."""
    answer = _token(keyed, scope="read")
    said = answer.json()
    assert answer.headers["cache-control"] == "no-store"
    assert (said["token_type"], said["expires_in"], said["scope"]) == ("Bearer", 3600, "read")
    assert keyed.key not in said["access_token"]
    assert Caller(keyed.base, said["access_token"])("browse").status_code == 200
    assert _token(keyed, scope="admin").json()["error"] == "invalid_scope"
    assert _token(keyed, client_secret="wrong").json()["error"] == "invalid_client"
    assert _token(keyed, grant_type="password").json()["error"] == "unsupported_grant_type"
    spoiled = said["access_token"][:-2] + "AA"
    assert Caller(keyed.base, spoiled)("browse").status_code == 401


def test_clients_are_told_where_tokens_come_from(keyed: Keyed) -> None:
    """T-21: RFC 9728, RFC 8414."""
    for path in ("", "/mcp"):
        said = httpx2.get(f"{keyed.base}/.well-known/oauth-protected-resource{path}").json()
        assert (said["resource"], said["authorization_servers"]) == (keyed.base + path, [keyed.base])
    server = httpx2.get(f"{keyed.base}/.well-known/oauth-authorization-server").json()
    assert (server["issuer"], server["token_endpoint"]) == (keyed.base, f"{keyed.base}/oauth/token")


def _token(keyed: Keyed, **changes: str) -> httpx2.Response:
    form = {
        "grant_type": "client_credentials",
        "client_id": keyed.key.split("_")[1],
        "client_secret": keyed.key,
    }
    return httpx2.post(f"{keyed.base}/oauth/token", data=form | changes)


class Issuer:
    """A real issuer on loopback: metadata, keys, and a hand that signs."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self.rotate("first")

    @property
    def url(self) -> str:
        return self._site.base

    def rotate(self, name: str) -> None:
        self._key = ECKey.generate_key("P-256", {"kid": name, "use": "sig", "alg": "ES256"})
        self._site.write("/keys", json.dumps(KeySet([self._key]).as_dict(private=False)))
        metadata = {"issuer": self.url, "jwks_uri": f"{self.url}/keys"}
        self._site.write("/.well-known/oauth-authorization-server", json.dumps(metadata))

    def token(self, **changes: Any) -> str:
        claims = {"iss": self.url, "aud": AUDIENCE, "sub": "ann", "org": "red", "scope": "read"}
        claims |= {"exp": int(time.time()) + 600} | changes
        said = {name: value for name, value in claims.items() if value is not None}
        return jwt.encode({"alg": "ES256", "kid": self._key.kid}, said, self._key)


class Trusting(NamedTuple):
    base: str
    issuer: Issuer


@pytest.fixture
def trusting(tmp_path: Path, upstream: Site, verbs: None) -> Iterator[Trusting]:
    issuer = Issuer(upstream)
    trust = JwtSettings(issuer=issuer.url, audience=(AUDIENCE,), tenant="org")
    settings = settings_of(tmp_path, upstream, auth="jwt", jwt=trust)
    keys_for(settings)
    with listening(lambda: open_application(settings)) as base:
        yield Trusting(base, issuer)


def test_a_token_of_the_issuer_says_who_asks_and_for_which_tenant(trusting: Trusting) -> None:
    """T-21, T-22."""
    answer = Caller(trusting.base, trusting.issuer.token())("browse")
    assert {ref.partition("/")[0] for ref in answer.json()["refs"]} == {"red"}
    said = httpx2.get(f"{trusting.base}/.well-known/oauth-protected-resource/mcp").json()
    assert said["authorization_servers"] == [trusting.issuer.url]
    assert httpx2.post(f"{trusting.base}/oauth/token", data={}).status_code == 404


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"iss": "https://evil.example"}, "iss"),
        ({"aud": "https://other.example"}, "aud"),
        ({"aud": None}, "aud"),
        ({"exp": 1}, "exp"),
        ({"exp": None}, "exp"),
        ({"nbf": 9_999_999_999}, "not yet"),
        ({"sub": None}, "names nobody"),
        ({"org": None}, "names no tenant"),
        ({"org": ""}, "names no tenant"),
    ],
)
def test_a_token_for_somebody_else_or_another_time_is_refused(
    trusting: Trusting, changes: dict[str, Any], word: str
) -> None:
    """T-21."""
    answer = Caller(trusting.base, trusting.issuer.token(**changes))("browse")
    assert answer.status_code == 401
    assert word in answer.json()["message"]


def test_a_token_that_the_issuer_did_not_sign_is_refused(trusting: Trusting) -> None:
    """T-21: other keys, no signature, and the issuer's public key taken for a shared secret."""
    claims = {"iss": trusting.issuer.url, "aud": AUDIENCE, "sub": "ann", "org": "red", "exp": 9_999_999_999}
    stranger = ECKey.generate_key("P-256", {"kid": "first"})
    public = httpx2.get(f"{trusting.issuer.url}/keys").content
    forged = [
        jwt.encode({"alg": "ES256", "kid": "first"}, claims, stranger),
        jwt.encode({"alg": "HS256", "kid": "first"}, claims, OctKey.import_key(public)),
        ".".join((_b64({"alg": "none"}), _b64(claims), "")),
        trusting.issuer.token()[:-4] + "AAAA",
    ]
    for token in forged:
        assert Caller(trusting.base, token)("browse").status_code == 401


def _b64(value: Any) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()


async def test_the_keys_of_an_issuer_are_asked_for_again_when_they_change(tmp_path: Path, upstream: Site) -> None:
    """T-21: rotation, without a request for each forged token."""
    clock = SettableClock(time.time())
    issuer = Issuer(upstream)
    trust = JwtSettings(issuer=issuer.url, audience=(AUDIENCE,))
    settings = settings_of(tmp_path, upstream, auth="jwt", jwt=trust)
    async with (
        open_gateway(settings, clock=clock, configure=False) as gateway,
        callers(gateway, settings, exposed=False) as known,
    ):
        old = {"authorization": f"Bearer {issuer.token()}"}
        assert (await known.authenticator.principal(old)).scopes == {"read"}
        issuer.rotate("second")
        new = {"authorization": f"Bearer {issuer.token()}"}
        asked = len(upstream.requests)
        for _ in range(5):
            with pytest.raises(Problem, match="not accepted"):
                await known.authenticator.principal(new)
        assert len(upstream.requests) == asked
        clock.advance(60)
        assert (await known.authenticator.principal(new)).id == "ann"
        with pytest.raises(Problem, match="not accepted"):
            await known.authenticator.principal(old)


async def test_metadata_that_speaks_for_another_issuer_is_not_believed(tmp_path: Path, upstream: Site) -> None:
    """T-21."""
    issuer = Issuer(upstream)
    token = issuer.token()
    said = {"issuer": "https://evil.example", "jwks_uri": f"{issuer.url}/keys"}
    upstream.write("/.well-known/oauth-authorization-server", json.dumps(said))
    trust = JwtSettings(issuer=issuer.url, audience=(AUDIENCE,))
    settings = settings_of(tmp_path, upstream, auth="jwt", jwt=trust)
    async with (
        open_gateway(settings, configure=False) as gateway,
        callers(gateway, settings, exposed=False) as known,
    ):
        with pytest.raises(Problem, match=r"speaks for .https://evil\.example") as caught:
            await known.authenticator.principal({"authorization": f"Bearer {token}"})
    assert caught.value.code is Code.UNAVAILABLE


@pytest.mark.parametrize("missing", ["issuer", "audience"])
async def test_tokens_are_not_taken_from_anybody_or_for_anything(tmp_path: Path, missing: str) -> None:
    """T-21."""
    said: dict[str, Any] = {"issuer": "https://login.example", "audience": (AUDIENCE,)} | {missing: ""}
    serve = ServeSettings(auth="jwt", jwt=JwtSettings(**said))
    settings = Settings(data=str(tmp_path), serve=serve)
    async with open_gateway(settings, configure=False) as gateway:
        with pytest.raises(Problem, match=missing):
            await callers(gateway, settings, exposed=True).__aenter__()


async def test_a_key_ends_when_it_was_made_to(tmp_path: Path) -> None:
    """T-21."""
    clock = SettableClock(time.time())
    async with open_gateway(Settings(data=str(tmp_path)), clock=clock, configure=False) as gateway:
        made = await gateway.issue_key(Principal(id="ann"), lasts_s=3600)
        assert (await gateway.holder_of(made.key)).id == "ann"
        clock.advance(3601)
        with pytest.raises(Problem, match="expired"):
            await gateway.holder_of(made.key)
