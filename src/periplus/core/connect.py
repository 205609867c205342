"""Reading a source into the catalog: conditional, whole or not at all, and never at a neighbour's cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from functools import partial

import anyio
import anyio.from_thread
import anyio.to_thread
import msgspec

from periplus.core.intake.areas import rolled_up
from periplus.core.intake.changes import compared
from periplus.core.intake.drafts import Entry, take
from periplus.core.intake.garbage import collected_rarely
from periplus.core.intake.placing import Placing
from periplus.core.intake.plan import Plan, make_plan, rows
from periplus.core.intake.report import document_line, grouped
from periplus.core.intake.texts import clean, first_sentence
from periplus.core.intake.versions import Kind, next_version
from periplus.core.turns import Turns
from periplus.core.words import words
from periplus.model import (
    Code,
    Document,
    Held,
    LoadCounts,
    LoadReport,
    Node,
    Problem,
    Reading,
    SourceRecord,
    SourceSpec,
    SourceState,
    Unchanged,
)
from periplus.ports import Change, Clock, Known, Source, Store, Wires

READER = 5
"""Raised when a new release reads the same document differently, so that stored sources are read again."""

_RETIRED_FOR_S = 30 * 86_400.0
_HELD_FOR_S = 3600.0
_LEAST_HELD = 20
_READ_S = 600.0

Progress = Callable[[str, int, int | None], None]


def quiet(stage: str, done: int, total: int | None) -> None:
    """Progress for nobody."""


class Connecting(msgspec.Struct, frozen=True, kw_only=True):
    """What one read needs."""

    store: Store
    source: Source
    wires: Wires
    clock: Clock
    progress: Progress = quiet
    refresh: bool = False  # read again even if nothing changed
    accept: bool = False  # take a change that would be held
    placing: Placing = Placing()


async def connect(ask: Connecting, spec: SourceSpec) -> LoadReport:
    """Read a source and write what differs; the report of what was read, skipped and changed."""
    try:
        with anyio.fail_after(_READ_S):
            while True:
                report = await _attempt(ask, spec)
                if report is not None:
                    return report
    except TimeoutError as error:
        problem = Problem(Code.TIMEOUT, f"{spec.location} was not read within {_READ_S:g} s", where=spec.location)
        await _stale(ask, spec, problem)
        raise problem from error
    except Problem as problem:
        await _stale(ask, spec, problem)
        raise


async def _attempt(ask: Connecting, spec: SourceSpec) -> LoadReport | None:
    """One read; None where another process wrote the source meanwhile, so that its result is to be compared with."""
    record = await ask.store.source(spec.id)
    known = _known_document(record, spec, ask.placing) if record and not ask.refresh and not ask.accept else None
    started = ask.clock.now()
    reading = await ask.source.read(spec, ask.wires, known)
    if isinstance(reading, Unchanged) and record:
        return await _unchanged(ask, record)
    if isinstance(reading, Unchanged):
        reading = await _again(ask, spec)
    with collected_rarely():
        return await _take_in(ask, spec, reading, started)


def _known_document(record: SourceRecord, spec: SourceSpec, placing: Placing) -> Document | None:
    """The document a conditional request may refer to: the same spec, read and placed as now, and being served."""
    same = record.spec == spec and (record.reader, record.placing) == (READER, placing.version)
    same = same and record.state is not SourceState.HELD
    return record.document if same else None


async def _again(ask: Connecting, spec: SourceSpec) -> Reading:
    reading = await ask.source.read(spec, ask.wires, None)
    if isinstance(reading, Unchanged):
        raise Problem(Code.INTERNAL, f"{spec.id} says it is unchanged but was never read", where=spec.location)
    return reading


async def _unchanged(ask: Connecting, record: SourceRecord) -> LoadReport:
    if record.state is not SourceState.OK:
        await ask.store.mark(msgspec.structs.replace(record, state=SourceState.OK, reason=""))
    report = record.report or LoadReport(
        source=record.id, kind=record.spec.kind, document={}, counts=LoadCounts(tools=record.tools)
    )
    counts = msgspec.structs.replace(report.counts, added=0, changed=0, removed=0)
    return msgspec.structs.replace(report, counts=counts, changes={}, ms=0, unchanged=True)


async def _stale(ask: Connecting, spec: SourceSpec, problem: Problem) -> None:
    """Keep serving the last good set, and say why it may be old."""
    record = await ask.store.source(spec.id)
    if record is None or problem.code is Code.HELD:
        return
    state = SourceState.STALE if record.document else SourceState.UNAVAILABLE
    if (record.state, record.reason) != (state, problem.message):
        await ask.store.mark(msgspec.structs.replace(record, state=state, reason=problem.message))


async def _take_in(ask: Connecting, spec: SourceSpec, reading: Reading, started: float) -> LoadReport | None:
    record = await ask.store.source(spec.id)
    known = await ask.store.known(spec.id)
    retired = await ask.store.retired(spec.id, started - _RETIRED_FOR_S)
    plan, skipped = await anyio.to_thread.run_sync(partial(_prepare, ask, spec, reading, known, retired))
    held = _held(record, reading, plan, known, started)
    if held and record and not ask.accept:
        await ask.store.mark(_held_record(record, held))
        raise Problem(
            Code.HELD,
            f"{spec.id}: this read would remove {held.removes} of {held.of} tools; the old set goes on serving",
            hints=(f"periplus sources accept {spec.id} takes it; so does seeing it again an hour later",),
            where=spec.location,
        )
    kinds, pins = await compared(ask.store, spec, plan, known, started)
    report = _report(spec, reading, plan, skipped, kinds, ask.clock.now() - started)
    versions = {key: next_version(known[key].version, kind) for key, kind in kinds.items()}
    change = Change(
        record=SourceRecord(
            spec=spec,
            document=reading.document,
            state=SourceState.OK,
            tools=len(plan.items),
            areas=len(plan.areas),
            site=reading.site,
            instructions=reading.instructions,
            report=report,
            reader=READER,
            placing=ask.placing.version,
        ),
        rows=map(pins.pinned, rows(plan, versions)),
        removed=plan.removed,
        nodes=(_root(spec, reading, plan), *plan.nodes),
        shapes=plan.shapes,
    )
    if plan.is_empty and record and record.document and _reads_the_same(record, change.record):
        if (record.state, record.spec) != (SourceState.OK, spec):
            await ask.store.mark(change.record)
        return report  # nothing a reader could notice: it was stale, or its settings change no tool
    return report if await _write(ask, record, change) else None


async def _write(ask: Connecting, before: SourceRecord | None, change: Change) -> bool:
    """Apply a change, alone, unless the source is no longer the one it was compared with (S-110)."""
    size, spec = change.record.tools, change.record.spec

    async def write() -> bool:
        now = await ask.store.source(spec.id)
        if (now.revision if now else None) != (before.revision if before else None):
            return False
        ask.progress("write", 0, size)
        await ask.store.apply(change, ask.clock.now())
        ask.progress("write", size, size)
        return True

    return await Turns(ask.store, ask.clock).alone(f"read:{spec.id}", write)


def _root(spec: SourceSpec, reading: Reading, plan: Plan) -> Node:
    """The source's own node: what its document says of itself, else what is in it."""
    areas = [node.path for node in plan.areas if "/" not in node.path]
    nouns = Counter(word for item in plan.items[:500] for word in words(item.entry.want.leaf)[1:])
    told = first_sentence(clean(reading.instructions))
    return Node(
        path="",
        title=spec.name or clean(reading.document.title, 200),
        summary=told or rolled_up(len(plan.items), areas, nouns),
    )


