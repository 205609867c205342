"""Access tokens: S-63, S-66, S-67."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import anyio
import pytest
from loopback import Received, Server, Servers, response

from calling import Caller, call, site_of
from periplus.app.logins import SealedLogins
from periplus.core.seal import KeyRing, Seal
from periplus.model import LOCAL, Code, CredentialScheme, CredentialSpec, Principal, Problem, SourceSpec
from periplus.net import FetchPolicy
from periplus.net.credentials.logins import Login
from periplus.ports import Site

ANYWHERE = FetchPolicy(allow=("127.0.0.0/8",))


@pytest.fixture
async def caller():
    kept = Caller()
    yield kept
    await kept.close()


@pytest.fixture(autouse=True)
def secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("T_CLIENT_SECRET", "client-secret-canary")
    monkeypatch.setenv("T_REFRESH", "refresh-canary-one")


class Authority:
    """An authorization server that numbers its tokens, and an API that takes the newest."""

    def __init__(self) -> None:
        self.forms: list[dict[str, str]] = []
        self.headers: list[dict[str, str]] = []
        self.says: dict[str, Any] = {"expires_in": 3600}
        self.status = 200
        self.valid: Callable[[str], bool] = lambda token: token.startswith("Bearer access-token-")
        self.gate = asyncio.Event()
        self.gate.set()
        self.tokens: Server
        self.api: Server

    async def start(self, servers: Servers) -> Authority:
        self.tokens = await servers.start(self._token)
        self.api = await servers.start(self._api)
        return self

    async def _token(self, request: Received, writer: asyncio.StreamWriter) -> None:
        await self.gate.wait()
        if request.method == "GET":
            writer.write(response(200, json.dumps(self.metadata()).encode(), content_type="application/json"))
            return
        self.forms.append({name: values[0] for name, values in parse_qs(request.body.decode()).items()})
        self.headers.append(request.headers)
        said = {"access_token": f"access-token-{len(self.forms)}", "token_type": "Bearer"} | self.says
        writer.write(response(self.status, json.dumps(said).encode(), content_type="application/json"))

    async def _api(self, request: Received, writer: asyncio.StreamWriter) -> None:
        good = self.valid(request.headers.get("authorization", ""))
        writer.write(response(200 if good else 401, b"1" if good else b"expired"))

    def metadata(self) -> dict[str, str]:
        return {"issuer": self.tokens.url(""), "token_endpoint": self.tokens.url("/token")}

    @property
    def shown(self) -> list[str]:
        return [each.headers.get("authorization", "") for each in self.api.requests]


@pytest.fixture
async def authority(servers: Servers) -> Authority:
    return await Authority().start(servers)


def client(authority: Authority | None = None, **given: Any) -> CredentialSpec:
    url = authority.tokens.url("/token") if authority else ""
    return CredentialSpec(
        **{
            "scheme": CredentialScheme.OAUTH2,
            "source": "s",
            "client_id": "us",
            "client_secret": "env:T_CLIENT_SECRET",
            "token_url": url,
        }
        | given
    )


async def test_client_credentials_with_the_scopes_of_the_operation(authority: Authority, caller: Caller):
    """S-66"""
    schemes = {
        "o": {
            "type": "oauth2",
            "flows": {"clientCredentials": {"tokenUrl": "http://nowhere.example.com/", "scopes": []}},
        }
    }
    site = site_of(authority.api.url(), schemes=schemes, security=[{"o": ["write", "read"]}])
    await call(caller.calls(client(authority, audience="harbour")), authority.api.url(), site=site)
    assert authority.forms == [{"grant_type": "client_credentials", "scope": "read write", "audience": "harbour"}]
    assert authority.headers[0]["authorization"] == "Basic " + base64.b64encode(b"us:client-secret-canary").decode()
    assert authority.shown == ["Bearer access-token-1"]


async def test_a_client_may_say_who_it_is_in_the_form(authority: Authority, caller: Caller):
    await call(caller.calls(client(authority, client_auth="client_secret_post", scopes=("all",))), authority.api.url())
    assert authority.forms[0] == {
        "grant_type": "client_credentials", "scope": "all", "client_id": "us", "client_secret": "client-secret-canary",
    }  # fmt: skip
    assert "authorization" not in authority.headers[0]


async def test_two_hundred_callers_ask_for_one_token(authority: Authority, caller: Caller):
    """S-66: single flight"""
    authority.gate.clear()
    calls = caller.calls(client(authority))
    async with anyio.create_task_group() as tasks:
        for number in range(200):
            tasks.start_soon(lambda who: call(calls, authority.api.url(), principal=Principal(id=f"c{who}")), number)
        await anyio.wait_all_tasks_blocked()
        authority.gate.set()
    assert len(authority.forms) == 1
    assert authority.shown == ["Bearer access-token-1"] * 200


async def test_two_hundred_callers_share_one_refusal(authority: Authority, caller: Caller):
    authority.status, authority.says = (
        401,
        {"access_token": None, "error": "invalid_client", "error_description": "not client-secret-canary"},
    )
    authority.gate.clear()
    calls = caller.calls(client(authority))
    problems: list[Problem] = []

    async def one() -> None:
        with pytest.raises(Problem) as caught:
            await call(calls, authority.api.url())
        problems.append(caught.value)

    async with anyio.create_task_group() as tasks:
        for _ in range(200):
            tasks.start_soon(one)
        await anyio.wait_all_tasks_blocked()
        authority.gate.set()
    assert len(authority.forms) == 1
    assert {problem.code for problem in problems} == {Code.UPSTREAM_UNAUTHENTICATED}
    assert problems[0].message == (
        f"{authority.tokens.url('/token')} gave no token for oauth2 for s: invalid_client: not ***"
    )
    assert problems[0].details == {"http_status": 401, "not_processed": True}
    assert authority.api.requests == []


async def test_a_caller_who_gives_up_takes_nobody_along(authority: Authority, caller: Caller):
    authority.gate.clear()
    calls = caller.calls(client(authority))
    answers: list[Any] = []

    async def one() -> None:
        answers.append((await call(calls, authority.api.url())).value)

    async with anyio.create_task_group() as tasks:
        impatient = await tasks.start(_scoped, one)
        await anyio.wait_all_tasks_blocked()
        tasks.start_soon(one)
        await anyio.wait_all_tasks_blocked()
        impatient.cancel()
        authority.gate.set()
    assert answers == [1]


async def _scoped(work: Callable[[], Any], *, task_status: anyio.abc.TaskStatus[anyio.CancelScope]) -> None:
    with anyio.CancelScope() as scope:
        task_status.started(scope)
        await work()


async def test_a_token_is_renewed_before_it_ends(authority: Authority, caller: Caller):
    """S-66"""
    calls = caller.calls(client(authority))
    for seconds in (0, 3500, 45):
        caller.clock.advance(seconds)
        await call(calls, authority.api.url())
    assert authority.shown == ["Bearer access-token-1", "Bearer access-token-1", "Bearer access-token-2"]


async def test_a_401_renews_the_token_and_sends_once_more(authority: Authority, caller: Caller):
    """S-66"""
    calls = caller.calls(client(authority))
    await call(calls, authority.api.url())
    authority.valid = lambda token: token == "Bearer access-token-2"
    assert (await call(calls, authority.api.url())).value == 1
    assert authority.shown == ["Bearer access-token-1", "Bearer access-token-1", "Bearer access-token-2"]
    authority.valid = lambda _token: False
    with pytest.raises(Problem) as caught:
        await call(calls, authority.api.url())
    assert caught.value.code is Code.UPSTREAM_UNAUTHENTICATED
    assert len(authority.shown) == 5


async def test_many_refused_at_once_renew_once(authority: Authority, caller: Caller):
    """S-66"""
    calls = caller.calls(client(authority))
    await call(calls, authority.api.url())
    authority.valid = lambda token: token == "Bearer access-token-2"
    async with anyio.create_task_group() as tasks:
        for _ in range(50):
            tasks.start_soon(call, calls, authority.api.url())
    assert len(authority.forms) == 2


async def test_scopes_and_audiences_do_not_share_a_token(authority: Authority, caller: Caller):
    calls = caller.calls(client(authority))
    schemes = {"o": {"type": "oauth2", "flows": {}}}
    for scopes in (["a"], ["b"], ["a"]):
        await call(
            calls, authority.api.url(), site=site_of(authority.api.url(), schemes=schemes, security=[{"o": scopes}])
        )
    assert [form["scope"] for form in authority.forms] == ["a", "b"]


async def test_a_refresh_token_asks_and_the_one_that_comes_back_asks_next(authority: Authority, caller: Caller):
    """S-63"""
    authority.says = {"expires_in": 100, "refresh_token": "refresh-canary-two"}
    calls = caller.calls(client(authority, client_secret="", refresh_token="env:T_REFRESH"))
    await call(calls, authority.api.url())
    caller.clock.advance(100)
    await call(calls, authority.api.url())
    assert [form["refresh_token"] for form in authority.forms] == ["refresh-canary-one", "refresh-canary-two"]
    assert authority.forms[0] == {
        "grant_type": "refresh_token",
        "refresh_token": "refresh-canary-one",
        "client_id": "us",
    }


async def test_a_callers_token_is_exchanged_and_never_sent_on(authority: Authority, caller: Caller):
    """S-63, S-67: RFC 8693"""
    spec = client(authority, scheme=CredentialScheme.TOKEN_EXCHANGE, audience="harbour")
    calls = caller.calls(spec)
    for who in ("anna", "bert", "anna"):
        await call(
            calls,
            authority.api.url(),
            principal=Principal(id=who),
            presented={"authorization": f"Bearer token-of-{who}"},
        )
    assert [form["subject_token"] for form in authority.forms] == ["token-of-anna", "token-of-bert"]
    assert authority.forms[0]["grant_type"] == "urn:ietf:params:oauth:grant-type:token-exchange"
    assert authority.shown == ["Bearer access-token-1", "Bearer access-token-2", "Bearer access-token-1"]
    with pytest.raises(Problem) as caught:
        await call(calls, authority.api.url(), principal=Principal(id="carl"))
    assert "came without one" in caught.value.message


async def test_an_issuer_names_its_token_endpoint(authority: Authority, caller: Caller):
    """S-66"""
    await call(caller.calls(client(issuer=authority.tokens.url(""))), authority.api.url())
    assert authority.tokens.targets == ["/.well-known/openid-configuration", "/token"]


async def test_an_issuer_without_openid_is_asked_where_oauth_has_it(
    servers: Servers, authority: Authority, caller: Caller
):
    """S-66: RFC 8414, where the well-known part stands before the issuer's path"""

    async def answer(request: Received, writer: asyncio.StreamWriter) -> None:
        if request.target == "/.well-known/oauth-authorization-server/harbour":
            said = {"issuer": server.url("/harbour"), "token_endpoint": authority.tokens.url("/token")}
            writer.write(response(200, json.dumps(said).encode()))
        else:
            writer.write(response(404))

    server = await servers.start(answer)
    await call(caller.calls(client(issuer=server.url("/harbour"))), authority.api.url())
    assert server.targets == [
        "/harbour/.well-known/openid-configuration",
        "/.well-known/oauth-authorization-server/harbour",
    ]
    assert len(authority.forms) == 1


