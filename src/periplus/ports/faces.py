"""A protocol as hosts see it: operations declared once, from which every wire is derived."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from enum import StrEnum
from typing import Any, Protocol

import msgspec

from periplus.model import Principal, Problem
from periplus.ports.listening import Listener
from periplus.ports.origin import Origin
from periplus.ports.transports import Progress, no_progress


class Wire(StrEnum):
    """How a request came. Faces need it only where their contract tells wires apart."""

    STDIO = "stdio"
    MCP = "mcp"  # over HTTP
    HTTP = "http"
    RPC = "rpc"


class Presented(dict[str, str]):
    """Headers of a caller's own request, names in lower case; printed, it shows none of them."""

    def __repr__(self) -> str:
        return f"<{len(self)} headers>"


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """Who asks for an operation, over what, and in which conversation. The arguments come beside it."""

    principal: Principal
    wire: Wire = Wire.HTTP
    connection: str = ""  # what the wire itself knows of the conversation: MCP session id, stdio process; else empty
    anonymous: bool = False  # nobody said who asks, so the principal does not tell callers apart
    approval: str = ""  # an approval the host has just had a person agree to (T-5)
    origin: Origin = Origin()  # its place in a trace
    progress: Progress = no_progress
    listener: Listener | None = None  # hears what upstreams log meanwhile
    presented: Mapping[str, str] = Presented()  # over HTTP: for credentials that are passed on or exchanged (T-23)
    base_url: str = ""  # over HTTP: where the gateway was reached

    @property
    def trace(self) -> str:
        """The trace it belongs to, 32 hex digits: what its answer and the log can be found by."""
        return self.origin.trace


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """An operation's answer, in the dialect of its protocol, for every wire at once."""

    body: Any  # over HTTP and JSON-RPC
    text: str  # what a model reads
    structured: dict[str, Any] | None = None  # MCP `structuredContent`
    meta: dict[str, Any] = {}  # MCP `_meta`
    content: tuple[dict[str, Any], ...] = ()  # further MCP content: images, audio, files
    problem: Problem | None = None  # it failed: what a JSON-RPC error and the exit of the host are made from
    status: int = 200


Handler = Callable[[Request, dict[str, Any]], Awaitable[Reply]]


class Operation(msgspec.Struct, frozen=True, kw_only=True):
    """One thing a face can be asked. MCP tool, HTTP route, JSON-RPC method and OpenAPI operation come from this."""

    name: str
    title: str
    description: str  # words for the model
    input: dict[str, Any]  # JSON Schema of the arguments
    handler: Handler
    output: dict[str, Any] | None = None  # JSON Schema of `structured`, where the shape is fixed
    listed_output: bool = True  # whether MCP lists it too: some faces save the tokens
    reads: bool = False
    destroys: bool = False
    idempotent: bool = False
    open_world: bool = False


class HttpAsk(msgspec.Struct, frozen=True, kw_only=True):
    """A request to a route that a face has of its own."""

    request: Request
    method: str
    path: str
    params: dict[str, str] = {}  # from the route's own path
    query: tuple[tuple[str, str], ...] = ()
    headers: dict[str, str] = {}  # names in lower case
    body: bytes = b""


class HttpAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """What such a route answers."""

    status: int = 200
    body: bytes = b""
    media_type: str = "application/json"
    headers: dict[str, str] = {}


class Route(msgspec.Struct, frozen=True, kw_only=True):
    """An HTTP route beyond `POST /v1/<face>/<operation>`."""

    methods: tuple[str, ...]
    path: str  # "/v1/expansion/instructions", "/sites/{source}/..."
    handler: Callable[[HttpAsk], Awaitable[HttpAnswer]] | None = None
    operation: str = ""  # in place of a handler: the operation that is asked here too
    summary: str = ""  # listed routes appear in /openapi.json; without words it is not listed


class Resource(msgspec.Struct, frozen=True, kw_only=True):
    """A document a face offers over MCP."""

    uri: str
    name: str
    description: str
    media_type: str
    read: Callable[[], Awaitable[str]]
    aliases: tuple[str, ...] = ()  # further URIs it answers to


class Face(Protocol):
    """One protocol over the core: parse, call verbs, render. No I/O, no catalog, no session store of its own."""

    name: str
    server_name: str
    server_version: str
    instructions: str  # what MCP tells a model at the start
    operations: tuple[Operation, ...]
    routes: tuple[Route, ...]
    resources: tuple[Resource, ...]
    rpc_prefix: str  # JSON-RPC method = prefix + operation

    async def other(self, name: str, arguments: dict[str, Any], request: Request) -> Reply | None:
        """The answer to an MCP tool name that is none of the operations; None: unknown, the host says so."""
        ...

    def refused(self, problem: Problem, request: Request) -> Reply:
        """A problem that the host met itself, in this protocol's words."""
        ...
