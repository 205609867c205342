"""Reads one scenario: what its manifest lists, in either dialect, becomes tools (M-2, M-3, M-67)."""

from __future__ import annotations

import hashlib
import re
from datetime import UTC, datetime
from typing import Any, ClassVar

import anyio.to_thread
import msgspec

from periplus.documents import canonical
from periplus.documents.schemas import Definitions, Findings, shown
from periplus.model import Code, Document, DocumentPart, FindingCode, Problem, Reading, SourceSpec, Unchanged
from periplus.ports import Wires
from periplus.sources.manifest.address import target_of
from periplus.sources.manifest.fetching import Manifests, Pages, check_count
from periplus.sources.manifest.members import member, objects, snaked, text
from periplus.sources.manifest.tools import Terms, category_nodes, tool_drafts

_VERSION = re.compile(r"1(?:\.[0-9]+){0,2}")
_TIMES_OLDER = 3
_STYLED = ("protocol_version", "generated_at")


class _Served(msgspec.Struct, frozen=True):
    """When the manifest that serves says it was made, and how often an older one has come since."""

    generated_at: datetime
    older: int = 0


class ManifestSource:
    """Reads services that speak the Tool Discovery Protocol, and files that hold what they would say."""

    kind: ClassVar[str] = "manifest"

    def __init__(self) -> None:
        # A replica that lags behind shows itself within one life of the gateway; a restart trusts what it finds.
        self._served: dict[tuple[str, str], _Served] = {}

    async def read(self, spec: SourceSpec, wires: Wires, known: Document | None) -> Reading | Unchanged:
        pages = await Manifests(wires, known).read(spec.url)
        if pages is None and known is not None:
            return Unchanged(document=known)
        if pages is None:
            raise Problem(Code.UPSTREAM_ERROR, f"{spec.url} answered 304 to a request that was not conditional")
        check_count(pages.url, len(objects(pages.value, "tools")), wires.limits)
        document = await anyio.to_thread.run_sync(_document, pages)
        if known is not None and known.sha256 == document.sha256:
            return Unchanged(document=known)
        if known is not None and self._lags(spec, pages):
            return Unchanged(document=known)
        self._remember(spec, pages)
        return await anyio.to_thread.run_sync(_reading, spec, pages, document)

    def _lags(self, spec: SourceSpec, pages: Pages) -> bool:
        """Whether this is older than what serves, and has not come often enough to be believed (M-66)."""
        key, made = (spec.id, spec.url), _moment(text(pages.value, "generated_at"))
        served = self._served.get(key)
        if served is None or made is None or made >= served.generated_at or served.older + 1 >= _TIMES_OLDER:
            return False
        self._served[key] = _Served(served.generated_at, served.older + 1)
        return True

    def _remember(self, spec: SourceSpec, pages: Pages) -> None:
        made = _moment(text(pages.value, "generated_at"))
        if made is not None:
            self._served[spec.id, spec.url] = _Served(made)


def _reading(spec: SourceSpec, pages: Pages, document: Document) -> Reading:
    findings, definitions = Findings(pages.url), Definitions()
    for note in pages.notes:
        findings.lenient(note)
    manifest = pages.value
    _judge_version(manifest, findings)
    scenario = member(manifest, "scenario")
    if not text(scenario, "name"):
        findings.missing("/scenario/name", "", f"the scenario has no name; it is called {spec.name or spec.id!r}")
    target = target_of(spec, pages.url, scenario, findings)
    terms = Terms(trusted=spec.trust_annotations, proto=_is_proto(manifest), execute=target.execute)
    return Reading(
        document=document,
        drafts=tool_drafts(objects(manifest, "tools"), terms, definitions, findings),
        definitions=definitions.schemas,
        nodes=category_nodes(objects(manifest, "categories"), findings),
        findings=findings.found,
        site={
            "base": target.base,
            "execute": target.execute,
            "health": text(scenario, "health_endpoint") or "/health",
            "scenario": document.title,
            "protocol": document.version,
            "capabilities": _object(snaked(member(manifest, "capabilities"))),
        },
        instructions=text(scenario, "description"),
    )


def _document(pages: Pages) -> Document:
    manifest = pages.value
    scenario = member(manifest, "scenario")
    # What makes tools counts; when it was written, and in what order, does not: some servers change both each time.
    lists = [sorted(map(canonical, objects(manifest, name))) for name in ("tools", "categories")]
    head = [scenario, member(manifest, "capabilities"), _version(manifest), pages.url]
    state = hashlib.sha256(canonical(head))
    for entries in lists:
        state.update(b"\n[")
        for entry in entries:
            state.update(entry + b"\n")
    size = sum(len(entry) for entries in lists for entry in entries)
    digest = state.hexdigest()
    return Document(
        url=pages.url,
        kind="manifest",
        version=_version(manifest),
        title=text(scenario, "name"),
        api_version=text(scenario, "version"),
        sha256=digest,
        bytes=size,
        parts=(DocumentPart(url=pages.asked, sha256=digest, bytes=size, validators=pages.validators),),
    )


def _judge_version(manifest: dict[str, Any], findings: Findings) -> None:
    written = member(manifest, "protocol_version")
    if written in (None, ""):
        message = "does not say its protocol_version; it is read as 1.0"
        findings.lost(FindingCode.MISSING_MEMBER, "/protocol_version", "", message)
    elif not _VERSION.fullmatch(_version(manifest)):
        message = f"protocol_version {shown(written)} is not 1.x; it is read as far as it looks like 1.0"
        findings.lost(FindingCode.PARSE_LENIENT, "/protocol_version", "", message)


def _version(manifest: dict[str, Any]) -> str:
    written = member(manifest, "protocol_version")
    return str(written)[:40] if isinstance(written, str | int | float) and written != "" else "1.0"


def _is_proto(manifest: dict[str, Any]) -> bool:
    """Whether what is false is not written here: told by the style of the names that every manifest has."""
    return not any(name in manifest for name in _STYLED) and any(member(manifest, name) for name in _STYLED)


def _moment(written: str) -> datetime | None:
    try:
        moment = datetime.fromisoformat(written)
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
