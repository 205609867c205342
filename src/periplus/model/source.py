"""A source: where it is, how the operator wants it read, and what reading it gave."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from enum import StrEnum
from typing import Any, Literal

import msgspec

from periplus.model.finding import Finding, LoadReport
from periplus.model.node import NodeDraft
from periplus.model.tool import Draft, Schema

DIRECT = "direct"
"""The word in `expose` that pins what a source has beside the operations of a face (T-6)."""

_OFFERS = ("tools", "resources", "prompts")


class SourceSpec(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """One `[sources.<id>]` table: what the operator wrote. Secrets stand in it only as references."""

    id: str = ""  # the table's own name
    url: str = ""  # a URL, a file, or module[:name] for python
    kind: str = ""  # empty: found out by looking
    asked: str = ""  # the address as it was written, where looking led to another one
    name: str = ""  # a title for people
    enabled: bool = True  # false: it is not read, and its tools are hidden
    refresh: str = ""  # "6h", "30m", "off"; without effect until there is a service that runs on: use `periplus sync`
    tenant: str = ""  # only principals of this tenant see it; empty: all do
    principals: tuple[str, ...] = ()  # only these see it; empty: all do
    guests: tuple[str, ...] = ()  # "tenant/principal" of those who connected it through a face; only they see it
    pin: Literal["", "mark", "quarantine"] = ""  # until it is accepted, a tool that changed has a mark or is hidden
    trusted: bool = True  # written by the operator; a source added through a face is not
    trust_annotations: bool = True  # whether a server's hints about its tools may make them look safer
    effects: dict[str, str] = {}  # what tools do, by glob: `{ "*search*" = "read" }`; counts before all else
    server: int | str | None = None  # openapi: which of the document's servers, by index, URL or name
    base_url: str = ""  # openapi: where calls go, whatever the document says
    server_variables: dict[str, str] = {}  # openapi: values for the variables in a server's URL
    headers: dict[str, str] = {}  # sent with every request; values may be references: `Bearer env:TOKEN`
    query: dict[str, str] = {}  # as headers, in the query
    redirects: str = ""  # calls: "any" follows to other origins too, "none" never; else reads within the origin
    timeout_seconds: float | None = None  # mcp: how long one request may take; else 60
    deep_arrays: str = "brackets"  # openapi: arrays in deepObject parameters: "brackets", "indices" or "repeat"
    require_credentials: bool = False  # whether calls are refused for which no credential is at hand
    endpoint: str = ""  # graphql: where to send, when the schema is a file
    command: str = ""  # mcp over stdio: the program to run, without a shell
    args: tuple[str, ...] = ()  # mcp over stdio: its arguments
    env: dict[str, str] = {}  # mcp over stdio: its environment beside PATH and HOME
    cwd: str = ""  # mcp over stdio: the directory it runs in
    transport: str = ""  # mcp over a URL: "http" or "sse"; graphql: "get"; empty: the kind's own
    idle_seconds: float = 600  # mcp: a session nobody uses for that long is ended; 0: never
    per_principal: bool = False  # mcp: each principal has a session, and a server process, of its own
    expose: tuple[str, ...] = ("tools",)  # mcp: of "tools", "resources", "prompts"; any: "direct" lists them to clients
    isolate: bool = False  # python: each call in a process of its own, which ends with it and with its deadline

    @property
    def location(self) -> str:
        """What a person would call its address."""
        return self.url or " ".join((self.command, *self.args))

    @property
    def offers(self) -> tuple[str, ...]:
        """What of an MCP server becomes tools; `direct` alone means all of it."""
        return tuple(word for word in self.expose if word != DIRECT) or (_OFFERS if self.expose else ())


class Validators(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What makes the next request for the same document conditional."""

    etag: str = ""
    last_modified: str = ""


class DocumentPart(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One fetched file of a source, root first."""

    url: str
    sha256: str
    bytes: int
    validators: Validators = Validators()


class Document(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What was read: `parts` are all files, so that a refresh can ask for each conditionally."""

    url: str
    kind: str
    version: str = ""  # of the format: "3.1.0"
    title: str = ""
    api_version: str = ""
    sha256: str = ""  # over all parts
    bytes: int = 0
    parts: tuple[DocumentPart, ...] = ()


class Reading(msgspec.Struct, kw_only=True):
    """What an adapter gives: a stream of drafts, and what stands complete once the stream has ended.

    `drafts` is a plain iterator that the core runs in a thread; `definitions`, `nodes`, `findings` may still grow
    while it runs. `site` is what calls of all its tools share (servers, security schemes, endpoint). Every
    operation is either a draft or a finding with `skipped`, so the report can add up (S-4).
    """

    document: Document
    drafts: Iterator[Draft]
    definitions: Mapping[str, Schema] = msgspec.field(default_factory=dict[str, Schema])
    nodes: list[NodeDraft] = msgspec.field(default_factory=list[NodeDraft])
    findings: list[Finding] = msgspec.field(default_factory=list[Finding])
    site: dict[str, Any] = msgspec.field(default_factory=dict[str, Any])
    instructions: str = ""


class Unchanged(msgspec.Struct, frozen=True, kw_only=True):
    """The description is the one already read: nothing is written."""

    document: Document


def split_kind(text: str, kinds: Collection[str]) -> tuple[str, str]:
    """`graphql:schema.sdl` as its kind and the rest; without a kind where none of these stands before the colon."""
    kind, colon, rest = text.partition(":")
    if colon and kind.lower() in kinds and not rest.startswith("//"):
        return kind.lower(), rest
    return "", text


class SourceState(StrEnum):
    """Whether what is stored is what the source says now."""

    OK = "ok"
    STALE = "stale"  # the last good set serves; a refresh failed
    UNAVAILABLE = "unavailable"  # never read
    HELD = "held"  # a refresh would remove too much; waits for acceptance


class Held(msgspec.Struct, frozen=True, kw_only=True):
    """A read that would lose too much: which document, when first seen, what it would do."""

    sha256: str
    since: float
    removes: int
    of: int


class SourceRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A source as the store keeps it."""

    spec: SourceSpec
    document: Document | None = None
    state: SourceState = SourceState.UNAVAILABLE
    reason: str = ""
    tools: int = 0
    areas: int = 0
    revision: int = 0  # of the catalog, when it last changed
    site: dict[str, Any] = {}
    instructions: str = ""
    report: LoadReport | None = None
    held: Held | None = None  # a change that waits to be seen again or accepted
    reader: int = 0  # which generation of readers read it
    placing: str = ""  # by which rules its tools were placed

    @property
    def id(self) -> str:
        return self.spec.id
