"""Reads one server: asks for what it lists, and tells it apart from what was listed last time."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any, ClassVar

import anyio.to_thread
import msgspec

from periplus.documents import canonical
from periplus.documents.pruning import encodable, shallow, storable
from periplus.documents.schemas import Definitions, Findings
from periplus.model import (
    DIRECT,
    Code,
    Document,
    DocumentPart,
    Draft,
    NodeDraft,
    Problem,
    Reading,
    SourceSpec,
    Unchanged,
)
from periplus.ports import McpListing, ReadLimits, Wires
from periplus.sources.mcp.others import prompt_draft, resource_draft, template_draft
from periplus.sources.mcp.tools import tool_drafts

_MIRRORING = "2026-07-28"
"""The first revision with headers that repeat arguments; revisions sort as dates do."""

EXPOSED = ("tools", "resources", "prompts")
_RESOURCES = NodeDraft(path=("resources",), title="Resources", summary="Things the server can be asked to read.")
_PROMPTS = NodeDraft(path=("prompts",), title="Prompts", summary="Texts the server prepares for a conversation.")


class McpSource:
    """Reads whatever speaks MCP, over whichever wire."""

    kind: ClassVar[str] = "mcp"

    async def read(self, spec: SourceSpec, wires: Wires, known: Document | None) -> Reading | Unchanged:
        for word in spec.offers:
            if word not in EXPOSED:
                raise Problem(
                    Code.BAD_SETTING,
                    f"[sources.{spec.id}] expose: {word!r} is nothing a server has",
                    hints=(f"use some of {', '.join((*EXPOSED, DIRECT))}",),
                )
        listing = await wires.mcp.listing(spec)
        return await anyio.to_thread.run_sync(reading_of, spec, listing, wires.limits, known)


def reading_of(
    spec: SourceSpec, listing: McpListing, limits: ReadLimits, known: Document | None = None
) -> Reading | Unchanged:
    """A listing as a reading, or that it is the one already read."""
    count = len(listing.tools) + len(listing.resources) + len(listing.templates) + len(listing.prompts)
    if count > limits.operations:
        raise Problem(
            Code.OVER_LIMIT,
            f"source {spec.id!r} lists {count:,} things; the limit is {limits.operations:,}",
            hints=("raise [limits] operations",),
        )
    findings = Findings(spec.location)
    listing = _bounded(listing, limits.nesting, findings)
    try:
        document = _document(spec, listing)
    except UnicodeEncodeError:
        findings.lenient("texts with halves of characters; each half is replaced")
        listing = _encodable(listing)
        document = _document(spec, listing)
    if known is not None and known.kind == document.kind and known.sha256 == document.sha256:
        return Unchanged(document=document)
    for note in listing.notes:
        findings.lenient(note)
    definitions = Definitions()
    return Reading(
        document=document,
        drafts=_drafts(spec, listing, definitions, findings),
        definitions=definitions.schemas,
        nodes=_nodes(listing),
        findings=findings.found,
        site={"protocol": listing.protocol, "server": storable(listing.server)},
        instructions=_text(listing.server.get("instructions")),
    )


def _drafts(spec: SourceSpec, listing: McpListing, definitions: Definitions, findings: Findings) -> Iterator[Draft]:
    yield from tool_drafts(
        listing.tools,
        definitions,
        findings,
        trusted=spec.trust_annotations,
        mirrors=listing.protocol >= _MIRRORING,
        keeps=DIRECT in spec.expose,
    )
    for name, entries, draft_of in (
        ("resources", listing.resources, resource_draft),
        ("templates", listing.templates, template_draft),
        ("prompts", listing.prompts, prompt_draft),
    ):
        for number, entry in enumerate(entries):
            draft = draft_of(entry, f"/{name}/{number}", findings)
            if draft is not None:
                yield draft


def _nodes(listing: McpListing) -> list[NodeDraft]:
    nodes: list[NodeDraft] = []
    if listing.resources or listing.templates:
        nodes.append(_RESOURCES)
    if listing.prompts:
        nodes.append(_PROMPTS)
    return nodes


def _bounded(listing: McpListing, nesting: int, findings: Findings) -> McpListing:
    """The listing with what nests too deep cut off: everything after this may recurse (S-6)."""

    def cut(name: str) -> tuple[dict[str, Any], ...]:
        kept: list[dict[str, Any]] = []
        for number, entry in enumerate(getattr(listing, name)):
            bounded = shallow(entry, nesting)
            if bounded is not entry:
                findings.reduced(f"/{name}/{number}", entry.get("name"), f"nests deeper than {nesting} (limit nesting)")
            kept.append(bounded)
        return tuple(kept)

    return msgspec.structs.replace(
        listing,
        server=shallow(listing.server, nesting),
        tools=cut("tools"),
        resources=cut("resources"),
        templates=cut("templates"),
        prompts=cut("prompts"),
    )


def _encodable(listing: McpListing) -> McpListing:
    return msgspec.structs.replace(
        listing,
        server=encodable(listing.server),
        tools=tuple(map(encodable, listing.tools)),
        resources=tuple(map(encodable, listing.resources)),
        templates=tuple(map(encodable, listing.templates)),
        prompts=tuple(map(encodable, listing.prompts)),
    )


def _document(spec: SourceSpec, listing: McpListing) -> Document:
    # The order of a list says nothing, and some servers shuffle theirs.
    lists = [
        sorted(map(canonical, entries))
        for entries in (listing.tools, listing.resources, listing.templates, listing.prompts)
    ]
    size = sum(len(entry) for entries in lists for entry in entries)
    # What of the settings makes other tools out of the same listing belongs to its identity.
    said = [listing.server, listing.protocol, list(spec.offers), spec.trust_annotations]
    settings = canonical([*said, DIRECT] if DIRECT in spec.expose else said)
    state = hashlib.sha256(settings)
    for entries in lists:
        state.update(b"\n[")
        for entry in entries:
            state.update(entry + b"\n")
    digest = state.hexdigest()
    return Document(
        url=spec.location,
        kind="mcp",
        version=listing.protocol,
        title=_text(listing.server.get("title")) or _text(listing.server.get("name")),
        api_version=_text(listing.server.get("version")),
        sha256=digest,
        bytes=size,
        parts=(DocumentPart(url=spec.location, sha256=digest, bytes=size),),
    )


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
