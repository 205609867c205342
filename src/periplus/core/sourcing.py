"""The verbs about sources: connect, sync, list and forget them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

import anyio.to_thread
import msgspec

from periplus.core.connect import Connecting, Progress, connect
from periplus.core.detect import detect
from periplus.core.intake.pins import Changed, accepted_row, changed, pin_of
from periplus.core.intake.placing import Placing
from periplus.core.intake.source_names import free_id, source_id
from periplus.core.standing import Standing
from periplus.core.turns import Turns
from periplus.model import (
    LOCAL,
    Code,
    LoadReport,
    Principal,
    Problem,
    Scope,
    Selector,
    SourceRecord,
    SourceSpec,
    SourceState,
    Verdict,
    check_source_id,
    fold,
)
from periplus.ports import Change, Clock, Source, Store, Wires


class Room(msgspec.Struct, frozen=True, kw_only=True):
    """What sources are read with."""

    store: Store
    clock: Clock
    standing: Standing
    source: Callable[[str], Source]
    locate: Callable[[str], SourceSpec]
    wires: Callable[[SourceSpec], Wires]
    let_go: Callable[[str], Awaitable[None]]
    placing: Placing = Placing()


class Sourcing:
    """Sources, by one mechanism for all who ask."""

    def __init__(self, room: Room) -> None:
        self._room = room

    async def connect(self, spec: SourceSpec, progress: Progress, *, refresh: bool, accept: bool) -> LoadReport:
        """Read a settled source into the catalog."""
        ask = Connecting(
            store=self._room.store,
            source=self._room.source(spec.kind),
            wires=self._room.wires(spec),
            clock=self._room.clock,
            progress=progress,
            refresh=refresh,
            accept=accept,
            placing=self._room.placing,
        )
        return await connect(ask, spec)

    async def located(self, text: str) -> SourceSpec:
        """The source that a person writes so."""
        return await anyio.to_thread.run_sync(self._room.locate, text)

    async def settled(self, spec: SourceSpec, principal: Principal) -> SourceSpec:
        """The spec with its kind found out and its name settled; connecting one location again keeps its name.

        Nothing is looked at that the policy keeps this principal from.
        """
        await self._allow(spec, principal)
        records = await self._room.store.sources()
        if spec.id:
            _check_apart(check_source_id(spec.id), records)
        else:
            same = next((record for record in records if _same_place(record.spec, spec)), None)
            if same and _only_an_address(spec):
                return same.spec
            taken = {record.id for record in records}
            spec = msgspec.structs.replace(spec, id=same.id if same else source_id(spec, taken))
        if spec.kind:
            return spec
        before = next((record for record in records if record.id == spec.id), None)
        if before and before.spec.kind and _same_place(before.spec, spec):
            return msgspec.structs.replace(spec, kind=before.spec.kind, url=before.spec.url, asked=before.spec.asked)
        found = await detect(spec, self._room.wires(spec).fetch)
        asked = spec.url if found.url and found.url != spec.url else ""
        return msgspec.structs.replace(spec, kind=found.kind, url=found.url or spec.url, asked=asked)

    async def invited(self, spec: SourceSpec, principal: Principal) -> SourceSpec:
        """The spec of a source that somebody connects through a face, for nobody but those who do (H-14).

        What is there already is not read into a second copy: whoever connects it again becomes one of its guests.
        """
        await self._allow(spec, principal)
        judge, records = await self._room.standing.judge_and_sources(principal)
        there = [record for record in records if _same_place(record.spec, spec)]
        for record in there:
            if not judge.is_closed(record.id):
                return record.spec
        for record in there:
            if record.spec.guests and record.spec.enabled:
                return await self._welcome(record.id, principal)
        wanted = check_source_id(spec.id) if spec.id else source_id(spec, ())
        name = free_id(wanted, {record.id for record in records})
        guests = (principal.guest,)
        return await self.settled(msgspec.structs.replace(spec, id=name, trusted=False, guests=guests), principal)

    async def _welcome(self, source: str, principal: Principal) -> SourceSpec:
        async def write() -> SourceSpec:
            record = await self._room.store.source(source)
            if record is None:
                raise Problem(Code.SOURCE_NOT_FOUND, f"no source is called {source!r}", hints=("connect it again",))
            guests = tuple(dict.fromkeys((*record.spec.guests, principal.guest)))
            spec = msgspec.structs.replace(record.spec, guests=guests)
            await self._room.store.mark(msgspec.structs.replace(record, spec=spec))
            return spec

        return await Turns(self._room.store, self._room.clock).alone(f"read:{source}", write)

    async def _allow(self, spec: SourceSpec, principal: Principal) -> None:
        if principal == LOCAL:
            return
        decision = (await self._room.standing.judge(principal)).connect(spec.location)
        if decision.verdict is not Verdict.ALLOW:
            why = f": {decision.reason}" if decision.reason else ""
            raise Problem(
                Code.FORBIDDEN,
                f"{principal.id} may not connect {spec.location} ({decision.rule}{why})",
                hints=("an operator can add it: periplus add",),
            )

    async def changed(self, source: str, principal: Principal) -> tuple[Changed, ...]:
        """The tools of a source that are not what they were when they were first seen."""
        record = await self.one(source, principal)
        refs = [tool.ref async for tool in self._room.store.walk(record.id) if pin_of(tool)]
        found = [await self._room.store.tool(ref, Scope(allow=(Selector(ref=str(ref)),))) for ref in refs]
        return tuple(changed(tool for tool in found if tool is not None))

    async def accept(self, source: str, tools: Sequence[str], principal: Principal) -> tuple[str, ...]:
        """Take changed tools as they are stored now, these or all; their refs."""
        record = await self.one(source, principal)
        pinned = {
            str(tool.ref): accepted_row(tool, pin)
            async for tool in self._room.store.walk(record.id)
            if (pin := pin_of(tool))
        }
        for name in tools:
            if name not in pinned:
                near = tuple(pinned)[:5] or ("nothing of this source waits to be accepted",)
                raise Problem(Code.TOOL_NOT_FOUND, f"{name[:120]!r} is no changed tool of {source}", hints=near)
        chosen = tuple(tools) or tuple(pinned)
        if chosen:
            change = Change(record=record, rows=[pinned[name] for name in chosen])
            await self._room.store.apply(change, self._room.clock.now())
        return chosen

    async def keep(self, spec: SourceSpec, problem: Problem) -> None:
        """Keep a configured source that could not be read yet: listed, unavailable, with the reason."""
        if await self._room.store.source(spec.id) is None:
            await self._room.store.mark(SourceRecord(spec=spec, state=SourceState.UNAVAILABLE, reason=problem.message))

    async def disconnect(self, source: str, principal: Principal) -> None:
        """Forget a source and its tools."""
        record = await self.one(source, principal)
        await self._room.store.remove(record.id, self._room.clock.now())
        await self._room.let_go(record.id)

    async def all(self, principal: Principal) -> Sequence[SourceRecord]:
        """The sources a principal may see."""
        judge, records = await self._room.standing.judge_and_sources(principal)
        return [record for record in records if principal.is_admin or not judge.is_closed(record.id)]

    async def one(self, source: str, principal: Principal) -> SourceRecord:
        """One source with its load report."""
        records = await self.all(principal)
        for record in records:
            if record.id == source:
                return record
        known = tuple(record.id for record in records)[:8]
        raise Problem(Code.SOURCE_NOT_FOUND, f"no source is called {source[:60]!r}", hints=known or ("add one first",))


def _same_place(stored: SourceSpec, asked: SourceSpec) -> bool:
    return asked.location in {stored.location, stored.asked} and (not asked.kind or stored.kind == asked.kind)


def _only_an_address(spec: SourceSpec) -> bool:
    """Whether a spec says where a source is and nothing of how it is to be read."""
    return spec == SourceSpec(url=spec.url, kind=spec.kind, command=spec.command, args=spec.args, cwd=spec.cwd)


def _check_apart(source: str, records: Sequence[SourceRecord]) -> None:
    """Refuse a new source that is called as one in the catalog, but for hyphens: names of both would be one (E-5)."""
    read = {record.id for record in records if record.document}
    alike = next((one for one in sorted(read) if fold(one) == fold(source)), source)
    if source not in read and alike != source:
        raise Problem(
            Code.BAD_INPUT,
            f"{source!r} and the source {alike!r} differ only in hyphens",
            hints=("choose another name",),
        )
