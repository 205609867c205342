"""Calls to upstreams that misbehave, through the whole gateway: what its caller reads, and what the trail keeps."""

from __future__ import annotations

import socket
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest
from anyio.abc import SocketAttribute, SocketStream

import sites
from periplus.core.gateway import Gateway
from periplus.model import Code, EventFilter, Problem, SourceSpec

Behaviour = Callable[[SocketStream], Awaitable[None]]
_HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n"


async def hangs(_: SocketStream) -> None:
    await anyio.sleep_forever()


async def resets(stream: SocketStream) -> None:
    raw = stream.extra(SocketAttribute.raw_socket)  # noqa: S610 - no Django here
    raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")  # closing now is a reset


def says(answer: bytes) -> Behaviour:
    async def behave(stream: SocketStream) -> None:
        await stream.send(answer)

    return behave


async def sends_a_gigabyte(stream: SocketStream) -> None:
    await stream.send(_HEAD + b"content-length: 1073741824\r\n\r\n[")
    while True:
        await stream.send(b"1," * (1 << 19))


@asynccontextmanager
async def upstream(behave: Behaviour) -> AsyncGenerator[str]:
    """A server that takes a request and then does what it was told."""

    async def serve(stream: SocketStream) -> None:
        async with stream:
            try:
                await stream.receive()
                await behave(stream)
            except (anyio.BrokenResourceError, anyio.EndOfStream):
                return  # the caller has had enough

    listener = await anyio.create_tcp_listener(local_host="127.0.0.1")
    port = listener.extra(SocketAttribute.local_port)  # noqa: S610 - as above
    async with listener, anyio.create_task_group() as tasks:
        tasks.start_soon(listener.serve, serve)
        yield f"http://127.0.0.1:{port}"
        tasks.cancel_scope.cancel()


@pytest.mark.parametrize(
    ("behave", "code", "message", "hint"),
    [
        (hangs, Code.TIMEOUT, " within 0.5 s", ""),
        (resets, Code.UNAVAILABLE, "", ""),
        (
            says(b"HTTP/1.1 302 Found\r\nlocation: http://10.0.0.1/x\r\ncontent-length: 0\r\n\r\n"),
            Code.UPSTREAM_ERROR,
            "http://10.0.0.1/x",
            'redirects = "any"',
        ),
        (
            says(b"HTTP/1.1 302 Found\r\nlocation: http://169.254.169.254/x\r\ncontent-length: 0\r\n\r\n"),
            Code.UPSTREAM_ERROR,
            "169.254.169.254",
            "",
        ),
        (says(_HEAD + b"content-length: 9\r\n\r\n[1]"), Code.UPSTREAM_ERROR, "ended before it was complete", ""),
        (says(b"not http at all\r\n\r\n"), Code.UNAVAILABLE, "does not speak HTTP as it should", ""),
        (sends_a_gigabyte, Code.TOO_LARGE, "the limit [limits] response_bytes", "ask for less"),
    ],
    ids=["hangs", "resets", "redirects", "metadata", "lies", "babbles", "gigabyte"],
)
async def test_an_upstream_that_misbehaves_is_told_by_name(
    gateway: Gateway, tmp_path: Path, behave: Behaviour, code: Code, message: str, hint: str
) -> None:
    """S-14, S-71, S-74, S-78, section 14"""
    async with upstream(behave) as base:
        await _connect(gateway, tmp_path, base)
        with pytest.raises(Problem) as caught:
            await gateway.call("quay/things/a", {}, timeout_s=0.5 if behave is hangs else 20)
        assert caught.value.code is code, caught.value.message
        assert message in caught.value.message
        assert message or base.removeprefix("http://") in caught.value.message
        assert hint in " ".join(caught.value.hints)
        row = (await gateway.trail.latest(EventFilter(verb="call"), limit=1))[0].event
        assert (row.subject, row.outcome) == ("quay/things/a", code.value)


async def test_a_page_instead_of_json_is_a_text_that_looks_like_a_login(gateway: Gateway, tmp_path: Path) -> None:
    """S-79"""
    page = b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 22\r\n\r\n<title>Sign in</title>"
    async with upstream(says(page)) as base:
        await _connect(gateway, tmp_path, base)
        result = await gateway.call("quay/things/a", {})
    assert result.value == "<title>Sign in</title>"
    assert result.notes[0].startswith("looks_like_login: a web page came where JSON is declared")


async def _connect(gateway: Gateway, directory: Path, base: str) -> None:
    answers = {"200": {"description": "done", "content": {"application/json": {}}}}
    document = sites.api("a")
    document["paths"]["/a"]["get"]["responses"] = answers
    (directory / "quay.json").write_text(sites.text(document))
    await gateway.connect(SourceSpec(id="quay", kind="openapi", url=str(directory / "quay.json"), base_url=base))
