"""The source of OpenAPI descriptions: fetch everything, then a reading that needs no more input."""

from __future__ import annotations

import hashlib
from typing import ClassVar

import anyio.to_thread
import msgspec

from periplus.model import Document, DocumentPart, FindingCode, Reading, SourceSpec, Unchanged
from periplus.ports import Wires
from periplus.sources.openapi.gathering import Gathering, Part
from periplus.sources.openapi.reader import Reader
from periplus.sources.openapi.shelf import Shelf, Wanted


class OpenAPISource:
    """Reads OpenAPI 3.0 to 3.2 and Swagger 2.0."""

    kind: ClassVar[str] = "openapi"

    async def read(self, spec: SourceSpec, wires: Wires, known: Document | None) -> Reading | Unchanged:
        """Read the document and what it refers to, or find that nothing of it changed."""
        gathering = Gathering(spec, wires.fetch, known)
        same = await gathering.unchanged()
        if same is not None:
            return Unchanged(document=same)
        root = await gathering.root()
        shelf = await anyio.to_thread.run_sync(Shelf, root)
        parts = await _all(gathering, shelf, root)
        document = _document(self.kind, root, parts)
        return await anyio.to_thread.run_sync(_reading, spec, shelf, document)


async def _all(gathering: Gathering, shelf: Shelf, root: Part) -> list[DocumentPart]:
    """Fetch what is referred to, and what that refers to, until nothing new is; the record of each file."""
    records = [root.record]
    asked: set[str] = set()
    while fresh := {called: want for called, want in shelf.wanted.items() if called not in asked}:
        asked.update(fresh)
        names: dict[str, tuple[Wanted, ...]] = {}
        for want in fresh.values():
            if want.called not in shelf.others and want.location != root.url:
                names[want.location] = (*names.get(want.location, ()), want)
        parts, missing = await gathering.others(names, root.url)
        for part in parts:
            called = tuple(want.called for want in names[part.asked])
            await anyio.to_thread.run_sync(shelf.add, part, called)
            records.append(part.record)
        for one in missing:
            wants = names[one.url]
            shelf.missing += [(msgspec.structs.replace(one, url=want.called), want.by) for want in wants]
            if one.code is FindingCode.DANGLING_REF:  # asked for again at the next refresh
                records.append(DocumentPart(url=one.url, sha256="", bytes=0))
    return records


def _reading(spec: SourceSpec, shelf: Shelf, document: Document) -> Reading:
    reader = Reader(spec, shelf)
    complete = msgspec.structs.replace(
        document,
        version=reader.version.text,
        title=reader.info("title"),
        api_version=reader.info("version"),
    )
    return reader.reading(complete)


def _document(kind: str, root: Part, parts: list[DocumentPart]) -> Document:
    whole = hashlib.sha256("".join(part.sha256 for part in parts).encode()).hexdigest()
    return Document(
        url=root.url,
        kind=kind,
        sha256=root.record.sha256 if len(parts) == 1 else whole,
        bytes=sum(part.bytes for part in parts),
        parts=tuple(parts),
    )
