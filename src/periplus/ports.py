"""What the core needs from outside. Each is as narrow as its callers; adapters know nothing of each other.

A source describes (`Source`), a store keeps (`Store`), the wires carry (`Fetch`, `McpLinks`). None of them is
a place for policy, naming or retries: those are the core's.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, ClassVar, Protocol

import msgspec

from periplus.model import (
    Document,
    Effect,
    Found,
    Matches,
    Node,
    NodeHit,
    Reading,
    Resolved,
    Schema,
    Scope,
    Selector,
    SourceRecord,
    SourceSpec,
    Tool,
    ToolLine,
    ToolRef,
    Unchanged,
    Validators,
)

# --- wires: how bytes reach a source ----------------------------------------------------------------------


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


# --- sources: a description becomes drafts ----------------------------------------------------------------


class Source(Protocol):
    """One kind of description.

    Found by the name of its module in `periplus.sources`, or by an entry point of that group.
    """

    kind: ClassVar[str]

    async def read(self, spec: SourceSpec, wires: Wires, known: Document | None) -> Reading | Unchanged:
        """Read the description; `known` is what was read last time, for conditional requests (S-106).

        Fetches everything first, then gives a stream of drafts that needs no more input. No input raises
        anything but `Problem`, and a fault inside costs only the smallest thing it spoils (S-3).
        """
        ...


# --- stores: what must survive ----------------------------------------------------------------------------


class Known(msgspec.Struct, frozen=True):
    """What a store tells of a stored tool when its source is read again."""

    path: str
    fingerprint: str
    version: str


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One new or changed tool on its way into a store: what queries need as columns, the rest packed.

    `body` is the tool in MessagePack without `source` and `path` (`pack_tool`); a store gives them back from its
    columns (`unpack_tool`), so naming never makes a body be encoded again.
    """

    path: str
    key: str
    fingerprint: str
    version: str
    summary: str
    effect: Effect
    hidden: bool
    deprecated: bool
    requires_approval: bool
    tags: tuple[str, ...]
    paths: tuple[str, ...]
    names: tuple[str, ...]  # normalised spellings it answers to
    definitions: tuple[str, ...]  # what its schemas refer to directly
    body: bytes
    former: tuple[str, ...] = ()  # paths it had before: they stay aliases for good (S-21)


class _Packed(msgspec.Struct, frozen=True, array_like=True):
    """A tool and what was settled after it was encoded."""

    tool: Tool
    schema_hash: str
    fingerprint: str
    version: str
    former: tuple[str, ...] = ()


class _Packing(msgspec.Struct, frozen=True, array_like=True):
    tool: msgspec.Raw
    schema_hash: str
    fingerprint: str
    version: str
    former: tuple[str, ...] = ()


_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(_Packed)


def encode_tool(tool: Tool) -> bytes:
    """The part of a packed tool that depends on its draft alone."""
    return _encoder.encode(tool)


def stamp_tool(
    encoded: bytes, *, schema_hash: str, fingerprint: str, version: str, former: tuple[str, ...] = ()
) -> bytes:
    """A row's body: the encoded draft with what was settled since, without encoding it again."""
    return _encoder.encode(_Packing(msgspec.Raw(encoded), schema_hash, fingerprint, version, former))


def pack_tool(tool: Tool) -> bytes:
    return stamp_tool(
        encode_tool(tool), schema_hash=tool.schema_hash, fingerprint=tool.fingerprint, version=tool.version
    )


def unpack_tool(source: str, path: str, body: bytes) -> Tool:
    packed = _decoder.decode(body)
    tool = packed.tool
    return msgspec.structs.replace(
        tool,
        source=source,
        path=path,
        schema_hash=packed.schema_hash,
        fingerprint=packed.fingerprint,
        version=packed.version,
        aliases=(*tool.aliases, *packed.former),
    )


class Shape(msgspec.Struct, frozen=True):
    """One shared schema definition of a source: its content hash, what it refers to directly, and itself."""

    hash: str
    refers: tuple[str, ...]
    schema: bytes  # JSON


class Change(msgspec.Struct, kw_only=True):
    """Everything one read of a source changes; a store applies it whole or not at all, as one revision."""

    record: SourceRecord  # with counts as they will be; `revision` is set by the store
    rows: Iterable[Row] = ()  # streamed once, in a worker thread; what it raises undoes the change
    removed: Sequence[str] = ()  # keys
    # All areas below the source with paths from its root, `""` being the source itself; None: as they were. A node
    # that is not listed lives while a tool stands in it. Stores count for themselves.
    nodes: Sequence[Node] | None = None
    shapes: Mapping[str, Shape] | None = None  # all definitions by name; None: as they were


