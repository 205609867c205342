"""How bytes reach a source: the guarded way out, and sessions with MCP servers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import msgspec

from periplus.model import SourceSpec, Validators


class FetchRequest(msgspec.Struct, frozen=True, kw_only=True):
    """One guarded request. `file:` URLs and bare paths are read from disk when the source may."""

    url: str
    method: str = "GET"
    headers: dict[str, str] = {}
    body: bytes = b""
    accept: str = "*/*"
    validators: Validators | None = None  # makes it conditional
    root: str = ""  # the document that refers here, which holds it to that origin or directory (S-35)
    timeout_s: float | None = None  # None: `[fetch] timeout_seconds`
    limit_bytes: int | None = None  # None: `[limits] document_bytes`


class Fetched(msgspec.Struct, frozen=True, kw_only=True):
    """What came back, whatever its status; `url` is where it came from after redirects."""

    url: str
    status: int
    body: bytes = b""
    media_type: str = ""
    headers: dict[str, str] = {}  # lower-case names
    validators: Validators = Validators()

    @property
    def not_modified(self) -> bool:
        return self.status == 304


class Fetch(Protocol):
    """The one way out for reading: guard, connection to the judged address, limits, redirects, credentials.

    Bound to one source: the origin its operator wrote is allowed, others by `[fetch] allow`. Raises `Problem`
    (refused_address, unavailable, timeout, over_limit, not_found), never a library's error.
    """

    async def send(self, request: FetchRequest) -> Fetched: ...


class McpListing(msgspec.Struct, frozen=True, kw_only=True):
    """What an MCP server says it has, read to the last page; every member as it came on the wire."""

    server: dict[str, Any]  # name, version, title, instructions
    protocol: str  # the negotiated revision
    tools: tuple[dict[str, Any], ...] = ()
    resources: tuple[dict[str, Any], ...] = ()
    templates: tuple[dict[str, Any], ...] = ()
    prompts: tuple[dict[str, Any], ...] = ()
    notes: tuple[str, ...] = ()  # text on stdout, a repeated cursor, a list that ended early
    fresh_seconds: float | None = None  # for how long it is good, where the server says so


class McpLinks(Protocol):
    """Sessions with MCP servers, pooled and started at first need; children end with the gateway."""

    async def listing(self, spec: SourceSpec) -> McpListing: ...
    def stderr(self, source: str) -> Sequence[str]:
        """The last lines a stdio server wrote, redacted."""
        ...

    async def close(self, source: str | None = None) -> None: ...


class ReadLimits(msgspec.Struct, frozen=True, kw_only=True):
    """How much a description may hold (`[limits]`, S-6); every fault names the limit, the value and the key."""

    document_bytes: int = 128 << 20
    documents_bytes: int = 512 << 20
    documents: int = 5000
    operations: int = 250_000
    nesting: int = 200
    nodes: int = 20_000_000
    schema_bytes: int = 1 << 20


class Wires(msgspec.Struct, frozen=True, kw_only=True):
    """Everything an adapter may use to reach the outside, bound to one source."""

    fetch: Fetch
    mcp: McpLinks
    limits: ReadLimits = ReadLimits()
