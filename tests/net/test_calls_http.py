"""Requests of calls on the wire: S-61, S-68, S-71, S-74."""

from __future__ import annotations

import asyncio
import gzip
import resource
from typing import Any

import anyio
import pytest
import trustme
from loopback import Received, Servers, resolving, response, server_tls

from calling import Caller, call, request_of, site_of
from periplus.model import LOCAL, Code, Problem, SourceSpec
from periplus.net import FetchLimits, FetchPolicy
from periplus.ports import Calling, Site


@pytest.fixture
async def caller():
    kept = Caller()
    yield kept
    await kept.close()


JSON = {"content_type": "application/json"}


async def test_what_was_prepared_is_what_goes_out(servers: Servers, caller: Caller):
    """S-61"""
    server = await servers.start(response(201, b'{"id": 7}', **JSON))
    url = server.url("/ships/A%2F7/visits?tag=dry,bulk&x=%20")
    answer = await call(
        caller.calls(),
        url,
        "POST",
        body=b"{}",
        headers=(("Content-Type", "application/json"), ("X-Two", "a"), ("x-two", "b")),
    )
    sent = server.requests[0]
    assert (sent.method, sent.target, sent.body) == ("POST", "/ships/A%2F7/visits?tag=dry,bulk&x=%20", b"{}")
    assert sent.headers["x-two"] == "a, b"
    assert sent.headers["host"] == server.place
    assert answer.value == {"id": 7}
    assert answer.meta["http_status"] == 201


@pytest.mark.parametrize("target", ["/a b", "/a#b", "no-slash", "/ü", "/a\r\nX: y"])
async def test_a_target_that_would_be_sent_otherwise_than_judged_is_refused(caller: Caller, target: str):
    """S-61"""
    request = request_of("http://127.0.0.1:1/")
    with pytest.raises(Problem) as caught:
        async with caller.calls().send(
            type(request)(method="GET", origin="http://127.0.0.1:1", target=target),
            site_of("http://127.0.0.1:1/"),
            Calling(principal=LOCAL),
        ):
            pass
    assert caught.value.code in {Code.BAD_INPUT, Code.REFUSED_ADDRESS}


async def test_connections_are_kept_and_used_again(servers: Servers, caller: Caller):
    """S-68"""
    ports: set[Any] = set()

    async def answer(request: Received, writer: asyncio.StreamWriter) -> None:
        ports.add(writer.get_extra_info("peername"))
        writer.write(response(200, b"1", **JSON))

    server = await servers.start(answer)
    calls = caller.calls()
    for _ in range(5):
        await call(calls, server.url())
    assert len(ports) == 1


async def test_no_cookie_of_one_call_is_in_the_next(servers: Servers, caller: Caller):
    """S-68"""
    server = await servers.start(response(200, b"1", set_cookie="session=x"))
    calls = caller.calls()
    await call(calls, server.url())
    await call(calls, server.url())
    assert "cookie" not in server.requests[1].headers


async def test_a_hundred_connections_are_the_most(servers: Servers, caller: Caller):
    """S-68"""
    open_now, most = 0, 0
    full, release = asyncio.Event(), asyncio.Event()

    async def answer(request: Received, writer: asyncio.StreamWriter) -> None:
        nonlocal open_now, most
        open_now += 1
        most = max(most, open_now)
        if open_now == 10:
            full.set()
        await release.wait()
        open_now -= 1
        writer.write(response(200, b"1"))

    server = await servers.start(answer)
    calls = caller.calls(limits=FetchLimits(connections=10))
    async with anyio.create_task_group() as tasks:
        for _ in range(30):
            tasks.start_soon(call, calls, server.url())
        await full.wait()
        release.set()
    assert most == 10
    assert len(server.requests) == 30


async def test_an_upstream_that_hangs_is_a_timeout_and_the_request_may_have_been_processed(
    servers: Servers, caller: Caller
):
    gone = asyncio.Event()

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while await reader.read(1000):
            pass
        gone.set()

    port = await servers.listen(talk)
    with pytest.raises(Problem) as caught:
        await call(caller.calls(), f"http://127.0.0.1:{port}/slow", timeout_s=0.2)
    assert caught.value.code is Code.TIMEOUT
    assert caught.value.message == f"http://127.0.0.1:{port}/slow did not answer completely within 0.2 s"
    assert "not_processed" not in caught.value.details
    await asyncio.wait_for(gone.wait(), 5)  # the request was closed, not left behind


