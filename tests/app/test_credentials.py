"""Credentials from the settings, through the whole gateway and on the command line: S-62, S-66, T-23."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

import sites
from periplus.app import open_gateway
from periplus.app.calling import mcp_transport
from periplus.app.logins import open_logins
from periplus.model import LOCAL, Code, CredentialScheme, CredentialSpec, Problem, SourceSpec
from periplus.net import Fetcher, FetchPolicy, HttpCalls
from periplus.settings import Settings, load_settings
from periplus.testing.clock import SettableClock

SECRET = "c4nary-settings"


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[sites.Site]:
    """An API that tells nothing to strangers, not even its description."""
    monkeypatch.setenv("T_SECRET", SECRET)
    with sites.site() as made:
        document = sites.api("echo", tags=False, servers=[{"url": made.base}])

        async def described(request: Request) -> Response:
            if request.headers.get("authorization") != f"Bearer {SECRET}":
                return Response("who are you?", 401)
            return JSONResponse(document)

        async def echo(request: Request) -> Response:
            return JSONResponse(request.headers.get("authorization", "nobody").replace("Bearer ", ""))

        made.serve("/openapi.json", described)
        made.serve("/echo", echo)
        yield made


def bearer(**given: Any) -> CredentialSpec:
    return CredentialSpec(scheme=CredentialScheme.BEARER, token="env:T_SECRET", **given)


@pytest.mark.parametrize("where", [{"host": "127.0.0.1"}, {"source": "quay"}])
async def test_a_source_is_read_and_called_with_the_same_credential(
    site: sites.Site, tmp_path: Path, where: dict[str, str]
):
    """S-62"""
    spec = SourceSpec(id="quay", url=site.url("/openapi.json"))
    settings = Settings(data=str(tmp_path), sources={"quay": spec}, credentials=(bearer(**where),))
    async with open_gateway(settings) as gateway:
        result = await gateway.call("quay/general/echo")
    assert result.value == "***"
    assert [request.headers["authorization"] for request in site.requests][-1] == f"Bearer {SECRET}"


async def test_a_source_of_another_name_is_not_read_with_it(site: sites.Site, tmp_path: Path):
    settings = Settings(data=str(tmp_path), credentials=(bearer(source="other"),))
    async with open_gateway(settings) as gateway:
        with pytest.raises(Problem):
            await gateway.connect(SourceSpec(id="quay", url=site.url("/openapi.json")))


async def test_sessions_of_mcp_servers_carry_what_is_good_now(site: sites.Site):
    """S-98"""
    fetcher = Fetcher(FetchPolicy())
    key = CredentialSpec(
        scheme=CredentialScheme.API_KEY, source="quay", key="env:T_SECRET", place="query", parameter="k"
    )
    calls = HttpCalls(fetcher, SettableClock(), credentials=(bearer(source="quay"), key))
    fetcher.lend = calls.lend
    spec = SourceSpec(id="quay", url=site.url("/openapi.json"))
    learnt: set[str] = set()
    transport = mcp_transport(fetcher, calls, spec, LOCAL, learnt.update)
    async with httpx2.AsyncClient(transport=transport, trust_env=False) as client:
        assert (await client.get(site.url("/echo?x=1"))).json() == SECRET
    assert str(site.requests[-1].url.query) == f"x=1&k={SECRET}"
    assert SECRET in learnt
    await calls.close()
    await fetcher.close()


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ('scheme = "bearer"\nhost = "h"\ntoken = "s3cr3t"', "token is written out"),
        ('scheme = "header"\nhost = "h"\nheaders = { X = "Token s3cr3t" }', "headers.X is written out"),
        ('scheme = "bearer"\nhost = "h"', "token is missing"),
        ('scheme = "mtls"\nhost = "h"', "certificate is missing"),
        ('scheme = "bearer"\ntoken = "env:X"', "neither host nor source"),
        (
            'scheme = "api_key"\nhost = "h"\nkey = "env:X"\nplace = "body"',
            "place is 'body': one of header, query, cookie",
        ),
        ('scheme = "oauth2"\nhost = "h"\nclient_id = "x"\nclient_auth = "jwt"', "client_auth is 'jwt'"),
        ('scheme = "kerberos"\nhost = "h"', "kerberos"),
        ('scheme = "bearer"\nhost = "h"\ntokn = "s3cr3t"', "unknown setting 'credentials[1].tokn'"),
        ('host = "h"\ntoken = "env:X"', "scheme"),
    ],
)
def test_a_credential_that_cannot_be_meant_stops_the_start(tmp_path: Path, table: str, said: str):
    """S-62"""
    file = tmp_path / "periplus.toml"
    file.write_text(f"[[credentials]]\n{table}\n")
    with pytest.raises(Problem) as caught:
        load_settings(file, {})
    assert caught.value.code is Code.BAD_SETTING
    assert said in caught.value.message
    assert "s3cr3t" not in json.dumps(caught.value.to_json())


def _periplus(tmp_path: Path, *arguments: str, given: str = "") -> subprocess.CompletedProcess[str]:
    environ = os.environ | {"PERIPLUS_DATA": str(tmp_path / "data")}
    command = [sys.executable, "-c", "from periplus.cli.main import run; run()", *arguments]
    return subprocess.run(command, input=given, capture_output=True, text=True, env=environ, cwd=tmp_path, check=False)


def test_literals_that_are_allowed_are_not_printed(tmp_path: Path):
    """T-23"""
    (tmp_path / "periplus.toml").write_text(
        f'[secrets]\nallow_literals = true\n[[credentials]]\nhost = "h"\nscheme = "header"\nheaders = {{ X = "Token {SECRET}" }}\n'
    )
    for arguments in (("config",), ("config", "--json")):
        done = _periplus(tmp_path, *arguments)
        assert SECRET not in done.stdout + done.stderr
        assert "***" in done.stdout


async def test_a_login_is_stored_by_the_command_line_and_forgotten_again(tmp_path: Path):
    """S-66"""
    done = _periplus(
        tmp_path,
        "login",
        "quay",
        "--refresh",
        "--client-id",
        "us",
        "--token-url",
        "https://id.example.com/t",
        given=f"{SECRET}\n",
    )
    assert done.stdout == "Stored a login for quay. It serves your own calls; --everyone makes it serve all.\n"
    stored = await open_logins(Settings(data=str(tmp_path / "data"))).get("quay", LOCAL)
    assert stored is not None
    assert (stored.refresh_token, stored.client_id, stored.token_url) == (SECRET, "us", "https://id.example.com/t")
    assert _periplus(tmp_path, "login", "quay", "--forget").stdout == "Forgot the login for quay.\n"
    assert _periplus(tmp_path, "login", "quay", "--forget").stdout == "There was no login for quay.\n"


@pytest.mark.parametrize(
    ("arguments", "given", "said"),
    [
        (("quay",), "\n", "no token was given"),
        (("quay", "--client-secret", "s3cr3t"), "x\n", "--client-secret is not a reference"),
    ],
)
def test_a_login_without_a_token_or_with_a_secret_on_the_command_line_is_refused(
    tmp_path: Path, arguments: tuple[str, ...], given: str, said: str
):
    done = _periplus(tmp_path, "login", *arguments, given=given)
    assert done.returncode == Code.BAD_INPUT.status.exit
    assert said in done.stderr
    assert "s3cr3t" not in done.stderr


def test_the_doctor_says_which_reference_leads_nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("T_THERE", SECRET)
    tables = "".join(
        f'[[credentials]]\nhost = "h"\nscheme = "bearer"\nname = "{name}"\ntoken = "env:T_{name}"\n'
        for name in ("THERE", "NOWHERE")
    )
    (tmp_path / "periplus.toml").write_text(tables)
    said = _periplus(tmp_path, "doctor").stdout
    assert "credential THERE  its references resolve" in said
    assert "the credential reference env:T_NOWHERE does not resolve" in said
    assert SECRET not in said
