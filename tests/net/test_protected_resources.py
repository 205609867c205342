"""S-98: tokens for MCP servers over HTTP: the server says who gives them, and whose name they are to carry."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import parse_qs

import pytest
from loopback import Received, Server, Servers, response

from calling import Caller
from periplus.model import Code, CredentialScheme, CredentialSpec, Problem, SourceSpec
from periplus.net import FetchPolicy, HttpCalls
from periplus.net.urls import parse_target

ANYWHERE = FetchPolicy(allow=("127.0.0.0/8",))
WELL_KNOWN = "/.well-known/oauth-protected-resource"


class Harbour:
    """An MCP server that says things of itself, and the server that gives tokens for it."""

    def __init__(self) -> None:
        self.pages: dict[str, dict[str, Any]] = {}  # what the MCP server says, by path
        self.forms: list[dict[str, str]] = []
        self.tokens: Server
        self.api: Server

    async def start(self, servers: Servers) -> Harbour:
        self.tokens = await servers.start(self._token)
        self.api = await servers.start(self._api)
        return self

    def says(self, path: str = f"{WELL_KNOWN}/mcp", **other: Any) -> None:
        self.pages[path] = {"resource": self.api.url("/mcp"), "authorization_servers": [self.tokens.url("")]} | other

    async def _api(self, request: Received, writer: asyncio.StreamWriter) -> None:
        page = self.pages.get(request.target)
        writer.write(response(200, json.dumps(page).encode()) if page else response(404, b"no"))

    async def _token(self, request: Received, writer: asyncio.StreamWriter) -> None:
        if request.method == "GET":
            said = {"issuer": self.tokens.url(""), "token_endpoint": self.tokens.url("/token")}
            writer.write(response(200, json.dumps(said).encode(), content_type="application/json"))
            return
        self.forms.append({name: values[0] for name, values in parse_qs(request.body.decode()).items()})
        writer.write(response(200, json.dumps({"access_token": f"token-{len(self.forms)}"}).encode()))

    async def lent(self, calls: HttpCalls, path: str = "/mcp", source: str = "s", **spec: Any) -> str:
        url = self.api.url(path)
        given = await calls.lend(SourceSpec(id=source, kind="mcp", url=url, **spec), parse_target(url))
        return given.headers.get("authorization", "")


@pytest.fixture
async def harbour(servers: Servers, monkeypatch: pytest.MonkeyPatch) -> Harbour:
    monkeypatch.setenv("T_CLIENT_SECRET", "client-secret-canary")
    return await Harbour().start(servers)


@pytest.fixture
async def caller() -> AsyncIterator[Caller]:
    kept = Caller()
    yield kept
    await kept.close()


def client(**given: Any) -> CredentialSpec:
    said = {"scheme": CredentialScheme.OAUTH2, "source": "s", "client_id": "us", "client_secret": "env:T_CLIENT_SECRET"}
    return CredentialSpec(**said | given)


@pytest.mark.parametrize("path", [f"{WELL_KNOWN}/mcp", WELL_KNOWN])
async def test_a_server_says_who_gives_tokens_for_it(harbour: Harbour, caller: Caller, path: str) -> None:
    """For its path, or for all of its host; asked once, and the token is for this server by name."""
    harbour.says(path)
    calls = caller.calls(client(), policy=ANYWHERE)
    assert [await harbour.lent(calls) for _ in range(2)] == ["Bearer token-1"] * 2
    assert harbour.forms == [{"grant_type": "client_credentials", "resource": harbour.api.url("/mcp")}]


async def test_what_the_operator_wrote_is_not_looked_for(harbour: Harbour, caller: Caller) -> None:
    calls = caller.calls(client(issuer=harbour.tokens.url(""), resource="urn:berths"), policy=ANYWHERE)
    assert await harbour.lent(calls) == "Bearer token-1"
    assert harbour.forms[0]["resource"] == "urn:berths"
    assert harbour.api.targets == []


@pytest.mark.parametrize(
    "said",
    [
        {"resource": "https://other.example.com/mcp"},
        {"resource": "/mcp"},
        {"authorization_servers": []},
        {"authorization_servers": "x"},
        {"authorization_servers": [7]},
    ],
)
async def test_what_speaks_of_another_resource_is_not_believed(
    harbour: Harbour, caller: Caller, said: dict[str, Any]
) -> None:
    harbour.says(**said)
    with pytest.raises(Problem) as caught:
        await harbour.lent(caller.calls(client(), policy=ANYWHERE))
    assert caught.value.code is Code.CREDENTIALS_MISSING
    assert "nothing says where" in caught.value.message
    assert harbour.forms == []


async def test_a_server_cannot_send_a_hosts_secret_to_another_host(harbour: Harbour, caller: Caller) -> None:
    """S-64: only a credential that is bound to the source follows what the source says."""
    harbour.says(authorization_servers=["https://evil.example.com"])
    with pytest.raises(Problem) as caught:
        await harbour.lent(caller.calls(client(source="", host="127.0.0.1"), policy=ANYWHERE))
    assert "another host" in caught.value.message
    assert harbour.forms == []


async def test_a_token_for_one_server_is_not_shown_to_another(harbour: Harbour, caller: Caller) -> None:
    """S-98: also where one credential serves both."""
    harbour.says()
    harbour.says(f"{WELL_KNOWN}/other", resource=harbour.api.url("/other"))
    calls = caller.calls(client(source="", host="127.0.0.1"), policy=ANYWHERE)
    assert await harbour.lent(calls) == "Bearer token-1"
    assert await harbour.lent(calls, "/other", "t") == "Bearer token-2"
    assert [form["resource"] for form in harbour.forms] == [harbour.api.url("/mcp"), harbour.api.url("/other")]
