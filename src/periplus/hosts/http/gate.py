"""What every HTTP request passes first: host and origin, size, identity, and its trace."""

from __future__ import annotations

import ipaddress
from collections.abc import Awaitable, Callable, MutableMapping
from time import perf_counter
from typing import Any, Protocol
from urllib.parse import urlsplit

import msgspec
from starlette.datastructures import Headers, MutableHeaders

from periplus.hosts.http.answers import problem_response
from periplus.hosts.http.cors import is_preflight, permit, readable
from periplus.hosts.identity import Authenticator
from periplus.hosts.traces import origin_of
from periplus.model import Code, Problem
from periplus.ports import Clock, Origin, Presented, traceparent

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[MutableMapping[str, Any], Receive, Send], Awaitable[None]]
_OPEN_PATHS = frozenset({"/healthz", "/readyz"})
_REQUEST_ID_MAX = 128


class Watch(Protocol):
    """Who counts requests."""

    in_flight: int

    def answered(self, method: str, status: int, seconds: float, /) -> None:
        """One has its answer."""
        ...


class Door(msgspec.Struct, frozen=True, kw_only=True):
    """What the gate holds requests to."""

    authenticator: Authenticator
    clock: Clock
    allowed_hosts: tuple[str, ...]  # empty: any; they are checked where the gateway listens on loopback
    allowed_origins: tuple[str, ...] = ()
    body_bytes: int = 4 << 20
    public_paths: tuple[str, ...] = ()  # prefixes that need no identity: discovery documents
    url: str = ""  # where others reach it, if that is not where it listens
    watch: Watch | None = None


class Gate:
    """ASGI middleware. Puts `principal`, `origin`, `presented`, `base_url`, `anonymous` into the request's state."""

    def __init__(self, app: App, door: Door) -> None:
        self._app = app
        self._door = door

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
        elif self._door.watch is None:
            await self._enter(scope, receive, send)
        else:
            await self._watched(self._door.watch, scope, receive, send)

    async def _watched(self, watch: Watch, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        status, began = 499, perf_counter()  # nothing was answered: the client went away

        async def seen(message: Message) -> None:
            nonlocal status
            status = message.get("status", status)
            await send(message)

        watch.in_flight += 1
        try:
            await self._enter(scope, receive, seen)
        finally:
            watch.in_flight -= 1
            watch.answered(str(scope.get("method", "GET")), status, perf_counter() - began)

    async def _enter(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope)
        origin = origin_of(headers.get("traceparent"), self._door.clock)
        state = scope.setdefault("state", {})
        state["origin"] = origin
        send = _traced(send, headers, origin)
        page = headers.get("origin", "")
        if page in self._door.allowed_origins:
            send = readable(send, page)
            if scope["type"] == "http" and is_preflight(scope["method"], headers):
                await permit(headers, send)
                return
        try:
            _check_place(headers, self._door)
            _check_size(headers, self._door.body_bytes)
            await self._identify(scope, headers, state)
        except Problem as problem:
            await self._refuse(problem, scope, receive, send)
            return
        await self._app(scope, _bounded(receive, self._door.body_bytes), send)

    async def _identify(self, scope: MutableMapping[str, Any], headers: Headers, state: dict[str, Any]) -> None:
        state["anonymous"] = not self._door.authenticator.asks
        state["base_url"] = base_url(scope, self._door.url)
        state["presented"] = Presented(self._door.authenticator.passed_on(headers))
        path = str(scope["path"])
        if path in _OPEN_PATHS or path.startswith(self._door.public_paths or ("\0",)):
            return
        state["principal"] = await self._door.authenticator.principal(headers)

    async def _refuse(self, problem: Problem, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008, "reason": problem.code.value})
            return
        response = problem_response(problem, trace=scope["state"]["origin"].trace)
        if problem.code is Code.UNAUTHENTICATED:
            response.headers["www-authenticate"] = self._door.authenticator.challenge(base_url(scope, self._door.url))
        await response(scope, receive, send)


def base_url(scope: MutableMapping[str, Any], url: str = "") -> str:
    """Where the gateway was reached, unless its operator said where that is."""
    if url:
        return url.rstrip("/")
    host = Headers(scope=scope).get("host", "localhost")
    return f"{scope.get('scheme', 'http')}://{host}"


def _check_place(headers: Headers, door: Door) -> None:
    """A page in somebody's browser cannot reach a local gateway by a name of its own (DNS rebinding, T-20)."""
    if not door.allowed_hosts:
        return
    host = _name_of(headers.get("host", ""))
    if host not in door.allowed_hosts and not _is_loopback(host):
        raise Problem(
            Code.FORBIDDEN, f"this gateway does not answer to the name {host[:100]!r}", hints=("set [serve] hosts",)
        )
    origin = headers.get("origin")
    if origin and origin not in door.allowed_origins and not _is_loopback(urlsplit(origin).hostname or ""):
        raise Problem(
            Code.FORBIDDEN, f"requests from the origin {origin[:100]!r} are refused", hints=("set [serve] origins",)
        )


def _name_of(host: str) -> str:
    if host.startswith("["):
        return host[1:].partition("]")[0].lower()
    return host.partition(":")[0].lower()


def _is_loopback(name: str) -> bool:
    if name == "localhost":
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def _check_size(headers: Headers, limit: int) -> None:
    length = headers.get("content-length", "")
    if length.isdigit() and int(length) > limit:
        raise _too_large(int(length), limit)


def _too_large(size: int, limit: int) -> Problem:
    return Problem(
        Code.TOO_LARGE,
        f"the request's body has {size:,} bytes or more; this gateway takes {limit:,}",
        hints=("send less, or raise [serve] body_bytes",),
    )


def _bounded(receive: Receive, limit: int) -> Receive:
    seen = 0

    async def bounded() -> Message:
        nonlocal seen
        message = await receive()
        seen += len(message.get("body", b""))
        if seen > limit:
            raise _too_large(seen, limit)
        return message

    return bounded


def _traced(send: Send, headers: Headers, origin: Origin) -> Send:
    """Every answer says which request it answers, so that a log line can be found."""
    asked = headers.get("x-request-id", "")
    request_id = asked if 0 < len(asked) <= _REQUEST_ID_MAX and asked.isprintable() else origin.trace

    async def traced(message: Message) -> None:
        if message["type"] == "http.response.start":
            out = MutableHeaders(scope=message)
            out["x-request-id"] = request_id
            out["traceparent"] = traceparent(origin)
        await send(message)

    return traced