class Store(Protocol):
    """The catalog on disk. Reads see one whole revision; `apply` is the only way tools change.

    Not here: what a name means (core), who may see what (a `Scope` comes in), the search index.
    """

    async def revision(self) -> int:
        """Grows by one with each applied change, by whichever process."""
        ...

    async def sources(self) -> Sequence[SourceRecord]: ...
    async def source(self, source: str) -> SourceRecord | None: ...

    async def known(self, source: str) -> Mapping[str, Known]:
        """Key -> what is stored, for a diff."""
        ...

    async def retired(self, source: str, since: float) -> Mapping[str, str]:
        """Paths that nobody else gets yet, and whose each was.

        Those of tools removed after `since` (epoch seconds), and all former ones of tools that live.
        """
        ...

    async def apply(self, change: Change, at: float) -> int:
        """Write one change in one transaction; the new revision.

        Two tools with one key or path are a `conflict`. What was acknowledged outlives the process.
        """
        ...

    async def mark(self, record: SourceRecord) -> None:
        """Keep a source's state, reason, spec or report without touching its tools or the revision."""
        ...

    async def remove(self, source: str, at: float) -> int:
        """Forget a source and all it brought; the new revision. Unknown: `source_not_found`."""
        ...

    async def tool(self, ref: ToolRef, scope: Scope) -> Tool | None:
        """One tool with its `$defs`; None when it is missing or out of scope, which look the same."""
        ...

    async def resolve(self, folded: str, scope: Scope, limit: int) -> Sequence[tuple[ToolRef, tuple[str, ...]]]:
        """Visible tools with this normalised name or alias, in order of ref, each with its names as written.

        Those are its ref, path, leaf, aliases and former refs.
        """
        ...

    async def node(self, path: str, scope: Scope) -> Node | None:
        """A visible node, counted inside the scope; `""` is the root."""
        ...

    async def children(self, path: str, scope: Scope, after: str, limit: int) -> Sequence[Node]:
        """Visible child nodes in order of path, those after `after`."""
        ...

    async def tools(self, path: str, scope: Scope, after: str, limit: int, *, deep: bool = False) -> Sequence[ToolLine]:
        """Visible tools at this node (`deep`: anywhere below it), in order of ref, those after `after`."""
        ...

    def walk(self, source: str | None = None) -> AsyncIterator[Tool]:
        """All tools, for building an index; hidden ones included, without `$defs`."""
        ...

    async def near(self, words: Sequence[str], scope: Scope, limit: int) -> Sequence[ToolRef]:
        """Visible refs that share words with these, most and rarest first, for "did you mean".

        The store splits what it is given (`getPets` are two words) as it split the paths.
        """
        ...

    async def lease(self, name: str, holder: str, until: float, now: float) -> bool:
        """Take or renew the right to do `name` alone (S-110); `until=now` gives it up."""
        ...

    async def close(self) -> None: ...


# --- search: a goal becomes tools ---------------------------------------------------------------------------


class SearchEngine(Protocol):
    """Ranking over index files that every process of a catalog shares; plain functions, run off the event loop.

    A scope is applied before anything is ranked. Not here: keeping in step with the store, cursors, audit.
    """

    @property
    def revision(self) -> int:
        """The catalog revision that searches see; 0 when there is no usable index yet."""
        ...

    @property
    def damage(self) -> str:
        """Why the files that were found cannot be used, or nothing."""
        ...

    @property
    def outdated(self) -> bool:
        """Written with another version of the model, or scattered: worth a rebuild."""
        ...

    def refresh(self) -> bool:
        """Take over an index another process wrote."""
        ...

    def rebuild(self, revision: int, tools: Iterable[tuple[Tool, str]]) -> None:
        """Index exactly these tools, each with its one-line signature."""
        ...

    def update(self, revision: int, changed: Iterable[tuple[Tool, str]], removed: Iterable[str]) -> None: ...

    def sources(self) -> set[str]: ...

    def stale(self, source: str, wanted: Mapping[str, str]) -> tuple[set[str], set[str]]:
        """Of a source's tools (path -> fingerprint): the paths to index anew, and the refs to forget."""
        ...

    def search(
        self,
        goal: str,
        scope: Scope,
        *,
        limit: int,
        start: int,
        within: Selector | None,
        boosts: Mapping[str, float] | None,
    ) -> Found: ...

    def search_nodes(self, goal: str, scope: Scope, *, limit: int, within: Selector | None) -> tuple[NodeHit, ...]: ...

    def similar(self, ref: ToolRef, scope: Scope, *, limit: int) -> Found: ...

    def match(self, pattern: str, scope: Scope, *, limit: int, after: str) -> Matches: ...

    def resolve(self, name: str, scope: Scope) -> Resolved: ...

    def split(self, goal: str) -> tuple[str, ...]:
        """The clauses of a goal that asks for several things."""
        ...

    def boosts(self, goal: str, tenant: str, now: float) -> Mapping[str, float]:
        """What earlier calls after similar goals say for which refs."""
        ...

    def remember(self, goal: str, ref: str, tenant: str, now: float) -> None: ...

    def remembered(self, tenant: str) -> bytes:
        """All memories of a tenant, as JSON."""
        ...

    def forget(self, tenant: str) -> None: ...


class Clock(Protocol):
    """Time and randomness, so that logic stays a function of its inputs."""

    def now(self) -> float:
        """Seconds since the epoch."""
        ...

    def token(self, size: int) -> bytes:
        """That many unpredictable bytes."""
        ...


StoreFactory = AbstractAsyncContextManager[Store]

__all__ = [
    "Change",
    "Clock",
    "Fetch",
    "FetchRequest",
    "Fetched",
    "Iterator",
    "Known",
    "McpLinks",
    "McpListing",
    "Row",
    "Schema",
    "SearchEngine",
    "Shape",
    "Source",
    "Store",
    "StoreFactory",
    "Wires",
]
