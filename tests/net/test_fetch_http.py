"""Fetching over real connections: what is sent, what comes back, where redirects lead, who gets credentials."""

from __future__ import annotations

import asyncio
import gzip
import sys
import zlib
from pathlib import Path
from urllib.parse import quote

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st
from loopback import Reader, Received, Servers, resolving, response

from periplus.model import Code, Problem, SourceSpec, Validators
from periplus.net import FetchPolicy
from periplus.net.decoding import inflater_for
from periplus.ports import FetchRequest

second_loopback = pytest.mark.skipif(
    sys.platform != "linux", reason="needs 127.0.0.2, which only Linux has without asking"
)


async def refused(reading: object) -> Problem:
    with pytest.raises(Problem) as caught:
        await reading  # type: ignore[misc]
    return caught.value


async def test_a_document_comes_back_with_type_validators_and_headers(servers: Servers, reader: Reader):
    told = response(200, b"{}", content_type="Application/JSON; charset=utf-8", etag='"v1"', set_cookie="a=b")
    server = await servers.start(told)
    got = await reader.read(server.url("/openapi.json?x='[1]'"))
    assert (got.status, got.body, got.media_type) == (200, b"{}", "application/json")
    assert got.validators == Validators(etag='"v1"')
    assert got.url == server.url("/openapi.json?x='[1]'")
    assert "set-cookie" not in got.headers
    assert server.targets == ["/openapi.json?x='[1]'"]  # byte for byte, S-61
    assert server.requests[0].headers["host"] == server.place


async def test_cookies_are_never_kept(servers: Servers, reader: Reader):
    """S-68."""
    server = await servers.start(response(200, b"x", set_cookie="session=1; Path=/"))
    fetcher = reader.fetcher()
    spec = SourceSpec(url=server.url())

    for _ in range(2):
        await fetcher.for_source(spec).send(FetchRequest(url=server.url()))
    assert all("cookie" not in request.headers for request in server.requests)


async def test_known_validators_make_the_request_conditional(servers: Servers, reader: Reader):
    """S-106."""
    server = await servers.start(b'HTTP/1.1 304 Not Modified\r\netag: "v2"\r\n\r\n')
    known = Validators(etag='"v1"', last_modified="Tue, 01 Jan 2030 00:00:00 GMT")
    got = await reader.read(server.url(), validators=known)
    assert got.not_modified
    assert got.validators == Validators(etag='"v2"', last_modified=known.last_modified)
    assert server.requests[0].headers["if-none-match"] == '"v1"'
    assert server.requests[0].headers["if-modified-since"] == known.last_modified


@pytest.mark.parametrize("status", [404, 500, 401])
async def test_any_status_is_an_answer(servers: Servers, reader: Reader, status: int):
    server = await servers.start(response(status, b"no"))
    got = await reader.read(server.url())
    assert (got.status, got.body) == (status, b"no")


async def test_a_body_is_posted_with_its_length(servers: Servers, reader: Reader):
    server = await servers.start(response(200, b"ok"))
    await reader.read(server.url(), method="POST", body=b'{"query":1}', headers={"Content-Type": "application/json"})
    assert server.requests[0].body == b'{"query":1}'
    assert server.requests[0].headers["content-type"] == "application/json"


async def test_a_header_that_would_split_is_refused(servers: Servers, reader: Reader):
    server = await servers.start(response())
    problem = await refused(reader.read(server.url(), headers={"X-A": "b\r\nX-C: d"}))
    assert problem.code is Code.BAD_INPUT
    assert server.requests == []


async def test_headers_that_carry_the_connection_are_not_the_callers(servers: Servers, reader: Reader):
    server = await servers.start(response(200, b"x"))
    given = {"Host": "evil.example", "Content-Length": "99", "Transfer-Encoding": "chunked", "Accept-Encoding": "br"}
    await reader.read(server.url(), headers=given)
    sent = server.requests[0].headers
    assert (sent["host"], sent["accept-encoding"]) == (server.place, "gzip, deflate")
    assert not {"content-length", "transfer-encoding"} & sent.keys()
    assert (await refused(reader.read(server.url(), method="GET / HTTP/1.1\r\nX:"))).code is Code.BAD_INPUT


async def test_a_client_of_the_library_can_be_put_on_the_guarded_transport(
    servers: Servers, reader: Reader, stranger: SourceSpec
):
    """S-13: one guard for whoever speaks HTTP."""
    server = await servers.start(response(200, b"x"))
    fetcher = reader.fetcher()
    own = SourceSpec(url=server.url())
    async with httpx2.AsyncClient(transport=_Kept(fetcher.transport(own)), trust_env=False) as client:
        assert (await client.get(server.url())).content == b"x"
    async with httpx2.AsyncClient(transport=_Kept(fetcher.transport(stranger)), trust_env=False) as client:
        problem = await refused(client.get(server.url()))
    assert problem.code is Code.REFUSED_ADDRESS