async def test_metadata_that_speaks_for_another_issuer_is_refused(authority: Authority, caller: Caller):
    """S-66"""
    authority.metadata = lambda: {
        "issuer": "https://evil.example.com",
        "token_endpoint": authority.tokens.url("/token"),
    }
    with pytest.raises(Problem) as caught:
        await call(caller.calls(client(issuer=authority.tokens.url(""))), authority.api.url())
    assert "it speaks for another issuer, 'https://evil.example.com'" in caught.value.message
    assert authority.forms == []


@pytest.mark.parametrize("member", ["openIdConnectUrl", "oauth2MetadataUrl"])
async def test_a_description_may_name_metadata(authority: Authority, caller: Caller, member: str):
    """S-66"""
    path = {
        "openIdConnectUrl": "/.well-known/openid-configuration",
        "oauth2MetadataUrl": "/.well-known/oauth-authorization-server",
    }[member]
    schemes = {"o": {"type": "openIdConnect", member: authority.tokens.url(path)}}
    site = site_of(authority.api.url(), schemes=schemes, security=[{"o": ["a"]}])
    await call(caller.calls(client(), policy=ANYWHERE), authority.api.url(), site=site)
    assert authority.tokens.targets == [path, "/token"]


async def test_a_description_cannot_send_the_clients_secret_to_another_host(authority: Authority, caller: Caller):
    """S-64, S-67"""
    schemes = {
        "o": {
            "type": "oauth2",
            "flows": {"clientCredentials": {"tokenUrl": "https://evil.example.com/token", "scopes": []}},
        }
    }
    site = site_of(authority.api.url(), schemes=schemes, security=[{"o": []}])
    with pytest.raises(Problem) as caught:
        await call(caller.calls(client(source="", host="127.0.0.1"), policy=ANYWHERE), authority.api.url(), site=site)
    assert caught.value.code is Code.CREDENTIALS_MISSING
    assert "the description names that endpoint on another host" in caught.value.message