async def test_a_body_that_trickles_ends_at_the_deadline(servers: Servers, caller: Caller):
    async def answer(request: Received, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n")
        while True:
            writer.write(b"x")
            await writer.drain()
            await asyncio.sleep(0.02)

    server = await servers.start(answer)
    with pytest.raises(Problem) as caught:
        await call(caller.calls(), server.url(), timeout_s=0.3)
    assert caught.value.code is Code.TIMEOUT


@pytest.mark.parametrize("when", ["head", "body"])
async def test_cancelling_a_call_closes_the_upstream_request(servers: Servers, caller: Caller, when: str):
    """S-68"""
    arrived, gone = asyncio.Event(), asyncio.Event()

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        if when == "body":
            writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nab")
            await writer.drain()
        arrived.set()
        await reader.read(1)
        gone.set()

    port = await servers.listen(talk)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(call, caller.calls(), f"http://127.0.0.1:{port}/")
        await arrived.wait()
        tasks.cancel_scope.cancel()
    await asyncio.wait_for(gone.wait(), 5)


async def test_a_reset_is_unavailable_and_a_refused_connection_was_certainly_not_processed(
    servers: Servers, caller: Caller
):
    """S-69"""

    async def answer(request: Received, writer: asyncio.StreamWriter) -> None:
        writer.transport.abort()

    server = await servers.start(answer)
    with pytest.raises(Problem) as reset:
        await call(caller.calls(), server.url(), "POST")
    assert (reset.value.code, reset.value.retryable, reset.value.details) == (Code.UNAVAILABLE, True, {})
    await servers.close()
    with pytest.raises(Problem) as refused:
        await call(caller.calls(), server.url(), "POST")
    assert (refused.value.code, refused.value.details) == (Code.UNAVAILABLE, {"not_processed": True})


async def test_a_page_where_json_is_declared_is_text_with_a_note(servers: Servers, caller: Caller):
    server = await servers.start(response(200, b"<html><title>Log in", content_type="text/html"))
    answer = await call(caller.calls(), server.url())
    assert answer.value == "<html><title>Log in"
    assert answer.notes[0].startswith("looks_like_login")


async def test_a_body_shorter_than_it_says_is_an_upstream_error(servers: Servers, caller: Caller):
    """S-74"""

    async def answer(request: Received, writer: asyncio.StreamWriter) -> None:
        writer.write(b'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 50\r\n\r\n{"a": 1}')
        await writer.drain()
        writer.close()

    server = await servers.start(answer)
    with pytest.raises(Problem) as caught:
        await call(caller.calls(), server.url())
    assert caught.value.code is Code.UPSTREAM_ERROR
    assert "ended before it was complete" in caught.value.message
    assert caught.value.retryable


async def test_a_body_longer_than_it_says_is_an_upstream_error_and_spoils_no_later_call(
    servers: Servers, caller: Caller
):
    """S-74"""
    lies = True

    async def answer(request: Received, writer: asyncio.StreamWriter) -> None:
        body = b'[1]HTTP/1.1 200 OK\r\ncontent-length: 8\r\n\r\n["evil"]' if lies else b"[2]"
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 3\r\n\r\n" + body)

    server = await servers.start(answer)
    calls = caller.calls()
    with pytest.raises(Problem) as caught:
        await call(calls, server.url())
    assert caught.value.code is Code.UPSTREAM_ERROR
    assert "has not the length it announced" in caught.value.message
    lies = False
    assert (await call(calls, server.url())).value == [2]


@pytest.mark.parametrize(
    ("kind", "code"), [("application/json", Code.TOO_LARGE), ("text/plain", None), ("application/x-ndjson", None)]
)
async def test_a_gigabyte_is_cut_or_refused_within_bounded_memory(
    servers: Servers, caller: Caller, kind: str, code: Code | None
):
    """S-74"""
    piece = b'"' + b"x" * 65534 + b"\n"
    sent = 0

    async def answer(request: Received, writer: asyncio.StreamWriter) -> None:
        nonlocal sent
        writer.write(f"HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {1 << 30}\r\n\r\n".encode())
        for _ in range((1 << 30) // len(piece)):
            writer.write(piece)
            await writer.drain()
            sent += len(piece)

    server = await servers.start(answer)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    if code is None:
        answered = await call(caller.calls(), server.url(), response_bytes=4 << 20)
        assert answered.truncated
        assert answered.meta["bytes"] == (4 << 20 if kind == "text/plain" else 1 << 20)
    else:
        with pytest.raises(Problem) as caught:
            await call(caller.calls(), server.url(), response_bytes=4 << 20)
        assert caught.value.code is code
        assert "response_bytes" in caught.value.message
    assert sent < 64 << 20
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 96 << 10  # KiB


async def test_a_small_body_that_unpacks_to_a_large_one_is_refused(servers: Servers, caller: Caller):
    server = await servers.start(
        response(200, gzip.compress(b"0" * (64 << 20)), content_encoding="gzip", content_type="text/plain")
    )
    with pytest.raises(Problem) as caught:
        await call(caller.calls(), server.url())
    assert caught.value.code is Code.OVER_LIMIT


async def test_packed_answers_are_opened(servers: Servers, caller: Caller):
    server = await servers.start(response(200, gzip.compress(b'{"a": 1}'), content_encoding="gzip", **JSON))
    assert (await call(caller.calls(), server.url())).value == {"a": 1}


async def test_events_are_read_until_their_time_is_up(servers: Servers, caller: Caller):
    async def answer(request: Received, writer: asyncio.StreamWriter) -> None:
        writer.write(
            b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\ndata: 1\n\ndata: 2\n\nda"
        )
        await writer.drain()
        await asyncio.Event().wait()

    server = await servers.start(answer)
    answered = await call(caller.calls(), server.url(), stream_s=0.3)
    assert (answered.value, answered.truncated) == ([{"data": 1}, {"data": 2}], True)


async def test_a_redirect_within_the_origin_is_followed_for_reads_and_refused_for_writes(
    servers: Servers, caller: Caller
):
    """S-71"""

    async def answer(request: Received, writer: asyncio.StreamWriter) -> None:
        writer.write(
            response(200, b'"there"', **JSON) if request.target == "/there" else response(302, location="/there")
        )

    server = await servers.start(answer)
    assert (await call(caller.calls(), server.url("/here"))).value == "there"
    with pytest.raises(Problem) as caught:
        await call(caller.calls(), server.url("/here"), "POST", body=b"{}")
    assert caught.value.code is Code.UPSTREAM_ERROR
    assert f"answered 302 to {server.url('/there')}" in caught.value.message
    assert caught.value.hints == ('set redirects = "any" for s if it is meant',)
    assert server.targets == ["/here", "/there", "/here"]


async def test_a_303_after_a_write_is_followed_as_a_read(servers: Servers, caller: Caller):
    """S-71"""

    async def answer(request: Received, writer: asyncio.StreamWriter) -> None:
        writer.write(response(200, b"1", **JSON) if request.target == "/there" else response(303, location="/there"))

    server = await servers.start(answer)
    assert (await call(caller.calls(), server.url("/here"), "POST", body=b"{}")).value == 1
    assert [(each.method, each.body) for each in server.requests] == [("POST", b"{}"), ("GET", b"")]


async def test_a_redirect_to_another_origin_is_followed_only_when_allowed_and_without_credentials(
    servers: Servers, caller: Caller, monkeypatch: pytest.MonkeyPatch
):
    """S-71, S-14"""
    monkeypatch.setenv("T_KEY", "canary-redirect")
    other = await servers.start(response(200, b"1", **JSON))
    server = await servers.start(response(302, location=other.url("/there")))
    headers = {"authorization": "Bearer env:T_KEY"}
    calls = caller.calls(policy=FetchPolicy(allow=("127.0.0.0/8",)))
    with pytest.raises(Problem) as caught:
        await call(calls, server.url(), site=site_of(server.url(), headers=headers))
    assert caught.value.code is Code.UPSTREAM_ERROR
    assert other.requests == []
    assert (await call(calls, server.url(), site=site_of(server.url(), headers=headers, redirects="any"))).value == 1
    assert server.requests[-1].headers["authorization"] == "Bearer canary-redirect"
    assert "authorization" not in other.requests[0].headers


async def test_a_redirect_to_a_private_address_is_judged_again(servers: Servers, caller: Caller):
    """S-14, S-71"""
    for place in ("http://169.254.169.254/latest/meta-data/", "http://10.0.0.1/", "http://127.0.0.1:9/"):
        server = await servers.start(response(302, location=place))
        with pytest.raises(Problem) as caught:
            await call(caller.calls(), server.url(), site=site_of(server.url(), redirects="any"))
        assert caught.value.code is Code.REFUSED_ADDRESS
        assert "[fetch] allow" in caught.value.hints[0]


async def test_endless_redirects_end(servers: Servers, caller: Caller):
    server = await servers.start(response(302, location="/again"))
    with pytest.raises(Problem) as caught:
        await call(caller.calls(), server.url())
    assert "redirects more than 5 times" in caught.value.message
    assert len(server.requests) == 6


async def test_not_modified_is_success_and_empty(servers: Servers, caller: Caller):
    """S-71"""
    server = await servers.start(b'HTTP/1.1 304 Not Modified\r\netag: "4"\r\n\r\n')
    answer = await call(caller.calls(), server.url())
    assert (answer.value, answer.meta["http_status"]) == (None, 304)


async def test_a_name_that_resolves_elsewhere_on_the_second_lookup_gets_nothing(servers: Servers, caller: Caller):
    """S-13"""
    server = await servers.start(response(200, b"1"))
    calls = caller.calls(resolve=resolving({"api.example.com": ["127.0.0.1"]}))
    site = Site(
        spec=SourceSpec(id="s", url="https://docs.example.org/openapi.json"),
        document_url="https://docs.example.org/openapi.json",
    )
    with pytest.raises(Problem) as caught:
        await call(calls, f"http://api.example.com:{server.port}/", site=site)
    assert caught.value.code is Code.REFUSED_ADDRESS
    assert "127.0.0.1" in caught.value.message
    assert caught.value.details["not_processed"] is True
    assert server.requests == []


async def test_an_untrusted_certificate_is_unavailable(servers: Servers, caller: Caller, authority: trustme.CA):
    port = await servers.listen(lambda _reader, _writer: asyncio.sleep(0), tls=server_tls(authority, "localhost"))
    with pytest.raises(Problem) as caught:
        await call(caller.calls(), f"https://localhost:{port}/")
    assert caught.value.code is Code.UNAVAILABLE
    assert "certificate" in caught.value.message