class _Kept(httpx2.AsyncBaseTransport):
    """A transport that outlives the client it is lent to."""

    def __init__(self, inner: httpx2.AsyncBaseTransport) -> None:
        self._inner = inner

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        return await self._inner.handle_async_request(request)


# --- packed bodies ---


@pytest.mark.parametrize("coding", ["gzip", "deflate", "bare", "members", "x-gzip"])
async def test_packed_bodies_are_opened(servers: Servers, reader: Reader, coding: str):
    text = b"".join(b'{"openapi": "3.%d.0"}' % number for number in range(5000))
    bare = zlib.compressobj(wbits=-15)
    packed = {
        "gzip": gzip.compress(text) + b"\0" * 8,
        "x-gzip": gzip.compress(text),
        "deflate": zlib.compress(text),
        "bare": bare.compress(text) + bare.flush(),
        "members": gzip.compress(text[:7]) + gzip.compress(text[7:]),
    }[coding]
    name = {"bare": "deflate", "members": "gzip"}.get(coding, coding)
    server = await servers.start(response(200, packed, content_encoding=name))
    assert (await reader.read(server.url())).body == text


@pytest.mark.parametrize("size", [1 << 20, 200 << 20])
async def test_a_bomb_is_stopped_while_it_opens(servers: Servers, reader: Reader, size: int):
    """S-14: 100 times its size is the end, and so is the size limit."""
    packer = zlib.compressobj(9, wbits=31)
    packed = b"".join(packer.compress(bytes(1 << 20)) for _ in range(size >> 20)) + packer.flush()
    server = await servers.start(response(200, packed, content_encoding="gzip"))
    problem = await refused(reader.read(server.url()))
    assert problem.code is Code.OVER_LIMIT
    assert "100 times" in problem.message


async def test_the_size_limit_counts_opened_bytes(servers: Servers, reader: Reader):
    """S-14."""
    server = await servers.start(response(200, gzip.compress(b"{}" * 1000), content_encoding="gzip"))
    problem = await refused(reader.read(server.url(), limit_bytes=1000))
    assert problem.code is Code.OVER_LIMIT
    assert "1000 bytes" in problem.message


@pytest.mark.parametrize(
    ("body", "coding"),
    [(b"plain", "gzip"), (gzip.compress(b"x" * 99, mtime=0)[:-9], "gzip"), (b"x", "br"), (b"x", "gzip, gzip")],
)
async def test_a_body_that_is_not_what_it_says_is_reported(servers: Servers, reader: Reader, body: bytes, coding: str):
    server = await servers.start(response(200, body, content_encoding=coding))
    assert (await refused(reader.read(server.url()))).code is Code.UPSTREAM_ERROR


@given(
    st.binary(max_size=300_000) | st.builds(bytes, st.integers(0, 60_000)), st.lists(st.integers(1, 5000), max_size=9)
)
def test_a_packed_body_opens_the_same_however_it_arrives(text: bytes, cuts: list[int]):
    """S-14."""
    packed = gzip.compress(text, mtime=0)
    inflater = inflater_for("here", "gzip")
    assert inflater is not None
    opened = bytearray()
    for cut in (*cuts, len(packed)):
        for piece in inflater.feed(packed[:cut]):
            opened += piece
        packed = packed[cut:]
    inflater.finish()
    assert bytes(opened) == text


# --- redirects ---


async def test_redirects_are_followed_to_the_end(servers: Servers, reader: Reader):
    async def answer(request: Received, writer: asyncio.StreamWriter) -> None:
        step = int(request.target.rpartition("/")[2])
        writer.write(response(302, location=f"/{step + 1}") if step < 5 else response(200, b"end"))

    server = await servers.start(answer)
    got = await reader.read(server.url("/0"))
    assert got.body == b"end"
    assert got.url == server.url("/5")
    assert server.targets == ["/0", "/1", "/2", "/3", "/4", "/5"]


async def test_a_sixth_redirect_is_one_too_many(servers: Servers, reader: Reader):
    """S-14."""
    server = await servers.start(response(301, location="/again"))
    problem = await refused(reader.read(server.url()))
    assert problem.code is Code.OVER_LIMIT
    assert "more than 5 times" in problem.message
    assert len(server.requests) == 6


