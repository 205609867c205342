"""The gateway: the verbs, each a few lines over the one mechanism it uses."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

import msgspec

from periplus.core import names, telling
from periplus.core.audit import Audit, AuditRules
from periplus.core.browse import Ask, Listing, browse
from periplus.core.connect import Connecting, Progress, connect, quiet
from periplus.core.cursor import Cursors
from periplus.core.detect import detect
from periplus.core.intake.names import source_id
from periplus.core.policy import scope_of
from periplus.core.schema.closure import bounded
from periplus.core.seal import Seal
from periplus.core.searching import Query, Results, Searching
from periplus.core.trail import Trail
from periplus.model import (
    LOCAL,
    Code,
    LoadReport,
    NodeHit,
    Principal,
    Problem,
    Scope,
    SourceRecord,
    SourceSpec,
    SourceState,
    Tool,
    ToolRef,
    check_source_id,
)
from periplus.ports import Clock, Ledger, SearchEngine, Sessions, Source, Store, Tracing, Wires


class Parts(msgspec.Struct, frozen=True, kw_only=True):
    """What the gateway is wired from; `app.py` chooses them."""

    store: Store
    clock: Clock
    seal: Seal
    source: Callable[[str], Source]  # by kind; raises a problem that names the kinds there are
    wires: Callable[[SourceSpec], Wires]
    upstream_log: Callable[[str], Sequence[str]]  # by source: what its process wrote to stderr
    let_go: Callable[[str], Awaitable[None]]  # by source: end its process and its connections
    engine: Callable[[], SearchEngine]  # loads it: a model and index files, not needed to browse
    learns: bool = True  # whether searches remember what was called after them
    ledger: Ledger
    sessions: Sessions
    audit: AuditRules = AuditRules()
    tracing: Tracing | None = None


class Gateway:
    """One catalog and what may be done with it. Keeps no state of its own: all of it is in the store."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._cursors = Cursors(parts.seal)
        self._searching = Searching(parts.store, parts.clock, self._cursors, parts.engine, learns=parts.learns)
        self._audit = Audit(parts.ledger, parts.clock, parts.audit, parts.tracing)
        self.trail = Trail(parts.ledger)

    # --- connect ------------------------------------------------------------------------------------------

    async def connect(
        self,
        spec: SourceSpec | str,
        *,
        principal: Principal = LOCAL,
        refresh: bool = False,
        accept: bool = False,
        progress: Progress = quiet,
    ) -> LoadReport:
        """Read a source into the catalog; again, it costs one conditional request and writes nothing.

        `refresh` reads it even if it says it has not changed; `accept` takes a change that is held back because
        it would remove most of its tools.
        """
        spec = SourceSpec(url=spec) if isinstance(spec, str) else spec
        async with self._audit.event("connect", principal, telling.place_of(spec)) as note:
            spec = await self._settled(spec)
            note.about(spec.id)
            ask = Connecting(
                store=self._parts.store,
                source=self._parts.source(spec.kind),
                wires=self._parts.wires(spec),
                clock=self._parts.clock,
                progress=progress,
                refresh=refresh,
                accept=accept,
            )
            report = await connect(ask, spec)
            telling.connected(note, report)
        return report

    async def _settled(self, spec: SourceSpec) -> SourceSpec:
        """The spec with its kind found out and its name settled; connecting one location again keeps its name."""
        records = await self._parts.store.sources()
        if spec.id:
            check_source_id(spec.id)
        else:
            same = next((record for record in records if _same_place(record.spec, spec)), None)
            if same and _only_an_address(spec):
                return same.spec
            taken = {record.id for record in records}
            spec = msgspec.structs.replace(spec, id=same.id if same else source_id(spec.location, taken))
        if spec.kind:
            return spec
        before = next((record for record in records if record.id == spec.id), None)
        if before and _same_place(before.spec, spec):
            return msgspec.structs.replace(spec, kind=before.spec.kind, url=before.spec.url, asked=before.spec.asked)
        found = await detect(spec, self._parts.wires(spec).fetch)
        asked = spec.url if found.url and found.url != spec.url else ""
        return msgspec.structs.replace(spec, kind=found.kind, url=found.url or spec.url, asked=asked)

    async def sync(
        self, source: str, *, principal: Principal = LOCAL, accept: bool = False, progress: Progress = quiet
    ) -> LoadReport:
        """Read a stored source again as it is configured."""
        record = await self.source(source, principal=principal)
        return await self.connect(record.spec, principal=principal, accept=accept, progress=progress)

    async def keep(self, spec: SourceSpec, problem: Problem) -> None:
        """Keep a configured source that could not be read yet: listed, unavailable, with the reason."""
        if await self._parts.store.source(spec.id) is None:
            await self._parts.store.mark(SourceRecord(spec=spec, state=SourceState.UNAVAILABLE, reason=problem.message))

    async def disconnect(self, source: str, *, principal: Principal = LOCAL) -> None:
        """Forget a source and its tools."""
        async with self._audit.event("connect", principal, source) as note:
            note.add(op="disconnect")
            record = await self.source(source, principal=principal)
            await self._parts.store.remove(record.id, self._parts.clock.now())
            await self._parts.let_go(record.id)

    async def sources(self, *, principal: Principal = LOCAL) -> Sequence[SourceRecord]:
        """The sources a principal may see."""
        records = await self._parts.store.sources()
        closed = {selector.ref for selector in scope_of(principal, records).deny}
        return [record for record in records if principal.is_admin or f"{record.id}/*" not in closed]

    async def source(self, source: str, *, principal: Principal = LOCAL) -> SourceRecord:
        """One source with its load report."""
        records = await self.sources(principal=principal)
        for record in records:
            if record.id == source:
                return record
        known = tuple(record.id for record in records)[:8]
        raise Problem(Code.SOURCE_NOT_FOUND, f"no source is called {source[:60]!r}", hints=known or ("add one first",))

    def upstream_log(self, source: str) -> Sequence[str]:
        """The last lines the process behind a source wrote to stderr, while it runs."""
        return self._parts.upstream_log(source)

    # --- browse and describe --------------------------------------------------------------------------------

    async def scope(self, principal: Principal) -> Scope:
        """What a principal may discover, as a value for queries."""
        return scope_of(principal, await self._parts.store.sources())

    async def browse(
        self,
        path: str = "",
        *,
        principal: Principal = LOCAL,
        limit: int = 50,
        cursor: str | None = None,
        deep: bool = False,
    ) -> Listing:
        """A node of the catalog, its child nodes and its tools; `deep` lists the tools of the whole subtree."""
        ask = Ask(path=path, limit=limit, cursor=cursor, deep=deep)
        async with self._audit.event("browse", principal, path) as note:
            listing = await browse(self._parts.store, self._cursors, ask, await self.scope(principal))
            telling.browsed(note, listing)
        return listing

    async def describe(self, tool: str, *, principal: Principal = LOCAL) -> Tool:
        """One tool, complete, by its ref or any spelling that means it alone."""
        async with self._audit.event("describe", principal, tool) as note:
            found = await names.find(self._parts.store, tool, await self.scope(principal))
            args, _ = bounded(found.args_schema)
            result, _ = bounded(found.result_schema)
            found = msgspec.structs.replace(found, args_schema=args or {}, result_schema=result)
            telling.described(note, found)
        return found

    # --- search -----------------------------------------------------------------------------------------------

    async def search(  # noqa: PLR0913 - each is one way to narrow a search
        self,
        goal: str,
        *,
        principal: Principal = LOCAL,
        path: str = "",
        tag: str = "",
        source: str = "",
        effect: str = "",
        limit: int = 10,
        cursor: str | None = None,
    ) -> Results:
        """The tools that serve a goal, best first, each with the probability that it does and the reasons."""
        query = Query(goal=goal, path=path, tag=tag, source=source, effect=effect, limit=limit, cursor=cursor)
        async with self._audit.event("search", principal, self._audit.goal(goal)) as note:
            telling.narrowed(note, query)
            results = await self._searching.search(query, await self.scope(principal), principal)
            telling.found(note, results)
        return results

    async def search_nodes(
        self, goal: str, *, principal: Principal = LOCAL, path: str = "", limit: int = 10
    ) -> tuple[NodeHit, ...]:
        """The areas whose tools serve a goal."""
        query = Query(goal=goal, path=path, limit=limit)
        async with self._audit.event("search", principal, self._audit.goal(goal)) as note:
            note.add(op="nodes")
            telling.narrowed(note, query)
            hits = await self._searching.nodes(query, await self.scope(principal))
            telling.found_nodes(note, hits)
        return hits

    async def similar(self, tool: str, *, principal: Principal = LOCAL, limit: int = 10) -> Results:
        """Tools that could stand in for one."""
        async with self._audit.event("search", principal, tool) as note:
            note.add(op="similar")
            scope = await self.scope(principal)
            found = await names.find(self._parts.store, tool, scope)
            note.about(found.ref)
            results = await self._searching.similar(found.ref, scope, limit)
            telling.found(note, results)
        return results

    async def match(
        self, pattern: str, *, principal: Principal = LOCAL, limit: int = 100, cursor: str | None = None
    ) -> Results:
        """The tools whose ref a regular expression finds (RE2: linear time), in order of ref."""
        async with self._audit.event("search", principal, pattern) as note:
            note.add(op="match")
            results = await self._searching.match(pattern, await self.scope(principal), limit, cursor)
            telling.found(note, results)
        return results

    async def resolve(self, name: str, *, principal: Principal = LOCAL) -> Sequence[ToolRef]:
        """The tools a name may mean: those that have it, else those whose name is near."""
        async with self._audit.event("search", principal, name) as note:
            note.add(op="resolve")
            refs = await self._searching.resolve(name, await self.scope(principal))
            telling.resolved(note, refs)
        return refs

    async def split(self, goal: str) -> tuple[str, ...]:
        """The clauses of a goal that asks for several things."""
        return await self._searching.split(goal)

    async def used(self, goal: str, tool: str, *, principal: Principal = LOCAL) -> None:
        """Remember that a tool was called after this goal and it went well: it moves up for similar goals."""
        found = await names.find(self._parts.store, tool, await self.scope(principal))
        await self._searching.used(goal, found.ref, principal)

    async def memories(self, *, principal: Principal = LOCAL) -> bytes:
        """What the searches of a principal's tenant have learned, as JSON."""
        return await self._searching.memories(principal)

    async def forget(self, *, principal: Principal = LOCAL) -> None:
        """Erase what the searches of a principal's tenant have learned."""
        await self._searching.forget(principal)

    async def index(self, progress: Progress = quiet) -> int:
        """Bring the search index up to the catalog now instead of at the next search; its revision."""
        return (await self._searching.ready(progress)).revision

    async def revision(self) -> int:
        """Grows with every change of the catalog."""
        return await self._parts.store.revision()


def _same_place(stored: SourceSpec, asked: SourceSpec) -> bool:
    return asked.location in {stored.location, stored.asked} and (not asked.kind or stored.kind == asked.kind)


def _only_an_address(spec: SourceSpec) -> bool:
    """Whether a spec says where a source is and nothing of how it is to be read."""
    return spec == SourceSpec(url=spec.url, kind=spec.kind, command=spec.command, args=spec.args, cwd=spec.cwd)