async def test_a_token_endpoint_on_a_private_address_is_refused_unless_the_operator_wrote_it(
    authority: Authority, caller: Caller
):
    """S-13, S-66"""
    schemes = {
        "o": {
            "type": "oauth2",
            "flows": {"clientCredentials": {"tokenUrl": authority.tokens.url("/token"), "scopes": []}},
        }
    }
    site = site_of(authority.api.url(), schemes=schemes, security=[{"o": []}])
    with pytest.raises(Problem) as caught:
        await call(caller.calls(client()), authority.api.url(), site=site)
    assert caught.value.code is Code.REFUSED_ADDRESS
    assert (await call(caller.calls(client(authority)), authority.api.url(), site=site)).value == 1


@pytest.mark.parametrize("body", [b"<html>", b'{"token": "x"}', b"[]", b'{"access_token": 7}'])
async def test_a_token_endpoint_that_gives_no_token_is_named(
    servers: Servers, authority: Authority, caller: Caller, body: bytes
):
    server = await servers.start(response(200, body, content_type="application/json"))
    with pytest.raises(Problem) as caught:
        await call(caller.calls(client(token_url=server.url("/t"))), authority.api.url())
    assert caught.value.message.startswith(
        f"{server.url('/t')} gave no token for oauth2 for s: no access_token in its answer"
    )


