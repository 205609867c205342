"""Imports a module, has its functions described, and tells whether they are those of last time."""

from __future__ import annotations

import hashlib
from functools import partial
from pathlib import PurePath
from typing import ClassVar

import anyio.to_thread
import msgspec

from periplus.documents import canonical
from periplus.model import (
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
from periplus.ports import ReadLimits, Wires
from periplus.provider.hints import Definitions
from periplus.provider.loading import Loaded, load, place_of
from periplus.provider.targets import Target, target
from periplus.sources.python.drafts import drafts_of
from periplus.sources.python.findings import Findings
from periplus.sources.python.tidying import tidied


class PythonSource:
    """Reads functions of this process: the operator's alone, since importing a module runs it."""

    kind: ClassVar[str] = "python"

    async def read(self, spec: SourceSpec, wires: Wires, known: Document | None) -> Reading | Unchanged:
        if not spec.trusted:
            raise Problem(
                Code.FORBIDDEN,
                f"{spec.location} is Python code, which only the operator may add",
                hints=("add it on the command line or in periplus.toml",),
            )
        # An import that hangs cannot be stopped, only left behind.
        return await anyio.to_thread.run_sync(partial(reading_of, spec, wires.limits, known), abandon_on_cancel=True)


def reading_of(spec: SourceSpec, limits: ReadLimits, known: Document | None = None) -> Reading | Unchanged:
    """The tools of a module as a reading, or that they are the ones already read."""
    place = place_of(spec.url, spec.cwd)
    loaded = load(place)
    found = target(loaded.module, place.name)
    if len(found.published) > limits.operations:
        raise Problem(
            Code.OVER_LIMIT,
            f"source {spec.id!r} has {len(found.published):,} functions; the limit is {limits.operations:,}",
            hints=("raise [limits] operations",),
        )
    findings = Findings(loaded.file or loaded.module.__name__)
    definitions = Definitions()
    drafts = list(drafts_of(place, found, definitions, findings))
    schemas = tidied(definitions.schemas, findings)
    nodes = [
        NodeDraft(path=(each.id,), title=each.name, summary=each.description, description=each.description)
        for each in found.categories
    ]
    document = _document(spec, loaded, found, canonical(msgspec.to_builtins([drafts, schemas, nodes])))
    if loaded.edited:
        findings.edited()
    elif known is not None and known.kind == document.kind and known.sha256 == document.sha256:
        return Unchanged(document=document)
    return Reading(
        document=document,
        drafts=iter(drafts),
        definitions=schemas,
        nodes=nodes,
        findings=findings.found,
        site={"module": place.module, "target": place.name, "directory": place.directory},
        instructions=tidied(found.instructions, findings),
    )


def _document(spec: SourceSpec, loaded: Loaded, found: Target, drafts: bytes) -> Document:
    said = canonical([tidied(text) for text in (found.title, found.version, found.instructions)])
    digest = hashlib.sha256(said + b"\n" + drafts).hexdigest()
    parts = (DocumentPart(url=loaded.file, sha256=loaded.sha256, bytes=loaded.size),) if loaded.file else ()
    title = tidied(found.title)
    if title.startswith("periplus_file_"):
        title = PurePath(loaded.file).stem
    return Document(
        url=spec.location,
        kind="python",
        title=title,
        api_version=tidied(found.version),
        sha256=digest,
        bytes=loaded.size,
        parts=parts,
    )


__all__ = ["Draft", "PythonSource", "reading_of"]
