"""The load report: what was read, skipped and why, so that it adds up and still can be read (S-4, S-5)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import msgspec

from periplus.model import Document, Finding, FindingCode, Severity

SHOWN = 20
_ORDER = {Severity.ERROR: 0, Severity.WARNING: 1, Severity.NOTE: 2}


def grouped(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Errors first; of one kind the first twenty stand alone, the rest together with their count."""
    kept: list[Finding] = []
    seen: Counter[tuple[Severity, FindingCode]] = Counter()
    rest: dict[tuple[Severity, FindingCode], Finding] = {}
    for finding in findings:
        kind = (finding.severity, finding.code)
        seen[kind] += 1
        if seen[kind] <= SHOWN:
            kept.append(finding)
        else:
            rest[kind] = finding
    for kind, last in rest.items():
        more = seen[kind] - SHOWN
        message = f"and {more} more like these" if more > 1 else last.message
        kept.append(msgspec.structs.replace(last, message=message, count=more, skipped=False))
    return tuple(sorted(kept, key=lambda finding: _ORDER[finding.severity]))


def document_line(document: Document) -> dict[str, object]:
    """What the report says of the document itself."""
    return {
        "url": document.url,
        "kind": document.kind,
        "version": document.version,
        "title": document.title,
        "api_version": document.api_version,
        "sha256": document.sha256,
        "bytes": document.bytes,
        "files": len(document.parts),
    }