@pytest.mark.parametrize(
    "location",
    [
        "http://169.254.169.254/latest/meta-data/",
        "http://[::ffff:10.0.0.1]/",
        "http://0x0a000001/",
        "file:///etc/passwd",
        "//2130706433:1/",
    ],
)
async def test_a_redirect_is_judged_anew(servers: Servers, reader: Reader, location: str):
    """S-14: being allowed for one's own origin does not carry over."""
    server = await servers.start(response(302, location=location))
    problem = await refused(reader.read(server.url()))
    assert problem.code is Code.REFUSED_ADDRESS


async def test_a_redirect_to_another_port_of_the_same_machine_is_refused(servers: Servers, reader: Reader):
    """S-14."""
    inner = await servers.start(response(200, b"internal"))
    server = await servers.start(response(307, location=inner.url()))
    problem = await refused(reader.read(server.url()))
    assert problem.code is Code.REFUSED_ADDRESS
    assert f'"{inner.place}"' in problem.hints[0]
    assert inner.requests == []


async def test_a_redirect_may_lead_where_it_is_allowed_but_credentials_stay(servers: Servers, reader: Reader):
    """S-14."""
    other = await servers.start(response(200, b"there"))
    server = await servers.start(response(302, location=other.url("/doc")))
    spec = SourceSpec(url=server.url(), headers={"X-Key": "k1234567"}, query={"token": "t1234567"})
    got = await reader.read(
        server.url(),
        FetchPolicy(allow=(other.place,)),
        spec=spec,
        headers={"Authorization": "Bearer z", "X-Trace": "1", "Accept-Language": "en"},
    )
    assert (got.body, got.url) == (b"there", other.url("/doc"))
    assert server.requests[0].headers["x-key"] == "k1234567"
    assert server.targets == ["/?token=t1234567"]
    sent = other.requests[0].headers
    assert not {"authorization", "x-key", "x-trace"} & sent.keys()
    assert sent["accept-language"] == "en"
    assert other.targets == ["/doc"]


async def test_credentials_do_not_return_after_a_detour(servers: Servers, reader: Reader):
    """S-14: another origin cannot choose what is asked in the source's name."""
    home: list[str] = []

    async def back(_request: Received, writer: asyncio.StreamWriter) -> None:
        writer.write(response(302, location=home[0] + "chosen"))

    async def first(request: Received, writer: asyncio.StreamWriter) -> None:
        there = response(302, location=other.url()) if request.target == "/" else response(200, b"done")
        writer.write(there)

    other = await servers.start(back)
    server = await servers.start(first)
    home.append(server.url())
    spec = SourceSpec(url=server.url(), headers={"Authorization": "Bearer abcdefgh"})
    await reader.read(server.url(), FetchPolicy(allow=(other.place,)), spec=spec)
    assert [request.headers.get("authorization") for request in server.requests] == ["Bearer abcdefgh", None]


async def test_a_post_is_not_sent_elsewhere(servers: Servers, reader: Reader):
    server = await servers.start(response(302, location="/other"))
    problem = await refused(reader.read(server.url(), method="POST", body=b"x"))
    assert problem.code is Code.UPSTREAM_ERROR
    assert "/other" in problem.message


async def test_a_post_answered_303_is_read_there_and_307_is_repeated(servers: Servers, reader: Reader):
    async def answer(request: Received, writer: asyncio.StreamWriter) -> None:
        told = {"/see": response(303, location="/end"), "/again": response(307, location="/end")}
        writer.write(told.get(request.target, response(200, request.method.encode() + request.body)))

    server = await servers.start(answer)
    assert (await reader.read(server.url("/see"), method="POST", body=b"x")).body == b"GET"
    assert (await reader.read(server.url("/again"), method="POST", body=b"x")).body == b"POSTx"


# --- credentials ---


