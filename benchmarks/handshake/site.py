"""A generated site on loopback: python -m benchmarks.handshake.site openapi|graphql TOOLS AREAS.

Prints its address on the first line, and serves until its stdin is closed.
"""

from __future__ import annotations

import json
import socket
import sys
import threading
from functools import cache

import uvicorn
from graphql import build_schema, graphql_sync
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from benchmarks.handshake.documents import openapi, sdl

_READING = {"id": "7", "state": "open", "pressure": 4.2, "checked": "2031-05-02T08:00:00Z"}


class _Reading:
    """Gives every field of the schema the same reading."""

    def __getattr__(self, _: str) -> dict[str, object]:
        return _READING


def rest(tools: int, areas: int) -> Starlette:
    """A REST service and its document."""
    document = json.dumps(openapi(tools, areas)).encode()
    etag = f'"{tools}-{areas}"'

    async def described(request: Request) -> Response:
        if request.headers.get("if-none-match") == etag:
            return Response(status_code=304, headers={"etag": etag})
        return Response(document, media_type="application/json", headers={"etag": etag})

    async def read(_: Request) -> Response:
        return JSONResponse(_READING)

    return Starlette(routes=[Route("/openapi.json", described), Route("/{name}/{id}", read)])


def graph(tools: int, areas: int) -> Starlette:
    """A GraphQL service; it keeps what it answered, so that gateways wait for themselves alone."""
    schema = build_schema(sdl(tools, areas), no_location=True)

    @cache
    def answered(query: str, variables: str) -> bytes:
        done = graphql_sync(schema, query, _Reading(), variable_values=json.loads(variables))
        return json.dumps(done.formatted).encode()

    async def ask(request: Request) -> Response:
        body = await request.json()
        found = answered(body["query"], json.dumps(body.get("variables") or {}))
        return Response(found, media_type="application/json")

    return Starlette(routes=[Route("/graphql", ask, methods=["POST"])])


def main() -> None:
    kind, tools, areas = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    made = {"openapi": rest, "graphql": graph}[kind](tools, areas)
    listener = socket.create_server(("127.0.0.1", 0), backlog=64)
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # a made socket has no protocol, so uvicorn does not
    server = uvicorn.Server(uvicorn.Config(made, log_level="warning", lifespan="off", access_log=False))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    path = {"openapi": "/openapi.json", "graphql": "/graphql"}[kind]
    print(f"http://127.0.0.1:{listener.getsockname()[1]}{path}", flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
