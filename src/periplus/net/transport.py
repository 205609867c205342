"""The guard as a transport of httpx2: whoever sends through it is judged, pinned, and told what went wrong."""

from __future__ import annotations

import logging
import ssl
from collections.abc import AsyncIterable, AsyncIterator
from pathlib import Path
from urllib.parse import unquote, urlsplit

import httpcore2
import httpx2

from periplus.model import Code, Problem
from periplus.net.credentials.references import check_private, missing
from periplus.net.failures import translated, wrong_length
from periplus.net.guard import NO_GRANT, FetchPolicy, Grant, judge_target
from periplus.net.library import Watch, had_surplus
from periplus.net.limits import FetchLimits
from periplus.net.urls import DEFAULT_PORTS, Target, parse_target
from periplus.net.wire import PinnedBackend, Resolve

# At DEBUG these write headers as they go out and come in, and one of them whole addresses with their query.
for _talkative in ("hpack", "httpcore2", "httpx2", "h2"):
    logging.getLogger(_talkative).setLevel(logging.WARNING)


class GuardedTransport(httpx2.AsyncBaseTransport):
    """Sends one request to a judged address; no cookies, no redirects, no environment. Raises `Problem` only.

    Hand it to `httpx2.AsyncClient(transport=..., trust_env=False)` where a library wants a client.
    """

    def __init__(
        self, policy: FetchPolicy, grant: Grant, *, tls: ssl.SSLContext, resolve: Resolve, limits: FetchLimits
    ) -> None:
        self._policy = policy
        self._grant = grant
        # The proxy is the operator's setting and not a source's: what a source was granted does not reach it.
        self._backend = PinnedBackend(policy, NO_GRANT if policy.proxy else grant, resolve)
        self._proxy = _proxy(policy.proxy, tls)
        if self._proxy is not None:
            judge_target(policy, NO_GRANT, self._proxy[1])
            self._backend.expect(self._proxy[1])
        self._pool = httpcore2.AsyncConnectionPool(
            ssl_context=tls,
            proxy=None if self._proxy is None else self._proxy[0],
            max_connections=limits.connections,
            keepalive_expiry=limits.idle_seconds,
            http2=True,
            network_backend=self._backend,
        )

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        target = parse_target(str(request.url))
        judge_target(self._policy, self._grant, target, unresolved=self._proxy is not None)
        if self._proxy is None:
            self._backend.expect(target)
        assert isinstance(request.stream, AsyncIterable)  # noqa: S101 - httpx2 makes async requests of async clients
        wire = httpcore2.Request(
            request.method,
            httpcore2.URL(
                scheme=target.scheme,
                host=target.host,
                port=None if target.port == DEFAULT_PORTS[target.scheme] else target.port,
                target=request.extensions.get("target", request.url.raw_path),
            ),
            headers=request.headers.raw,
            content=request.stream,
            extensions=request.extensions,
        )
        wire.extensions["trace"] = Watch(self._pool, request.extensions.get("begun"))
        with translated(target, connect_seconds=request.extensions.get("timeout", {}).get("connect")):
            answer = await self._pool.handle_async_request(wire)
        return httpx2.Response(
            answer.status,
            headers=answer.headers,
            stream=_Body(answer, target),
            extensions=answer.extensions,
            request=request,
        )

    async def aclose(self) -> None:
        await self._pool.aclose()


class _Body(httpx2.AsyncByteStream):
    """The bytes of an answer as they come, with the faults on their way translated."""

    def __init__(self, answer: httpcore2.Response, target: Target) -> None:
        self._answer = answer
        self._target = target

    async def __aiter__(self) -> AsyncIterator[bytes]:
        with translated(self._target, in_body=True):
            async for chunk in self._answer.aiter_stream():
                yield chunk
        if await had_surplus(self._answer):
            raise wrong_length(self._target)

    async def aclose(self) -> None:
        await self._answer.aclose()


def tls_context(policy: FetchPolicy) -> ssl.SSLContext:
    """The system's roots and those of `[fetch] ca`."""
    context = httpx2.create_ssl_context(trust_env=False)
    if policy.ca:
        path = Path(policy.ca).expanduser()
        files = sorted(path.glob("*.pem")) + sorted(path.glob("*.crt")) if path.is_dir() else [path]
        try:
            for file in files:
                context.load_verify_locations(cafile=file)
        except (OSError, ssl.SSLError) as error:
            raise Problem(
                Code.BAD_SETTING,
                f"[fetch] ca: {path} cannot be read as certificates: {error.strerror or error}",
                hints=("name a PEM file, or a directory of .pem or .crt files",),
            ) from error
    return context


def with_certificate(policy: FetchPolicy, certificate: str, key: str) -> ssl.SSLContext:
    """The same trust, and a certificate of our own to show."""
    context = tls_context(policy)
    for name in (certificate, key):
        if not Path(name).expanduser().is_file():
            raise missing(f"file:{name}", "there is no such file")
    check_private(f"file:{key}", Path(key).expanduser())
    try:
        context.load_cert_chain(Path(certificate).expanduser(), Path(key).expanduser(), password=_no_password)
    except (OSError, ssl.SSLError, ValueError) as error:
        raise missing(
            f"file:{certificate}", "it and its key are no PEM certificate and key that belong together"
        ) from error
    return context


def _no_password() -> str:
    """Keys are kept by file permissions; nobody is there to be asked."""
    return ""


def _proxy(setting: str, tls: ssl.SSLContext) -> tuple[httpcore2.Proxy, Target] | None:
    if not setting:
        return None
    parts = urlsplit(setting if "://" in setting else f"http://{setting}")
    try:
        target = parse_target(f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}")
        user, password = unquote(parts.username or ""), unquote(parts.password or "")
    except (Problem, ValueError) as error:
        raise Problem(
            Code.BAD_SETTING,
            "[fetch] proxy is not the URL of an HTTP proxy",
            hints=("write http://proxy.example.com:3128",),
        ) from error
    proxy = httpcore2.Proxy(
        httpcore2.URL(scheme=target.scheme, host=target.host, port=target.port, target="/"),
        auth=(user, password) if user or password else None,
        ssl_context=tls if target.scheme == "https" else None,
    )
    return proxy, target
