"""From a source's address to its reading: fetch, decide what came, and turn it into drafts (S-80)."""

from __future__ import annotations

import hashlib
from pathlib import PurePosixPath
from urllib.parse import urljoin, urlsplit

import anyio.to_thread
import msgspec

from periplus.model import (
    Code,
    Document,
    DocumentPart,
    FindingCode,
    Problem,
    Reading,
    SourceSpec,
    Unchanged,
    Validators,
)
from periplus.ports import Fetch, FetchRequest, Wires
from periplus.selections import schema as schemas
from periplus.selections.schema import SchemaDoc
from periplus.sources.graphql.endpoint import Endpoint, NotGraphqlError
from periplus.sources.graphql.introspection import looks_like_json, read_introspection
from periplus.sources.graphql.repair import repair
from periplus.sources.graphql.report import Report
from periplus.sources.graphql.salvage import parse_sdl
from periplus.sources.graphql.sdl import read_sdl
from periplus.sources.graphql.tools import tools_of

_SDL_ENDINGS = frozenset({".graphql", ".graphqls", ".gql", ".sdl"})


class Fetched(msgspec.Struct, frozen=True, kw_only=True):
    """A schema as bytes, and where calls go if that is known."""

    body: bytes
    endpoint: str
    validators: Validators = Validators()


async def read(spec: SourceSpec, wires: Wires, known: Document | None) -> Reading | Unchanged:
    """Everything a GraphQL schema says, as drafts."""
    report = Report(spec.url)
    fetched = await _fetch(spec, wires.fetch, known, report)
    if fetched is None and known is not None:
        return Unchanged(document=known)
    if fetched is None:
        raise Problem(Code.UPSTREAM_ERROR, f"{spec.url} says it has not changed, but was never read")
    document = _document(spec, fetched)
    if known is not None and known.sha256 == document.sha256:
        return Unchanged(document=document)
    return await anyio.to_thread.run_sync(_reading, spec, fetched, document, report)


async def _fetch(spec: SourceSpec, fetch: Fetch, known: Document | None, report: Report) -> Fetched | None:
    """The schema, by asking or by reading a document; None when the document has not changed."""
    endpoint = _endpoint(spec)
    if (endpoint and endpoint != spec.url) or not _is_http(spec.url):
        return await _document_at(spec.url, endpoint, fetch, known)
    if PurePosixPath(urlsplit(spec.url).path).suffix.lower() in _SDL_ENDINGS:
        return await _document_or_endpoint(spec, fetch, known, report)
    try:
        return await _introspected(spec, fetch, report)
    except NotGraphqlError as refusal:
        # Not an endpoint: perhaps the schema itself lies there. If not, the first answer says more.
        try:
            found = await _document_at(spec.url, "", fetch, known)
        except Problem:
            raise refusal from None
        if found is not None and not await anyio.to_thread.run_sync(_is_schema, found.body):
            raise
        return found


def _endpoint(spec: SourceSpec) -> str:
    """Where the operator says that calls go; empty when nobody said."""
    written = spec.endpoint or spec.base_url
    return urljoin(spec.url, written) if written and _is_http(spec.url) else written


async def _document_or_endpoint(
    spec: SourceSpec, fetch: Fetch, known: Document | None, report: Report
) -> Fetched | None:
    """An address that ends like a schema file usually is one."""
    try:
        found = await _document_at(spec.url, "", fetch, known)
    except Problem as problem:
        if problem.code not in {Code.NOT_FOUND, Code.PARSE_ERROR}:
            raise
        return await _introspected(spec, fetch, report)
    if found is None or await anyio.to_thread.run_sync(_is_schema, found.body):
        return found
    return await _introspected(spec, fetch, report)


async def _introspected(spec: SourceSpec, fetch: Fetch, report: Report) -> Fetched:
    endpoint = Endpoint(fetch, spec.url, by_get=_by_get(spec))
    return Fetched(body=await endpoint.schema(report), endpoint=spec.url)


async def _document_at(url: str, endpoint: str, fetch: Fetch, known: Document | None) -> Fetched | None:
    validators = next((part.validators for part in known.parts if part.url == url), None) if known else None
    answer = await fetch.send(FetchRequest(url=url, accept="*/*", validators=validators))
    if answer.not_modified:
        return None
    if not 200 <= answer.status < 300:
        text = " ".join(answer.body[:200].decode("utf-8", "replace").split())[:80]
        missing = answer.status in {404, 405, 410}
        raise Problem(
            Code.NOT_FOUND if missing else Code.UPSTREAM_ERROR,
            f"{url} answered {answer.status} ({answer.media_type or 'no media type'}): {text!r}",
            hints=("check the address of the schema",),
            retryable=answer.status >= 500,
        )
    return Fetched(body=answer.body, endpoint=endpoint, validators=answer.validators)


def _document(spec: SourceSpec, fetched: Fetched) -> Document:
    sha256 = hashlib.sha256(fetched.body).hexdigest()
    part = DocumentPart(url=spec.url, sha256=sha256, bytes=len(fetched.body), validators=fetched.validators)
    return Document(
        url=spec.url,
        kind="graphql",
        title=spec.name,
        sha256=sha256,
        bytes=len(fetched.body),
        parts=(part,),
    )


def _reading(spec: SourceSpec, fetched: Fetched, document: Document, report: Report) -> Reading:
    doc = repair(_parsed(fetched.body, report), report)
    tools = tools_of(schemas.build(doc), report)
    if not fetched.endpoint:
        report.error(
            FindingCode.NO_SERVER,
            "",
            "the schema does not say where calls go",
            fix='endpoint = "https://..." in the source\'s table',
        )
    return Reading(
        document=document,
        drafts=tools.drafts,
        definitions=tools.definitions.schemas,
        nodes=tools.nodes,
        findings=report.findings,
        site={
            "endpoint": fetched.endpoint,
            "method": "GET" if _by_get(spec) else "POST",
            "schema": schemas.pack(doc),
            "schema_form": schemas.PACKED_FORM,
        },
        instructions=doc.description or "",
    )


def _parsed(body: bytes, report: Report) -> SchemaDoc:
    if looks_like_json(body):
        return read_introspection(body, report)
    parsed = parse_sdl(_text(body))
    doc = read_sdl(parsed.document, report)
    for loss in parsed.losses:
        role = doc.role(loss.type)
        if role in {"Query", "Mutation"} and loss.member:
            report.skipped(f"{role}.{loss.member}", f"line {loss.line}, column {loss.column}: {loss.message}")
        else:
            place = f"{loss.line}:{loss.column}"
            what = ".".join(filter(None, (loss.type, loss.member))) or "a place"
            report.lost(FindingCode.PARSE_ERROR, place, f"{what} is left out: {loss.message}")
    return doc


def _is_schema(body: bytes) -> bool:
    try:
        _parsed(body, Report(""))
    except Problem:
        return False
    return True


def _text(body: bytes) -> str:
    if body[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return body.decode("utf-16", "replace")
    return body.decode("utf-8-sig", "replace")


def _is_http(url: str) -> bool:
    return urlsplit(url).scheme.lower() in {"http", "https"}


def _by_get(spec: SourceSpec) -> bool:
    return spec.transport == "get"