def _reads_the_same(old: SourceRecord, new: SourceRecord) -> bool:
    """Whether a read that changes no tool changes nothing else that is served either."""
    return (
        old.document == new.document
        and old.spec.name == new.spec.name
        and old.site == new.site
        and old.instructions == new.instructions
        and (old.reader, old.placing) == (new.reader, new.placing)
    )


def _prepare(
    ask: Connecting, spec: SourceSpec, reading: Reading, known: Mapping[str, Known], retired: Mapping[str, str]
) -> tuple[Plan, int]:
    """All the CPU work of a read, off the event loop; a cancelled read stops at the next progress step."""

    def advance(done: int) -> None:
        anyio.from_thread.check_cancelled()
        ask.progress("read", done, None)

    entries: list[Entry] = list(take(spec, reading, advance))
    plan = make_plan(spec.id, entries, reading, known, retired, ask.placing)
    return plan, sum(finding.count for finding in reading.findings if finding.skipped)


def _held(
    record: SourceRecord | None, reading: Reading, plan: Plan, known: Mapping[str, Known], now: float
) -> Held | None:
    """A read that loses more than half of twenty or more tools, or all, waits to be seen twice (S-109)."""
    loses_most = len(known) >= _LEAST_HELD and len(plan.removed) * 2 > len(known)
    loses_all = bool(known) and not plan.items
    if not loses_most and not loses_all:
        return None
    before = record.held if record else None
    if before and before.sha256 == reading.document.sha256:
        return None if now - before.since >= _HELD_FOR_S else before
    return Held(sha256=reading.document.sha256, since=now, removes=len(plan.removed), of=len(known))


def _held_record(record: SourceRecord, held: Held) -> SourceRecord:
    reason = f"a read would remove {held.removes} of {held.of} tools"
    return msgspec.structs.replace(record, state=SourceState.HELD, reason=reason, held=held)


def _report(
    spec: SourceSpec, reading: Reading, plan: Plan, skipped: int, kinds: Mapping[str, Kind], seconds: float
) -> LoadReport:
    changes: dict[str, int] = {}
    for kind in kinds.values():
        changes[kind] = changes.get(kind, 0) + 1
    return LoadReport(
        source=spec.id,
        kind=spec.kind,
        document=document_line(reading.document),
        counts=LoadCounts(
            operations=len(plan.items) + skipped,
            tools=len(plan.items),
            areas=len(plan.areas),
            added=len(plan.added),
            changed=len(plan.changed),
            removed=len(plan.removed),
            skipped=skipped,
        ),
        problems=grouped(reading.findings),
        changes=changes,
        ms=round(seconds * 1000),
    )