def logins(caller: Caller, directory: Path) -> SealedLogins:
    return SealedLogins(directory, Seal(KeyRing.new(caller.clock), caller.clock), caller.clock)


def files_below(directory: Path) -> list[Path]:
    return [path for path in directory.rglob("*") if path.is_file()]


async def test_a_stored_login_serves_the_one_who_logged_in(authority: Authority, caller: Caller, tmp_path: Path):
    """S-66"""
    kept = logins(caller, tmp_path)
    await kept.put("s", LOCAL, Login(access_token="access-token-of-anna"))
    calls = caller.calls(logins=kept)
    site = site_of(authority.api.url(), schemes={"o": {"type": "oauth2", "flows": {}}}, security=[{"o": []}])
    await call(calls, authority.api.url(), site=site)
    with pytest.raises(Problem) as caught:
        await call(calls, authority.api.url(), site=site, principal=Principal(id="bert"))
    assert caught.value.code is Code.UPSTREAM_UNAUTHENTICATED
    assert authority.shown == ["Bearer access-token-of-anna", ""]
    modes = {path.name: path.stat().st_mode & 0o777 for path in files_below(tmp_path)}
    assert list(modes.values()) == [0o600]
    assert b"access-token" not in files_below(tmp_path)[0].read_bytes()


async def test_a_stored_refresh_token_is_replaced_by_the_next(authority: Authority, caller: Caller, tmp_path: Path):
    """S-66"""
    authority.says = {"expires_in": 100, "refresh_token": "refresh-canary-two"}
    kept = logins(caller, tmp_path)
    await kept.put(
        "s",
        LOCAL,
        Login(
            refresh_token="refresh-canary-one", token_url=authority.tokens.url("/token"), client_id="us", is_shared=True
        ),
    )
    await call(caller.calls(logins=kept), authority.api.url(), principal=Principal(id="bert"))
    stored = await kept.get("s", LOCAL)
    assert stored is not None
    assert (stored.refresh_token, stored.access_token) == ("refresh-canary-two", "access-token-1")
    caller.clock.advance(100)
    await call(caller.calls(logins=kept), authority.api.url(), principal=Principal(id="carl"))
    assert [form["refresh_token"] for form in authority.forms] == ["refresh-canary-one", "refresh-canary-two"]


async def test_a_login_that_is_no_longer_accepted_says_to_log_in_again(
    authority: Authority, caller: Caller, tmp_path: Path
):
    kept = logins(caller, tmp_path)
    await kept.put("s", LOCAL, Login(access_token="old", expires=caller.clock.now() - 1))
    with pytest.raises(Problem) as caught:
        await call(caller.calls(logins=kept), authority.api.url())
    assert caught.value.hints == ("run: periplus login s",)
    for path in files_below(tmp_path):
        path.write_text("not a token")
    with pytest.raises(Problem) as damaged:
        await call(caller.calls(logins=kept), authority.api.url())
    assert damaged.value.code is Code.CREDENTIALS_MISSING


async def test_a_login_stays_with_the_host_of_its_source(authority: Authority, caller: Caller, tmp_path: Path):
    """S-64, S-67"""
    kept = logins(caller, tmp_path)
    await kept.put("s", LOCAL, Login(access_token="access-token-of-anna"))
    foreign = "https://docs.example.org/openapi.json"
    with pytest.raises(Problem):
        await call(
            caller.calls(logins=kept, policy=ANYWHERE),
            authority.api.url(),
            site=Site(spec=SourceSpec(id="s", url=foreign), document_url=foreign),
        )
    assert authority.shown == [""]
