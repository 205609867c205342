"""No secret is found anywhere a person, a model or a backup could read it, in any spelling: T-23, S-62, S-79."""

from __future__ import annotations

import base64
import json
import logging
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote, quote_plus

import msgspec
import pytest
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

import sites
from periplus.app import open_gateway
from periplus.app.logins import open_logins
from periplus.cli.console import plain
from periplus.core.gateway import Gateway
from periplus.model import LOCAL, CredentialSpec, Problem, SourceSpec
from periplus.net.credentials.logins import Login
from periplus.settings import SearchSettings, Settings

TOOLS = ("echo", "refuse", "fail", "page", "move", "file", "stream", "challenge")
SAFE = 'c4nary-{}-8f3%2F+k"=ü'


def spellings(secret: str) -> dict[str, str]:
    """What an echo can make of a secret, computed without the code under test."""
    raw = secret.encode()
    wide = json.dumps(secret)[1:-1]
    return {
        "raw": secret,
        "url": quote(secret, safe=""),
        "form": quote_plus(secret),
        "json": wide,
        "base64": base64.b64encode(raw).decode().rstrip("="),
        "base64url": base64.urlsafe_b64encode(raw).decode().rstrip("="),
        "hex": raw.hex(),
        "client": base64.b64encode(b"us:" + quote_plus(secret).encode()).decode().rstrip("="),
        "basic": base64.b64encode(b"anna:" + raw).decode().rstrip("="),
    }


def canary(name: str, *, plain_text: bool = False) -> str:
    return f"c4nary-{name}-8f3k" if plain_text else SAFE.format(name).replace("ü", "")


SECRETS = {
    name: canary(name)
    for name in ("bearer", "basic", "digest", "query", "cookie", "header", "client", "fixed", "member", "literal")
} | {
    name: canary(name, plain_text=True)
    for name in ("access", "refresh", "caller", "passed", "helper", "login", "exchanged")
}
SECRETS["cookie"] = canary("cookie", plain_text=True)  # a quote has no place in a cookie


@pytest.fixture
def site() -> Iterator[sites.Site]:
    with sites.site() as made:
        yield made


def _echoed(request: Request) -> dict[str, Any]:
    """Everything a request carried, in all the ways a careless server repeats it."""
    texts = [
        *request.headers.values(),
        str(request.url.query),
        *request.query_params.values(),
        *request.cookies.values(),
    ]
    texts += [text.partition(" ")[2] for text in texts if " " in text]
    return {
        "seen": [list(spellings(text).values()) for text in texts],
        "escaped": [text.replace("/", "\\/") for text in texts],
    }


async def _echo(request: Request) -> Response:
    return JSONResponse(
        _echoed(request),
        headers={"etag": request.headers.get("authorization", "-"), "location": f"/x?{request.url.query}"},
    )


async def _refuse(request: Request) -> Response:
    said = _echoed(request)
    return JSONResponse({"message": f"bad {said}", "errors": [{"field": str(said), "message": str(said)}]}, 422)


async def _fail(request: Request) -> Response:
    return Response(f"Traceback: {_echoed(request)}", 500, media_type="text/plain")


async def _page(request: Request) -> Response:
    return Response(f"<html><title>{_echoed(request)}</title>", 200, media_type="text/html")


async def _move(request: Request) -> Response:
    return Response(
        status_code=302, headers={"location": f"https://elsewhere.example.com/{quote(str(_echoed(request)))}"}
    )


async def _file(request: Request) -> Response:
    return Response(str(_echoed(request)), media_type="application/octet-stream")


async def _stream(request: Request) -> Response:
    return Response(
        "".join(f"data: {json.dumps(_echoed(request))}\n\n" for _ in range(3)), media_type="text/event-stream"
    )


async def _challenge(request: Request) -> Response:
    if "digest" in request.headers.get("authorization", "").lower():
        return JSONResponse(_echoed(request))
    return Response(
        str(_echoed(request)),
        401,
        headers={"www-authenticate": 'Digest realm="x", nonce="y", qop="auth"'},
        media_type="text/plain",
    )


async def _token(request: Request) -> Response:
    form = (await request.body()).decode()
    exchanged = "token-exchange" in form
    return JSONResponse(
        {
            "access_token": SECRETS["exchanged" if exchanged else "access"],
            "refresh_token": SECRETS["refresh"],
            "expires_in": 100,
            "echo": form,
        }
    )


async def _no_token(request: Request) -> Response:
    form = (await request.body()).decode()
    return JSONResponse(
        {"error": "no", "error_description": f"{form} {request.headers.get('authorization')} {_echoed(request)}"}, 400
    )