async def test_references_are_resolved_when_sent(
    servers: Servers, reader: Reader, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    """S-54, S-62."""
    monkeypatch.setenv("PERIPLUS_TEST_TOKEN", "tok-123456")
    (tmp_path / "key").write_text("key-123456\n")
    (tmp_path / "key").chmod(0o600)
    server = await servers.start(response(200, b"x"))
    spec = SourceSpec(
        url=server.url("/a?b=1"),
        headers={"Authorization": "Bearer env:PERIPLUS_TEST_TOKEN", "X-Plain": "plain"},
        query={"key": f"file:{tmp_path / 'key'}", "b": "2"},
    )
    got = await reader.read(spec.url, spec=spec)
    assert server.requests[0].headers["authorization"] == "Bearer tok-123456"
    assert server.requests[0].headers["x-plain"] == "plain"
    assert server.targets == ["/a?b=1&key=key-123456"]
    assert got.url == spec.url


@pytest.mark.parametrize(
    "reference", ["env:PERIPLUS_NOT_SET", "file:/nonexistent/key", "keyring:a/b", "Bearer env:PERIPLUS_NOT_SET"]
)
async def test_a_reference_that_does_not_resolve_is_named(servers: Servers, reader: Reader, reference: str):
    """S-62."""
    server = await servers.start(response())
    spec = SourceSpec(url=server.url(), headers={"Authorization": reference})
    problem = await refused(reader.read(spec.url, spec=spec))
    assert problem.code is Code.CREDENTIALS_MISSING
    assert reference.removeprefix("Bearer ") in problem.message
    assert server.requests == []


async def test_a_secret_file_that_others_may_read_is_not_used(servers: Servers, reader: Reader, tmp_path: Path):
    """S-62."""
    (tmp_path / "key").write_text("key-123456")
    (tmp_path / "key").chmod(0o644)
    server = await servers.start(response())
    spec = SourceSpec(url=server.url(), headers={"X": f"file:{tmp_path / 'key'}"})
    problem = await refused(reader.read(spec.url, spec=spec))
    assert problem.code is Code.CREDENTIALS_MISSING
    assert "chmod 600" in problem.message
    assert "key-123456" not in problem.message


async def test_a_source_from_a_face_cannot_have_the_gateways_secrets_read(
    servers: Servers, reader: Reader, monkeypatch: pytest.MonkeyPatch
):
    """S-62."""
    monkeypatch.setenv("PERIPLUS_TEST_TOKEN", "tok-123456")
    server = await servers.start(response())
    spec = SourceSpec(url=server.url(), trusted=False, headers={"X": "env:PERIPLUS_TEST_TOKEN"})
    problem = await refused(reader.read(spec.url, FetchPolicy(loopback_allowed=True), spec=spec))
    assert problem.code is Code.CREDENTIALS_MISSING
    assert server.requests == []


async def test_credentials_go_to_the_sources_own_origin_only(servers: Servers, reader: Reader):
    """S-35."""
    other = await servers.start(response(200, b"x"))
    spec = SourceSpec(url="https://api.example.com/", headers={"Authorization": "Bearer abcdefgh"}, query={"k": "v"})
    await reader.read(other.url(), FetchPolicy(allow=("127.0.0.1",)), spec=spec)
    assert "authorization" not in other.requests[0].headers
    assert other.targets == ["/"]


@pytest.mark.parametrize("case", ["over_limit", "redirect", "cut", "garbage"])
async def test_no_problem_shows_a_secret(servers: Servers, reader: Reader, monkeypatch: pytest.MonkeyPatch, case: str):
    """S-62."""
    secret = "s3cr3t/with+odd=characters"
    monkeypatch.setenv("PERIPLUS_TEST_TOKEN", secret)

    server = await servers.start(
        {
            "over_limit": response(200, b"x" * 100),
            "redirect": response(302, location=f"http://10.0.0.1/{quote(secret, safe='')}/{secret}?q={secret}"),
            "cut": b"HTTP/1.1 200 OK\r\nContent-Length: x" + secret.encode() + b"\r\n\r\n",
            "garbage": b"HTTP/1.1 " + secret.encode() + b"\r\n\r\n",
        }[case]
    )
    spec = SourceSpec(
        url=server.url(),
        headers={"A": "Bearer env:PERIPLUS_TEST_TOKEN"},
        query={"k": "env:PERIPLUS_TEST_TOKEN", "l": "lit3ral"},
    )
    problem = await refused(reader.read(spec.url, spec=spec, limit_bytes=10))
    text = repr(problem.to_json())
    for form in (secret, quote(secret, safe=""), quote(secret), "lit3ral"):
        assert form not in text


async def test_a_query_secret_echoed_by_a_redirect_stays_out_of_the_documents_url(servers: Servers, reader: Reader):
    """S-62."""

    async def answer(request: Received, writer: asyncio.StreamWriter) -> None:
        moved = request.target.startswith("/old")
        writer.write(response(301, location=request.target.replace("/old", "/new")) if moved else response(200, b"x"))

    server = await servers.start(answer)
    spec = SourceSpec(url=server.url("/old?a=1"), query={"token": "t1234567"})
    got = await reader.read(spec.url, spec=spec)
    assert server.targets == ["/old?a=1&token=t1234567", "/new?a=1&token=t1234567"]
    assert got.url == server.url("/new?a=1")


# --- references between documents ---


async def test_a_reference_to_another_origin_is_refused_unless_listed(servers: Servers, reader: Reader):
    """S-35."""
    other = await servers.start(response(200, b"x"))
    root = await servers.start(response(200, b"x"))
    spec = SourceSpec(url=root.url())
    open_to = FetchPolicy(allow=("127.0.0.1",))
    problem = await refused(reader.read(other.url(), open_to, spec=spec, root=root.url()))
    assert problem.code is Code.REFUSED_ADDRESS
    assert other.requests == []
    listed = FetchPolicy(allow=("127.0.0.1",), ref_hosts=(other.place,))
    assert (await reader.read(other.url(), listed, spec=spec, root=root.url())).body == b"x"
    assert (await reader.read(root.url("/b"), spec=spec, root=root.url())).body == b"x"


# --- pinning ---


@second_loopback
async def test_a_name_is_looked_up_once_and_the_judged_address_used(servers: Servers, reader: Reader):
    """S-13: an answer that changes between look and connection changes nothing."""
    outer = await servers.start(response(200, b"outer"), host="127.0.0.2")
    asked: list[str] = []

    async def rebinding(host: str, _port: int) -> list[str]:
        asked.append(host)
        return ["127.0.0.2"] if len(asked) == 1 else ["127.0.0.1"]

    spec = SourceSpec(url="https://api.example.com/")
    policy = FetchPolicy(allow=("127.0.0.2",))  # stands for a public address
    got = await reader.read(f"http://rebind.example:{outer.port}/", policy, spec=spec, resolve=rebinding)
    assert (got.body, asked) == (b"outer", ["rebind.example"])
    assert outer.requests[0].headers["host"] == f"rebind.example:{outer.port}"
    problem = await refused(reader.read("http://rebind.example:1/", policy, spec=spec, resolve=rebinding))
    assert problem.code is Code.REFUSED_ADDRESS
    assert "127.0.0.1" in problem.message
    assert "[fetch] allow" in problem.hints[0]


@second_loopback
@pytest.mark.parametrize(
    "addresses",
    [["127.0.0.2", "127.0.0.1"], ["127.0.0.2", "::ffff:169.254.169.254"], ["10.0.0.1"], ["::1", "127.0.0.2"]],
)
async def test_one_refused_address_among_several_refuses_the_name(
    servers: Servers, reader: Reader, addresses: list[str]
):
    """S-13: every address is judged."""
    server = await servers.start(response(200, b"x"), host="127.0.0.2")
    problem = await refused(
        reader.read(
            f"http://mixed.example:{server.port}/",
            FetchPolicy(allow=("127.0.0.2",)),
            spec=SourceSpec(url="https://api.example.com/"),
            resolve=resolving({"mixed.example": addresses}),
        )
    )
    assert problem.code is Code.REFUSED_ADDRESS
    assert server.requests == []


@second_loopback
async def test_a_dead_address_does_not_hide_a_living_one(servers: Servers, reader: Reader):
    server = await servers.start(response(200, b"x"), host="127.0.0.3")
    got = await reader.read(
        f"http://two.example:{server.port}/",
        FetchPolicy(loopback_allowed=True),
        resolve=resolving({"two.example": ["127.0.0.2", "::1", "127.0.0.3"]}),
    )
    assert got.body == b"x"


async def test_what_one_source_may_reach_opens_nothing_for_another(
    servers: Servers, reader: Reader, stranger: SourceSpec
):
    """S-13: not even over a connection that is already open."""
    server = await servers.start(response(200, b"x"))

    fetcher = reader.fetcher()
    await fetcher.for_source(SourceSpec(url=server.url())).send(FetchRequest(url=server.url()))
    for other in (stranger, SourceSpec(url=server.url(), trusted=False)):
        problem = await refused(fetcher.for_source(other).send(FetchRequest(url=server.url())))
        assert problem.code is Code.REFUSED_ADDRESS
    assert len(server.requests) == 1


async def test_localhost_is_found_by_the_systems_resolver_and_judged(
    servers: Servers, reader: Reader, stranger: SourceSpec
):
    """S-13, T-34."""
    server = await servers.start(response(200, b"x"))
    url = server.url(host="localhost")
    assert (await reader.read(url)).body == b"x"
    assert (await reader.read(url, FetchPolicy(loopback_allowed=True), spec=stranger)).body == b"x"
    problem = await refused(reader.read(url, spec=stranger))
    assert problem.code is Code.REFUSED_ADDRESS
    assert f'add "localhost:{server.port}" to [fetch] allow' in problem.hints[0]
