"""GraphQL servers on loopback, made of Starlette and graphql-core, that answer as told; and readings of them."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import uvicorn
from graphql import ExecutionResult, GraphQLSchema, graphql_sync
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from periplus.model import Document, Draft, Reading, SourceSpec, Unchanged
from periplus.net import Fetcher, FetchPolicy
from periplus.ports import McpLinks, McpListing, Wires
from periplus.sources.graphql import GraphqlSource

Refuse = Callable[[str], str | None]


@dataclass
class GraphqlServer:
    """One served schema. `refuse` looks at a question and gives the error it is refused with, or nothing."""

    schema: GraphQLSchema | None = None
    root: Any = None
    refuse: Refuse = lambda _question: None
    plain: Response | None = None  # answered to everything
    documents: dict[str, Response] = field(default_factory=dict)  # answered to GET, by path
    asked: list[str] = field(default_factory=list)
    methods: list[str] = field(default_factory=list)
    port: int = 0

    @property
    def url(self) -> str:
        return self.at("/graphql")

    def at(self, path: str) -> str:
        return f"http://127.0.0.1:{self.port}{path}"

    async def answer(self, request: Request) -> Response:
        self.methods.append(request.method)
        if request.method == "GET" and request.url.path in self.documents:
            return self.documents[request.url.path]
        if self.plain is not None:
            return self.plain
        if self.schema is None or request.url.path.startswith("/nothing"):
            return Response("Method Not Allowed", status_code=405)
        asked: dict[str, Any] = dict(request.query_params) if request.method == "GET" else await request.json()
        question = asked.get("query")
        if not question:
            return Response("Must provide query string.", status_code=400)
        self.asked.append(question)
        if (said := self.refuse(question)) is not None:
            return JSONResponse({"errors": [{"message": said}]}, status_code=400)
        return _json(graphql_sync(self.schema, question, self.root, variable_values=asked.get("variables")))


def _json(result: ExecutionResult) -> Response:
    return Response(json.dumps(result.formatted), media_type="application/graphql-response+json")


@contextmanager
def serving(server: GraphqlServer) -> Generator[GraphqlServer]:
    """The server, listening as long as the block runs."""
    listener = socket.create_server(("127.0.0.1", 0))
    server.port = listener.getsockname()[1]
    routes = [Route("/{path:path}", server.answer, methods=["GET", "POST"])]
    runner = uvicorn.Server(uvicorn.Config(Starlette(routes=routes), log_level="error", lifespan="off"))
    thread = threading.Thread(target=runner.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        runner.should_exit = True
        thread.join(10)
        listener.close()


class NoMcp(McpLinks):
    """A GraphQL source has no use for MCP."""

    async def listing(self, spec: SourceSpec) -> McpListing:
        raise AssertionError(spec)

    def stderr(self, source: str) -> list[str]:
        raise AssertionError(source)

    async def close(self, source: str | None = None) -> None:
        """Nothing is open."""


@dataclass
class Read:
    """A reading with its stream at the end."""

    reading: Reading
    drafts: dict[str, Draft]

    @property
    def codes(self) -> list[str]:
        return [finding.code.value for finding in self.reading.findings]

    @property
    def skipped(self) -> list[str]:
        return [finding.operation for finding in self.reading.findings if finding.skipped]


async def read(known: Document | None = None, **spec: Any) -> Read | Unchanged:
    """Read a source through the real way out."""
    given = SourceSpec(id="s", kind="graphql", **spec)
    fetcher = Fetcher(FetchPolicy())
    try:
        wires = Wires(fetch=fetcher.for_source(given), mcp=NoMcp())
        reading = await GraphqlSource().read(given, wires, known)
    finally:
        await fetcher.close()
    if isinstance(reading, Unchanged):
        return reading
    drafts = list(reading.drafts)
    assert len({draft.key for draft in drafts}) == len(drafts)
    return Read(reading, {draft.key: draft for draft in drafts})


async def read_new(**spec: Any) -> Read:
    """Read a source that must not be known already."""
    found = await read(**spec)
    assert isinstance(found, Read)
    return found