def _credentials(site: sites.Site) -> dict[str, dict[str, Any]]:
    client = {"client_id": "us", "client_secret": "env:C_CLIENT", "token_url": site.url("/token")}
    return {
        "bearer": {"scheme": "bearer", "token": "env:C_BEARER"},
        "basic": {"scheme": "basic", "username": "anna", "password": "env:C_BASIC"},
        "digest": {"scheme": "digest", "username": "anna", "password": "env:C_DIGEST"},
        "query": {"scheme": "api_key", "key": "env:C_QUERY", "place": "query", "parameter": "k"},
        "cookie": {"scheme": "api_key", "key": "env:C_COOKIE", "place": "cookie", "parameter": "k"},
        "header": {"scheme": "header", "headers": {"X-Key": "Token env:C_HEADER"}},
        "oauth": {"scheme": "oauth2", **client},
        "posted": {"scheme": "oauth2", **client, "client_auth": "client_secret_post"},
        "refreshed": {"scheme": "oauth2", **client, "refresh_token": "env:C_REFRESH"},
        "refused": {"scheme": "oauth2", **client, "token_url": site.url("/no-token")},
        "posting": {
            "scheme": "oauth2",
            **client,
            "token_url": site.url("/no-token"),
            "client_auth": "client_secret_post",
        },
        "exchange": {"scheme": "token_exchange", **client},
        "passed": {"scheme": "pass_through", "pass_headers": ["X-Passed"]},
        "helper": {"scheme": "command", "command": [sys.executable, "-c", f"print({SECRETS['helper']!r})"]},
        "literal": {"scheme": "bearer", "token": SECRETS["literal"]},
    }


@pytest.fixture
def settings(site: sites.Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    for name, secret in SECRETS.items():
        monkeypatch.setenv(f"C_{name.upper()}", secret)
    handlers = {
        "echo": _echo,
        "refuse": _refuse,
        "fail": _fail,
        "page": _page,
        "move": _move,
        "file": _file,
        "stream": _stream,
        "challenge": _challenge,
    }
    for name, handler in handlers.items():
        site.serve(f"/{name}", handler)
    site.serve("/token", _token)
    site.serve("/no-token", _no_token)
    site.write("/openapi.json", sites.text(sites.api(*TOOLS, tags=False, servers=[{"url": site.url()}])))
    written = _credentials(site)
    sources = {name: SourceSpec(id=name, url=site.url("/openapi.json"), kind="openapi") for name in (*written, "login")}
    sources["fixed"] = SourceSpec(
        id="fixed",
        url=site.url("/openapi.json"),
        kind="openapi",
        headers={"X-Fixed": "env:C_FIXED"},
        query={"fixed": "env:C_MEMBER"},
    )
    credentials = msgspec.convert(
        [{"source": name} | table for name, table in written.items()], tuple[CredentialSpec, ...]
    )
    return Settings(
        data=str(tmp_path / "data"), sources=sources, credentials=credentials, search=SearchSettings(memory=True)
    )


async def _everything_said(gateway: Gateway, sources: tuple[str, ...]) -> AsyncIterator[str]:
    """Each answer and each refusal of every tool of every source, as a face would render it."""
    presented = {"authorization": f"Bearer {SECRETS['caller']}", "x-passed": SECRETS["passed"]}
    for source in sources:
        for tool in TOOLS:
            try:
                result = await gateway.call(f"{source}/general/{tool}", {"x": 1}, presented=presented, keep=True)
            except Problem as problem:
                yield json.dumps(problem.to_json())
                yield repr(problem) + repr(problem.__cause__)
                continue
            yield json.dumps(plain(result)) + repr(result)
            for found in result.value.values() if isinstance(result.value, dict) else ():
                if isinstance(found, dict) and "cache_ref" in found:
                    data, said = await gateway.file(found["cache_ref"])
                    yield repr(data) + repr(said)


def _read(directory: Path) -> Iterator[tuple[str, bytes]]:
    for path in directory.rglob("*"):
        if path.is_file():
            yield str(path.relative_to(directory)), path.read_bytes()


async def test_no_canary_sings(settings: Settings, site: sites.Site, tmp_path: Path, caplog: pytest.LogCaptureFixture):
    caplog.set_level(logging.DEBUG)
    logins = open_logins(settings)
    await logins.put(
        "login",
        LOCAL,
        Login(access_token=SECRETS["login"], refresh_token=SECRETS["refresh"], token_url=site.url("/token")),
    )
    async with open_gateway(settings) as gateway:
        said = [text async for text in _everything_said(gateway, tuple(settings.sources))]
        said += [json.dumps(plain(await gateway.source(source))) for source in settings.sources]
    arrived = [repr((request.headers.raw, request.url.query)) for request in site.requests]
    wrong = {}
    for name, secret in SECRETS.items():
        if name not in {
            "refresh",
            "digest",
            "client",
            "caller",
        }:  # these travel in bodies, or only what is made of them
            assert any(form in text for form in spellings(secret).values() for text in arrived), (
                f"{name} was never sent"
            )
        places = {"what callers were told": "\n".join(said), "logs": caplog.text}
        files = dict(_read(tmp_path / "data"))
        for spelling, form in spellings(secret).items():
            found = [place for place, text in places.items() if form in text]
            found += [place for place, data in files.items() if form.encode() in data]
            if found:
                wrong[name, spelling] = found
    assert wrong == {}
    assert len(said) > len(settings.sources) * len(TOOLS)


async def test_a_canary_that_is_not_known_as_a_secret_would_be_found(settings: Settings, site: sites.Site):
    """The control: what is no credential comes back in all its spellings, so the search above can find it."""
    async with open_gateway(settings) as gateway:
        result = await gateway.call("bearer/general/echo", {"x": 4711})
    assert "4711" in json.dumps(plain(result))
