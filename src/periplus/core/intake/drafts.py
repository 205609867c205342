"""First half of the intake: each draft as it streams by, cleaned, judged, hashed and encoded once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import msgspec

from periplus.core.intake import effects, texts
from periplus.core.intake.hashes import digest
from periplus.core.intake.names import Wanted, area_paths, wanted
from periplus.core.intake.schemas import Schemas
from periplus.model import (
    Draft,
    Effect,
    Finding,
    FindingCode,
    Reading,
    Severity,
    SourceSpec,
    Tool,
    fold,
)
from periplus.ports import encode_tool

_PROGRESS_EVERY = 500


class Entry(msgspec.Struct, kw_only=True, gc=False):
    """What is kept of a draft until the stream has ended and names can be settled."""

    want: Wanted
    declared_version: str
    summary: str
    effect: Effect
    hidden: bool
    deprecated: bool
    requires_approval: bool
    tags: tuple[str, ...]
    paths: tuple[str, ...]
    spellings: str  # folded, a line each; the path's own come later
    refers: tuple[str, ...]
    schemas: str  # hash of its own schemas, not of what they refer to
    wording: str  # hash of all that is kept of it, the order of members included
    size: int  # of its own schemas, in bytes
    encoded: bytes


def take(spec: SourceSpec, reading: Reading, progress: Callable[[int], None]) -> Iterator[Entry]:
    """Entries of a reading's drafts, in their order; findings are added to the reading's."""
    overrides = effects.parse_overrides(spec.id, spec.effects)
    shared = _Shared(overrides, Schemas(), {}, {})
    for number, draft in enumerate(reading.drafts, 1):
        yield _entry(draft, shared, reading)
        if number % _PROGRESS_EVERY == 0:
            progress(number)


class _Shared(NamedTuple):
    """What the drafts of one reading have in common."""

    overrides: tuple[tuple[str, Effect], ...]
    schemas: Schemas
    places: dict[tuple[tuple[str, ...], ...], tuple[str, ...]]  # areas as written -> paths
    held: dict[tuple[str, ...], tuple[str, ...]]  # lists of names that many have: each is held once

    def paths(self, areas: tuple[tuple[str, ...], ...]) -> tuple[str, ...]:
        if areas not in self.places:
            self.places[areas] = area_paths(areas)
        return self.places[areas]

    def one(self, names: tuple[str, ...]) -> tuple[str, ...]:
        return self.held.setdefault(names, names)


def _entry(draft: Draft, shared: _Shared, reading: Reading) -> Entry:
    title = texts.clean(draft.title, 200)
    written = texts.clean(draft.summary)
    description = texts.clean(draft.description)
    paths = shared.paths(draft.areas)
    want = wanted(draft.key, paths, draft.leaf, draft.method, draft.origin)
    settled = effects.settle(draft, shared.overrides, f"{want.area}/{want.leaf}" if want.area else want.leaf)
    if settled.review:
        reading.findings.append(_review(draft, reading.document.url))
    args, result = shared.schemas.of(draft.args_schema), shared.schemas.of(draft.result_schema)
    own = shared.schemas.of(draft.written_args)
    if phrase := texts.commands(f"{written}\n{description}".encode()) or args.phrase or own.phrase:
        reading.findings.append(flagged(draft.leaf, f"addresses a model: {phrase[:100]!r}", reading))
    if texts.smuggles(draft.description) or texts.smuggles(draft.summary):
        reading.findings.append(
            flagged(draft.leaf, "had characters that hide or reverse text; they are removed", reading)
        )
    tool = Tool(
        source="",
        path="",
        key=draft.key,
        origin=draft.origin,
        title=title,
        summary=texts.summary_of(draft, written, description),
        description=description or written,
        args_schema=args.schema,
        result_schema=result.schema,
        written_args=own.schema,
        effect=settled.effect,
        idempotent=draft.idempotent,
        requires_approval=draft.requires_approval,
        hidden=draft.hidden,
        deprecated=draft.deprecated,
        tags=draft.tags,
        paths=paths,
        examples=draft.examples,
        links=draft.links,
        aliases=draft.aliases,
        binding=draft.binding,
        metadata=draft.metadata,
        notes=draft.notes,
    )
    encoded = encode_tool(tool)
    refers = args.refers if not result.refers else tuple(sorted({*args.refers, *result.refers}))
    return Entry(
        want=want,
        declared_version=draft.version,
        summary=tool.summary,
        effect=tool.effect,
        hidden=tool.hidden,
        deprecated=bool(tool.deprecated),
        requires_approval=tool.requires_approval,
        tags=shared.one(tool.tags),
        paths=paths,
        spellings="\n".join({fold(name) for name in {draft.leaf, draft.origin, *draft.aliases}}),
        refers=shared.one(refers),
        schemas=digest(args.text, result.text),
        wording=digest(encoded),
        size=len(args.text) + len(result.text),
        encoded=encoded,
    )


def _review(draft: Draft, document: str) -> Finding:
    return Finding(
        severity=Severity.NOTE,
        code=FindingCode.EFFECT_REVIEW,
        where=document,
        operation=draft.leaf,
        message=f"{draft.leaf} counts as write although its verb reads",
        fix=f'effects = {{ "{draft.leaf}" = "read" }}',
    )


def flagged(operation: str, what: str, reading: Reading) -> Finding:
    """A text that does more than describe."""
    return Finding(
        severity=Severity.WARNING,
        code=FindingCode.TEXT_FLAGGED,
        where=reading.document.url,
        operation=operation,
        message=f"its description {what}",
        fix="read the text; nothing in it was obeyed",
    )
