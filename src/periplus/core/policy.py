"""Who may see what. One function, so that every verb asks the same question."""

from __future__ import annotations

from collections.abc import Iterable

from periplus.model import EVERYTHING, Principal, Scope, Selector, SourceRecord


def scope_of(principal: Principal, sources: Iterable[SourceRecord]) -> Scope:
    """What a principal may discover: sources of its tenant that are enabled and not kept for others."""
    closed = [record.id for record in sources if not _open_to(principal, record)]
    return Scope(allow=EVERYTHING, deny=tuple(Selector(ref=f"{source}/*") for source in closed))


def _open_to(principal: Principal, record: SourceRecord) -> bool:
    spec = record.spec
    named = not spec.principals or "*" in spec.principals or principal.id in spec.principals
    return spec.enabled and spec.tenant in ("", principal.tenant) and named
