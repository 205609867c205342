"""One Starlette application over all faces (T-10)."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager

import anyio
import msgspec
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request as WebRequest
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from periplus.core.calls.approvals import is_operator
from periplus.hosts.desk import Desk, nearest
from periplus.hosts.http.answers import json_response, problem_response
from periplus.hosts.http.gate import Door, Gate
from periplus.hosts.http.mcp_routes import McpRoutes, Sessions
from periplus.hosts.http.openapi import document
from periplus.hosts.http.rest import Rest, decoded, request_of
from periplus.hosts.mcp import McpHost
from periplus.hosts.rpc import Rpc, parse_error
from periplus.model import Code, Principal, Problem
from periplus.ports import Origin, Wire

Faces = Mapping[str, Desk]
Probe = Callable[[], Awaitable[Sequence[tuple[str, bool, str]]]]
"""What readiness rests on: name, whether it is sound, and a word about it."""
_COMPRESS_FROM = 1024


class HttpParts(msgspec.Struct, frozen=True, kw_only=True):
    """What the application is made from; `app/serving.py` chooses it."""

    desks: Faces
    mcp: Mapping[str, McpHost]
    default: str
    door: Door
    ready: Probe
    metrics: Callable[[], Awaitable[str]]
    version: str
    stateless: bool = False
    sessions: Sessions = Sessions()
    pages: Sequence[BaseRoute] = ()  # further routes: the console


def application(parts: HttpParts) -> Starlette:
    """The application; its sessions live as long as its lifespan."""
    ending = anyio.Event()
    mcp = McpRoutes(
        parts.mcp,
        parts.default,
        stateless=parts.stateless,
        sessions=parts.sessions,
        body_bytes=parts.door.body_bytes,
        ending=ending,
    )
    own = _Own(parts)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncGenerator[None]:
        async with mcp.running():
            yield

    made = Starlette(
        routes=[*mcp.routes(), *own.routes(), *parts.pages, *Rest(parts.desks).routes()],
        middleware=[Middleware(Gate, door=parts.door), Middleware(GZipMiddleware, minimum_size=_COMPRESS_FROM)],
        lifespan=lifespan,
        exception_handlers={404: own.missing, 405: own.missing, Problem: own.refused},
    )
    made.state.ending = ending
    return made


class _Own:
    """What belongs to no face: health, metrics, the description of itself, JSON-RPC."""

    def __init__(self, parts: HttpParts) -> None:
        self._parts = parts
        self._rpc = Rpc(parts.desks)
        self._document = json_response(document(parts.desks, parts.version, named=parts.door.authenticator.asks)).body

    def routes(self) -> list[Route]:
        return [
            Route("/healthz", self._healthz),
            Route("/readyz", self._readyz),
            Route("/metrics", self._metrics),
            Route("/openapi.json", self._openapi),
            Route("/rpc", self._ask, methods=["POST"]),
        ]

    async def _healthz(self, _web: WebRequest) -> Response:
        return json_response({"status": "ok", "version": self._parts.version})

    async def _readyz(self, _web: WebRequest) -> Response:
        checks = await self._parts.ready()
        body = {name: {"ok": sound, "message": word} for name, sound, word in checks}
        is_ready = all(sound for _, sound, _ in checks)
        return json_response({"status": "ready" if is_ready else "not ready", "checks": body}, 200 if is_ready else 503)

    async def _metrics(self, web: WebRequest) -> Response:
        who: Principal = web.state.principal
        if not web.state.anonymous and not (is_operator(who) or "metrics" in who.scopes):
            raise Problem(Code.FORBIDDEN, f"{who.id} may not read figures", hints=('it takes the scope "metrics"',))
        return Response(await self._parts.metrics(), media_type="text/plain; version=0.0.4; charset=utf-8")

    async def _openapi(self, _web: WebRequest) -> Response:
        return Response(self._document, media_type="application/json")

    async def _ask(self, web: WebRequest) -> Response:
        try:
            message = decoded(await web.body())
        except Problem as problem:
            return json_response(parse_error(problem))
        answer = await self._rpc.answer(message, request_of(web, Wire.RPC))
        return Response(status_code=204) if answer is None else json_response(answer)

    async def missing(self, web: WebRequest, error: Exception) -> Response:
        """What a path without anything behind it is answered with."""
        paths = ["/mcp", "/rpc", "/openapi.json", "/healthz", *(f"/v1/{name}/..." for name in self._parts.desks)]
        status = getattr(error, "status_code", 404)
        words = f"{web.method} {web.url.path[:200]} is not served here"
        problem = Problem(Code.NOT_FOUND, words, hints=(f"did you mean {nearest(web.url.path, paths)}?",))
        response = problem_response(problem, trace=_trace(web))
        response.status_code = status
        response.headers.update(getattr(error, "headers", None) or {})
        return response

    async def refused(self, web: WebRequest, error: Exception) -> Response:
        """A problem that no face was there to render: a body over its limit."""
        problem = error if isinstance(error, Problem) else Problem(Code.INTERNAL, "the gateway failed at this request")
        return problem_response(problem, trace=_trace(web))


def _trace(web: WebRequest) -> str:
    origin: Origin = web.state.origin
    return origin.trace
