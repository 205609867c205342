"""`POST /v1/<face>/<operation>`, and the routes that faces have of their own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from starlette.requests import Request as WebRequest
from starlette.responses import Response
from starlette.routing import BaseRoute
from starlette.routing import Route as WebRoute

from periplus.hosts.desk import Desk, nearest
from periplus.hosts.http.answers import problem_response, reply_response, route_response
from periplus.hosts.identity import AGENT
from periplus.model import Code, Problem
from periplus.ports import HttpAsk, Request, Route, Wire

_decode = msgspec.json.Decoder(strict=True).decode
_METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]


def request_of(web: WebRequest, wire: Wire) -> Request:
    """Who asks, as the gate found out."""
    state = web.state
    return Request(
        principal=getattr(state, "principal", AGENT),
        wire=wire,
        connection=web.headers.get("x-session-id", "")[:200],
        anonymous=getattr(state, "anonymous", True) and "x-session-id" not in web.headers,
        origin=state.origin,
        presented=state.presented,
        base_url=state.base_url,
    )


class Rest:
    """The desks of all faces, over plain HTTP."""

    def __init__(self, desks: Mapping[str, Desk]) -> None:
        self._desks = desks

    def routes(self) -> list[BaseRoute]:
        own = [self._own(desk, route) for desk in self._desks.values() for route in desk.face.routes]
        return [*own, WebRoute("/v1/{face}/{operation}", self._ask, methods=_METHODS)]

    async def _ask(self, web: WebRequest) -> Response:
        face, operation = web.path_params["face"], web.path_params["operation"]
        try:
            desk = self._desk(face)
            _must_post(web, f"/v1/{face}/{operation}")
        except Problem as problem:
            response = problem_response(problem, trace=web.state.origin.trace)
            if problem.details.get("allow"):
                response.status_code, response.headers["allow"] = 405, "POST"
            return response
        return await self._answered(desk, operation, web)

    async def _answered(self, desk: Desk, operation: str, web: WebRequest) -> Response:
        request = request_of(web, Wire.HTTP)
        if desk.operation(operation) is None:
            return problem_response(desk.unknown(operation), trace=request.trace)
        try:
            arguments = decoded(await web.body())
        except Problem as problem:
            return reply_response(desk.face.refused(problem, request))
        reply = await desk.ask(operation, arguments, request)
        if reply is None:
            return problem_response(desk.unknown(operation), trace=request.trace)
        return reply_response(reply)

    def _desk(self, face: str) -> Desk:
        desk = self._desks.get(face)
        if desk is None:
            near = nearest(face, tuple(self._desks))
            raise Problem(Code.NOT_FOUND, f"there is no face {face[:60]!r}", hints=(f"did you mean {near!r}?",))
        return desk

    def _own(self, desk: Desk, route: Route) -> BaseRoute:
        async def answer(web: WebRequest) -> Response:
            if route.handler is None:
                return await self._answered(desk, route.operation, web)
            request = request_of(web, Wire.HTTP)
            ask = HttpAsk(
                request=request,
                method=web.method,
                path=web.url.path,
                params={name: str(value) for name, value in web.path_params.items()},
                query=tuple(web.query_params.multi_items()),
                headers={name.lower(): value for name, value in web.headers.items()},
                body=await web.body(),
            )
            try:
                return route_response(await route.handler(ask))
            except Problem as problem:
                return reply_response(desk.face.refused(problem, request))

        return WebRoute(route.path, answer, methods=list(route.methods))


def decoded(body: bytes) -> Any:
    """Strict JSON (no comments, no trailing commas), or where it stops being that. Nothing at all is `{}`."""
    if not body.strip():
        return {}
    try:
        return _decode(body)
    except UnicodeDecodeError as error:
        raise Problem(Code.BAD_INPUT, "the body is not UTF-8", hints=("send one JSON object in UTF-8",)) from error
    except msgspec.DecodeError as error:
        raise Problem(
            Code.BAD_INPUT, f"the body is not JSON: {_where(body, str(error))}", hints=("send one JSON object",)
        ) from error
    except RecursionError as error:
        raise Problem(Code.BAD_INPUT, "the body is nested too deep to be read", hints=("send one object",)) from error


def _where(body: bytes, message: str) -> str:
    """The parser's words with its byte as line and column, which a person can find."""
    words, _, rest = message.partition("(byte ")
    digits = rest.rstrip(")")
    if not digits.isdigit():
        return message
    before = body[: int(digits)]
    line, column = before.count(b"\n") + 1, len(before) - (before.rfind(b"\n") + 1) + 1
    return f"line {line}, column {column}: {words.strip()}"


def _must_post(web: WebRequest, path: str) -> None:
    if web.method != "POST":
        raise Problem(
            Code.BAD_INPUT, f"{path} is asked with POST, not {web.method}", hints=("send POST",), details={"allow": 1}
        )
