"""Credentials of calls: S-62 to S-67."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import re
import ssl
import sys
from pathlib import Path
from typing import Any

import keyring
import pytest
import trustme
from keyring.backend import KeyringBackend
from loopback import Received, Servers, resolving, response, server_tls

from calling import Caller, call, site_of
from periplus.model import Code, CredentialScheme, CredentialSpec, Principal, Problem, SourceSpec
from periplus.net import FetchPolicy
from periplus.ports import Site

BEARER, BASIC, KEY = CredentialScheme.BEARER, CredentialScheme.BASIC, CredentialScheme.API_KEY
SECRET = "canary-8f3/+k=x"


@pytest.fixture
async def caller():
    kept = Caller()
    yield kept
    await kept.close()


@pytest.fixture(autouse=True)
def secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("T_SECRET", SECRET)
    monkeypatch.setenv("T_OTHER", "other-secret-value")


def bearer(**given: Any) -> CredentialSpec:
    return CredentialSpec(scheme=BEARER, token="env:T_SECRET", **({"source": "s"} | given))


async def echo(request: Received, writer: asyncio.StreamWriter) -> None:
    writer.write(response(200, b"1"))


SIMPLE = {
    "bearer": (bearer(), {"authorization": f"Bearer {SECRET}"}, "/"),
    "basic": (
        CredentialSpec(scheme=BASIC, source="s", username="anna", password="env:T_SECRET"),
        {"authorization": "Basic " + base64.b64encode(f"anna:{SECRET}".encode()).decode()},
        "/",
    ),
    "key in a header": (CredentialSpec(scheme=KEY, source="s", key="env:T_SECRET", parameter="X-Key"), {"x-key": SECRET}, "/"),
    "key in the query": (
        CredentialSpec(scheme=KEY, source="s", key="env:T_SECRET", place="query", parameter="key"), {}, "/?key=canary-8f3%2F%2Bk%3Dx",
    ),
    "key in a cookie": (
        CredentialSpec(scheme=KEY, source="s", key="env:T_SECRET", place="cookie", parameter="sid"), {"cookie": f"sid={SECRET}"}, "/",
    ),
    "headers": (
        CredentialSpec(scheme=CredentialScheme.HEADER, source="s", headers={"X-A": "env:T_SECRET", "X-B": "Token env:T_OTHER"}),
        {"x-a": SECRET, "x-b": "Token other-secret-value"}, "/",
    ),
    "command": (
        CredentialSpec(scheme=CredentialScheme.COMMAND, source="s", command=(sys.executable, "-c", f"print({SECRET!r}); print('more')")),
        {"authorization": f"Bearer {SECRET}"}, "/",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SIMPLE)
async def test_each_simple_scheme_puts_its_secret_where_it_belongs(servers: Servers, caller: Caller, name: str):
    """S-63"""
    spec, headers, target = SIMPLE[name]
    server = await servers.start(echo)
    await call(caller.calls(spec), server.url())
    sent = server.requests[0]
    assert sent.target == target
    assert {key: sent.headers.get(key) for key in headers} == headers


async def test_security_cookies_join_those_of_the_request(servers: Servers, caller: Caller):
    server = await servers.start(echo)
    await call(caller.calls(SIMPLE["key in a cookie"][0]), server.url(), headers=(("Cookie", "a=b"),))
    assert server.requests[0].headers["cookie"] == f"a=b; sid={SECRET}"


async def test_a_file_is_a_secret_only_while_it_is_its_owners_alone(servers: Servers, caller: Caller, tmp_path: Path):
    """S-62"""
    file = tmp_path / "token"
    file.write_text(f"{SECRET}\n")
    file.chmod(0o644)
    server = await servers.start(echo)
    calls = caller.calls(CredentialSpec(scheme=BEARER, source="s", token=f"file:{file}"))
    with pytest.raises(Problem) as caught:
        await call(calls, server.url())
    assert (caught.value.code, caught.value.details) == (Code.CREDENTIALS_MISSING, {"not_processed": True})
    assert "chmod 600" in caught.value.message
    file.chmod(0o600)
    await call(calls, server.url())
    assert server.requests[0].headers["authorization"] == f"Bearer {SECRET}"


class _InMemory(KeyringBackend):
    priority = 1

    def get_password(self, service: str, username: str) -> str | None:
        return SECRET if (service, username) == ("harbour/api", "anna") else None

    def set_password(self, service: str, username: str, password: str) -> None:
        raise NotImplementedError


async def test_a_keyring_of_the_machine_holds_secrets(servers: Servers, caller: Caller):
    """S-62"""
    before = keyring.get_keyring()
    keyring.set_keyring(_InMemory())
    try:
        server = await servers.start(echo)
        await call(
            caller.calls(CredentialSpec(scheme=BEARER, source="s", token="keyring:harbour/api/anna")), server.url()
        )
        with pytest.raises(Problem) as caught:
            await call(
                caller.calls(CredentialSpec(scheme=BEARER, source="s", token="keyring:harbour/api/bert")), server.url()
            )
    finally:
        keyring.set_keyring(before)
    assert server.requests[0].headers["authorization"] == f"Bearer {SECRET}"
    assert "the keyring has no such entry" in caught.value.message


async def test_a_reference_that_does_not_resolve_is_named_and_nothing_is_sent(servers: Servers, caller: Caller):
    """S-62"""
    server = await servers.start(echo)
    with pytest.raises(Problem) as caught:
        await call(caller.calls(CredentialSpec(scheme=BEARER, source="s", token="env:T_NOWHERE")), server.url())
    assert caught.value.code is Code.CREDENTIALS_MISSING
    assert "env:T_NOWHERE" in caught.value.message
    assert server.requests == []


@pytest.mark.parametrize("algorithm", ["MD5", "MD5-sess", "SHA-256", "SHA-256-sess", "SHA-512-256", None])
async def test_digest_answers_the_challenge_it_is_given(servers: Servers, caller: Caller, algorithm: str | None):
    """S-63: the answer is computed anew here, by RFC 7616."""
    named = {"MD5": "md5", "SHA-256": "sha256", "SHA-512-256": "sha512_256"}[(algorithm or "MD5").removesuffix("-sess")]

    def hashed(text: str) -> str:
        return hashlib.new(named, text.encode()).hexdigest()

    async def answer(request: Received, writer: asyncio.StreamWriter) -> None:
        given = {
            name: quoted or plain
            for name, quoted, plain in re.findall(
                r'(\w+)=(?:"([^"]*)"|([^,\s]+))', request.headers.get("authorization", "")
            )
        }
        first = hashed(f"anna:the harbour:{SECRET}")
        if (algorithm or "").endswith("sess"):
            first = hashed(f"{first}:n0nce:{given.get('cnonce')}")
        second = hashed(f"{request.method}:{request.target}")
        proof = f"n0nce:00000001:{given.get('cnonce')}:auth" if algorithm else "n0nce"
        if given.get("response") == hashed(f"{first}:{proof}:{second}") and given.get("uri") == request.target:
            writer.write(response(200, b'"in"'))
            return
        more = f', qop="auth,auth-int", algorithm={algorithm}' if algorithm else ""
        writer.write(
            response(
                401,
                b"who?",
                www_authenticate=f'Basic realm="x", Digest realm="the harbour", nonce="n0nce", opaque="o"{more}',
            )
        )

    server = await servers.start(answer)
    spec = CredentialSpec(scheme=CredentialScheme.DIGEST, source="s", username="anna", password="env:T_SECRET")
    assert (await call(caller.calls(spec), server.url("/a?b=c"), "POST", body=b"x")).value == "in"
    assert [each.body for each in server.requests] == [b"x", b"x"]


async def test_a_wrong_digest_password_is_tried_once(servers: Servers, caller: Caller):
    server = await servers.start(response(401, b"no", www_authenticate='Digest realm="x", nonce="y", qop="auth"'))
    spec = CredentialSpec(scheme=CredentialScheme.DIGEST, source="s", username="anna", password="env:T_SECRET")
    with pytest.raises(Problem) as caught:
        await call(caller.calls(spec), server.url())
    assert caught.value.code is Code.UPSTREAM_UNAUTHENTICATED
    assert len(server.requests) == 2


async def test_headers_of_the_caller_pass_only_where_they_are_named(servers: Servers, caller: Caller):
    """S-67"""
    server = await servers.start(echo)
    presented = {"authorization": f"Bearer {SECRET}", "x-tenant": "t", "host": "evil"}
    await call(caller.calls(), server.url(), presented=presented)
    assert not {"authorization", "x-tenant"} & server.requests[0].headers.keys()
    spec = CredentialSpec(scheme=CredentialScheme.PASS_THROUGH, source="s", pass_headers=("X-Tenant", "Host"))
    await call(caller.calls(spec), server.url(), presented=presented)
    assert server.requests[1].headers["x-tenant"] == "t"
    assert server.requests[1].headers["host"] == server.place
    assert "authorization" not in server.requests[1].headers


async def test_a_credential_is_for_the_callers_it_names(servers: Servers, caller: Caller):
    server = await servers.start(echo)
    calls = caller.calls(bearer(principals=("crew-*",)))
    await call(calls, server.url(), principal=Principal(id="crew-7"))
    await call(calls, server.url(), principal=Principal(id="guest"))
    assert [("authorization" in each.headers) for each in server.requests] == [True, False]


FOREIGN = "https://docs.example.org/openapi.json"


@pytest.mark.parametrize(
    ("given", "document", "trusted", "sent"),
    [
        ({"host": "localhost", "source": ""}, "http://localhost:1/openapi.json", True, True),
        ({"host": "localhost", "source": ""}, FOREIGN, True, False),
        ({"host": "localhost", "source": ""}, "/home/me/openapi.json", True, False),
        ({"source": "s"}, FOREIGN, True, True),
        ({"source": "s"}, FOREIGN, False, False),
        ({"source": "s", "host": "localhost"}, FOREIGN, False, True),
        ({"source": "s", "host": "elsewhere.example.com"}, FOREIGN, True, False),
        ({"source": "other"}, FOREIGN, True, False),
        ({"host": "*.localhost", "source": ""}, "http://localhost:1/openapi.json", True, False),
    ],
)
async def test_a_description_from_another_host_directs_no_credential(
    servers: Servers,
    caller: Caller,
    given: dict[str, str],
    document: str,
    *,
    trusted: bool,
    sent: bool,
):
    """S-64"""
    server = await servers.start(echo)
    calls = caller.calls(
        bearer(**given), policy=FetchPolicy(allow=("127.0.0.0/8",)), resolve=resolving({"localhost": ["127.0.0.1"]})
    )
    site = Site(spec=SourceSpec(id="s", url=document, trusted=trusted), document_url=document)
    await call(calls, server.url(host="localhost"), site=site)
    assert ("authorization" in server.requests[0].headers) is sent


async def test_what_was_withheld_is_said_when_the_upstream_refuses(servers: Servers, caller: Caller):
    """S-64, S-65"""
    server = await servers.start(response(401, b"who are you?"))
    calls = caller.calls(bearer(host="127.0.0.1", source=""), policy=FetchPolicy(allow=("127.0.0.0/8",)))
    with pytest.raises(Problem) as caught:
        await call(calls, server.url(), site=Site(spec=SourceSpec(id="s", url=FOREIGN), document_url=FOREIGN))
    assert caught.value.message == "the upstream answered 401: who are you?"
    assert "the description came from docs.example.org and sends calls to 127.0.0.1" in caught.value.hints[0]


async def test_no_secret_goes_in_the_clear_to_a_host_nobody_wrote(servers: Servers, caller: Caller):
    server = await servers.start(echo)
    names = resolving({"api.example.com": ["127.0.0.1"]})
    calls = caller.calls(bearer(), policy=FetchPolicy(allow=("127.0.0.0/8",)), resolve=names)
    url = f"http://api.example.com:{server.port}/"
    await call(calls, url, site=Site(spec=SourceSpec(id="s", url=FOREIGN), document_url=FOREIGN))
    await call(calls, url)
    assert [("authorization" in each.headers) for each in server.requests] == [False, True]


SCHEMES = {
    "key": {"type": "apiKey", "in": "query", "name": "k"},
    "token": {"type": "http", "scheme": "bearer"},
    "people": {"type": "http", "scheme": "basic"},
    "odd": {"type": "unsupported"},
}
API_KEY = CredentialSpec(scheme=KEY, source="s", key="env:T_OTHER")


@pytest.mark.parametrize(
    ("root", "operation", "credentials", "wanted"),
    [
        ([{"token": []}], None, (bearer(), API_KEY), {"token"}),
        ([{"people": []}, {"key": []}], None, (bearer(), API_KEY), {"key"}),
        ([{"token": [], "key": []}], None, (bearer(), API_KEY), {"token", "key"}),
        ([{"token": [], "people": []}, {"key": []}], None, (bearer(), API_KEY), {"key"}),
        ([{}], None, (bearer(), API_KEY), set()),
        ([{"token": []}], ({"key": []},), (bearer(), API_KEY), {"key"}),
        ([{"token": []}], (), (bearer(), API_KEY), set()),
        ([{"odd": []}, {"token": []}], None, (bearer(),), {"token"}),
        ([{"odd": []}], None, (bearer(security="odd"),), {"token"}),
        ([{"token": []}], None, (bearer(security="other"), API_KEY), set()),
        ([], None, (bearer(), API_KEY), set()),
    ],
)
async def test_the_first_alternative_that_is_configured_is_taken(
    servers: Servers, caller: Caller, root: Any, operation: Any, credentials: Any, wanted: set[str]
):
    """S-65"""
    server = await servers.start(echo)
    site = site_of(server.url(), schemes=SCHEMES, security=root)
    await call(caller.calls(*credentials), server.url(), site=site, security=operation)
    sent = server.requests[0]
    assert {
        name for name, there in (("token", "authorization" in sent.headers), ("key", "k=" in sent.target)) if there
    } == wanted


async def test_a_description_without_schemes_gets_all_that_apply(servers: Servers, caller: Caller):
    server = await servers.start(echo)
    key = CredentialSpec(scheme=KEY, source="s", key="env:T_OTHER", place="query", parameter="k")
    await call(
        caller.calls(bearer(), key, bearer(name="rival")),
        server.url(),
        site=site_of(server.url(), schemes={}, security=[]),
    )
    assert server.requests[0].headers["authorization"] == f"Bearer {SECRET}"
    assert server.requests[0].target == "/?k=other-secret-value"


async def test_nothing_configured_goes_without_and_a_refusal_names_what_to_configure(servers: Servers, caller: Caller):
    """S-65"""
    server = await servers.start(response(403, b'{"message": "no"}'))
    site = site_of(server.url(), schemes=SCHEMES, security=[{"token": []}, {"key": []}])
    with pytest.raises(Problem) as caught:
        await call(caller.calls(), server.url(), site=site)
    assert caught.value.code is Code.FORBIDDEN
    assert caught.value.hints == (
        "it asks for token (bearer), key (key 'k' in query): add [[credentials]] with source = \"s\"",
    )


async def test_required_credentials_refuse_before_anything_is_sent(servers: Servers, caller: Caller):
    """S-65"""
    server = await servers.start(echo)
    site = site_of(server.url(), schemes=SCHEMES, security=[{"token": []}], require_credentials=True)
    with pytest.raises(Problem) as caught:
        await call(caller.calls(), server.url(), site=site)
    assert (caught.value.code, caught.value.details) == (Code.CREDENTIALS_MISSING, {"not_processed": True})
    assert server.requests == []


async def test_fixed_headers_with_a_secret_stay_where_the_description_came_from(servers: Servers, caller: Caller):
    """S-54, S-64"""
    server = await servers.start(echo)
    headers = {"X-Version": "4", "X-Key": "env:T_SECRET"}
    calls = caller.calls(policy=FetchPolicy(allow=("127.0.0.0/8",)))
    await call(calls, server.url(), site=site_of(server.url(), headers=headers, query={"v": "4"}))
    await call(
        calls, server.url(), site=Site(spec=SourceSpec(id="s", url=FOREIGN, headers=headers), document_url=FOREIGN)
    )
    assert [(each.headers["x-version"], each.headers.get("x-key")) for each in server.requests] == [
        ("4", SECRET),
        ("4", None),
    ]
    assert server.targets[0] == "/?v=4"


async def test_callers_with_certificates_show_them_and_nobody_else_uses_their_connections(
    servers: Servers, caller: Caller, authority: trustme.CA, tmp_path: Path
):
    """S-63, S-68"""
    seen: list[str] = []

    async def answer(request: Received, writer: asyncio.StreamWriter) -> None:
        shown = writer.get_extra_info("peercert") or {}
        seen.append(next((value for kind, value in shown.get("subjectAltName", ()) if kind), ""))
        writer.write(response(200, b"1"))

    tls = server_tls(authority, "localhost")
    tls.verify_mode = ssl.CERT_OPTIONAL
    authority.configure_trust(tls)
    server = await servers.start(answer, tls=tls)
    authority.cert_pem.write_to_path(tmp_path / "ca.pem")
    certificate = authority.issue_cert("anna@example.com")
    for pem in certificate.cert_chain_pems:
        pem.write_to_path(tmp_path / "anna.pem", append=True)
    certificate.private_key_pem.write_to_path(tmp_path / "anna.key")
    (tmp_path / "anna.key").chmod(0o600)
    spec = CredentialSpec(
        scheme=CredentialScheme.MTLS,
        source="s",
        principals=("anna",),
        certificate=str(tmp_path / "anna.pem"),
        private_key=str(tmp_path / "anna.key"),
    )
    calls = caller.calls(spec, policy=FetchPolicy(ca=str(tmp_path / "ca.pem")))
    url = server.url(scheme="https", host="localhost")
    for who in ("anna", "bert", "anna"):
        await call(calls, url, principal=Principal(id=who))
    assert seen == ["anna@example.com", "", "anna@example.com"]
    (tmp_path / "anna.key").chmod(0o644)
    with pytest.raises(Problem) as caught:
        await call(caller.calls(spec), url, principal=Principal(id="anna"))
    assert "chmod 600" in caught.value.message


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (("/nowhere/helper",), "does not start"),
        ((sys.executable, "-c", "raise SystemExit(3)"), "ended with 3"),
        ((sys.executable, "-c", "pass"), "printed nothing"),
    ],
)
async def test_a_helper_that_fails_is_named_without_what_it_said(
    servers: Servers, caller: Caller, command: tuple[str, ...], said: str
):
    server = await servers.start(echo)
    with pytest.raises(Problem) as caught:
        await call(
            caller.calls(CredentialSpec(scheme=CredentialScheme.COMMAND, source="s", command=command)), server.url()
        )
    assert caught.value.code is Code.CREDENTIALS_MISSING
    assert said in caught.value.message


async def test_a_helper_is_run_again_after_a_while_and_when_its_token_is_refused(
    servers: Servers, caller: Caller, tmp_path: Path
):
    counter = tmp_path / "runs"
    script = f"p={str(counter)!r}; n=len(open(p,'a+').read() or open(p).read()); open(p,'a').write('x'); print('token-number', n)"

    async def answer(request: Received, writer: asyncio.StreamWriter) -> None:
        writer.write(response(401 if request.headers["authorization"].endswith("2") else 200, b"1"))

    server = await servers.start(answer)
    spec = CredentialSpec(
        scheme=CredentialScheme.COMMAND, source="s", command=(sys.executable, "-c", script), cache_seconds=60
    )
    calls = caller.calls(spec)
    for _ in range(2):
        await call(calls, server.url())
    caller.clock.advance(61)
    await call(calls, server.url())
    caller.clock.advance(61)
    await call(calls, server.url())
    said = [each.headers["authorization"][-1] for each in server.requests]
    assert said == ["0", "0", "1", "2", "3"]
