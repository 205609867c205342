"""Search over the catalog as it is now: the index is brought up to the store's revision before it is asked."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, TypeVar

import anyio
import anyio.from_thread
import anyio.to_thread
import msgspec

from periplus.core.connect import Progress, quiet
from periplus.core.cursor import Cursors
from periplus.core.learning import uses_after
from periplus.core.names import missing
from periplus.core.schema.signature import one_line
from periplus.core.turns import Turns
from periplus.model import (
    Code,
    Effect,
    Found,
    Grepped,
    Hit,
    NodeHit,
    Principal,
    Problem,
    Scope,
    Selector,
    Tool,
    ToolRef,
    Use,
    check_node_path,
)
from periplus.ports import Clock, Grep, Ledger, SearchEngine, Store

_T = TypeVar("_T")
_log = logging.getLogger("periplus.search")
_LEASE, _REFINING, _LEARNING = "index", "refining", "learning"
_SLICE = 64
_BATCH = 500
_FEW = 2000
_SIGNATURE_MAX = 400
LIMIT_MAX = 100


class Query(msgspec.Struct, frozen=True, kw_only=True):
    """A goal and what it is narrowed to."""

    goal: str
    path: str = ""
    tag: str = ""
    source: str = ""
    effect: str = ""
    limit: int = 10
    cursor: str | None = None

    @property
    def within(self) -> Selector | None:
        """The narrowing as a selector; None when there is none."""
        effect = Effect.of(self.effect) if self.effect else None
        if self.effect and effect is None:
            raise Problem(Code.BAD_INPUT, f"{self.effect!r} is no effect", hints=("use read, write or destroy",))
        path = check_node_path(self.path)
        if not (path or self.tag or self.source or self.effect):
            return None
        return Selector(
            ref=f"{self.source}/*" if self.source else "*",
            node=path or None,
            tag=self.tag or None,
            effects=None if effect is None else frozenset({effect}),
        )


Chances = tuple[tuple[ToolRef, float], ...]


class Results(msgspec.Struct, frozen=True, kw_only=True):
    """A page of hits; without any, the area nearest to the goal."""

    hits: tuple[Hit, ...]
    next_cursor: str | None = None
    nearest: str = ""
    clauses: tuple[str, ...] = ()
    revision: int = 0


class Searching:
    """The search verbs of one gateway. The engine is loaded at the first of them."""

    def __init__(
        self, store: Store, clock: Clock, cursors: Cursors, load: Callable[[], SearchEngine], *, learns: bool = True
    ) -> None:
        self._store = store
        self._clock = clock
        self._cursors = cursors
        self._load = load
        self._learns = learns
        self._engine: SearchEngine | None = None
        self._turns = Turns(store, clock)
        self._one = anyio.Lock()

    async def search(self, query: Query, scope: Scope, principal: Principal) -> Results:
        """The tools that serve a goal, best first, each with its probability and reasons."""
        if not 1 <= query.limit <= LIMIT_MAX:
            raise Problem(Code.BAD_INPUT, f"limit {query.limit} is outside 1 to {LIMIT_MAX}", hints=("use 10",))
        within = query.within
        engine = await self.ready()
        asked = (
            "search",
            query.goal,
            query.path,
            query.tag,
            query.source,
            query.effect,
            principal.id,
            principal.tenant,
        )
        start = self._cursors.read(query.cursor, asked, engine.revision) or 0
        found: Found = await _aside(
            engine.search,
            query.goal,
            scope,
            limit=query.limit,
            start=start,
            within=within,
            boosts=await self._boosts(engine, query.goal, principal),
        )
        cursor = self._cursors.make(asked, found.revision, start + query.limit) if found.more else None
        return Results(
            hits=found.hits,
            next_cursor=cursor,
            nearest=found.nearest,
            clauses=found.clauses,
            revision=found.revision,
        )

    async def chances(self, goal: str, scope: Scope, principal: Principal) -> tuple[int, Chances]:
        """Every tool that serves a goal with its probability, and the revision this is true of."""
        engine = await self.ready()
        boosts = await self._boosts(engine, goal, principal)
        found: Chances = await _aside(engine.chances, goal, scope, boosts=boosts)
        return engine.revision, found

    async def nodes(self, query: Query, scope: Scope) -> tuple[NodeHit, ...]:
        """The areas whose tools serve a goal."""
        within = query.within
        engine = await self.ready()
        return await _aside(engine.search_nodes, query.goal, scope, limit=query.limit, within=within)

    async def similar(self, ref: ToolRef, scope: Scope, limit: int) -> Results:
        """Tools that could stand in for one."""
        engine = await self.ready()
        found: Found = await _aside(engine.similar, ref, scope, limit=limit)
        return Results(hits=found.hits, revision=found.revision)

    async def match(self, pattern: str, scope: Scope, limit: int, cursor: str | None) -> Results:
        """Tools whose ref a regular expression finds, in order of ref."""
        engine = await self.ready()
        after = self._cursors.read(cursor, ("match", pattern), engine.revision) or ""
        found = await _aside(engine.match, pattern, scope, limit=limit, after=after)
        following = None
        if found.more and found.hits:
            following = self._cursors.make(("match", pattern), engine.revision, str(found.hits[-1].ref))
        return Results(hits=found.hits, next_cursor=following, revision=engine.revision)

    async def grep(self, ask: Grep, scope: Scope) -> Grepped:
        """Tools and areas by regular expression; linear in what is searched, and never on the event loop."""
        engine = await self.ready()
        return await _aside(engine.grep, ask, scope)

    async def resolve(self, name: str, scope: Scope) -> Sequence[ToolRef]:
        """The tools a name may mean: those that have it, else those whose name is near."""
        engine = await self.ready()
        resolved = await _aside(engine.resolve, name, scope)
        if not resolved.exact and not resolved.near:
            raise await missing(self._store, name, scope)
        return resolved.exact or resolved.near

    async def near(self, name: str, scope: Scope) -> Sequence[ToolRef]:
        """The tools whose name is near this one."""
        engine = await self.ready()
        return (await _aside(engine.resolve, name, scope)).near

    async def split(self, goal: str) -> tuple[str, ...]:
        """The clauses of a goal that asks for several things."""
        return await _aside((await self._loaded()).split, goal)

    async def indexed(self) -> int:
        """The revision that the index files hold; 0 where there are none that can be used."""
        engine = await self._loaded()
        await _aside(engine.refresh)
        return 0 if engine.damage else engine.revision

    # --- memory of use ----------------------------------------------------------------------------------------

    async def used(self, goal: str, ref: ToolRef, principal: Principal) -> None:
        """A tool was called after this goal, and it went well."""
        if self._learns:
            use = Use(goal=goal, ref=str(ref), tenant=principal.tenant, at=self._clock.now())
            await _aside((await self._loaded()).learn, [use])

    async def memories(self, principal: Principal) -> bytes:
        """Everything a tenant's searches have learned, as JSON."""
        return await _aside((await self._loaded()).remembered, principal.tenant)

    async def forget(self, principal: Principal) -> None:
        """Erase what a tenant's searches have learned."""
        await _aside((await self._loaded()).forget, principal.tenant)

    async def _boosts(self, engine: SearchEngine, goal: str, principal: Principal) -> dict[str, float]:
        if not self._learns:
            return {}
        return dict(await _aside(engine.boosts, goal, principal.tenant, self._clock.now()))

    # --- learning from the trail --------------------------------------------------------------------------------

    async def learn(self, ledger: Ledger) -> int:
        """Learn from calls that the trail has since last time; how many uses there were."""
        if not self._learns:
            return 0
        engine = await self._loaded()
        if (await ledger.tip())[0] == engine.learned:
            return 0
        return await self._turns.alone(_LEARNING, partial(self._learn, engine, ledger))

    async def _learn(self, engine: SearchEngine, ledger: Ledger) -> int:
        uses, upto = await uses_after(ledger, engine.learned)
        await _aside(engine.learn, uses, upto)
        return len(uses)

    # --- making it better than it has to be ---------------------------------------------------------------------

    async def refine(self) -> int:
        """A slice of what makes answers better and takes long: how many tools it was about, 0 when all is done."""
        engine = await self.ready()
        if engine.outdated:
            return await self._turns.alone(_LEASE, partial(self._renew, engine))
        if not await _aside(engine.lacking, 1):
            return 0
        return await self._turns.alone(_REFINING, partial(self._refine, engine))

    async def _renew(self, engine: SearchEngine) -> int:
        """Another version of the model encoded it, or it is scattered: searches go on over what is there."""
        await _aside(engine.refresh)
        if engine.outdated:
            await self._rebuild(engine, await self._store.revision(), quiet)
        return 1

    async def _refine(self, engine: SearchEngine) -> int:
        refs = [ToolRef.parse(ref) for ref in await _aside(engine.lacking, _SLICE)]
        tools = [tool for ref in refs if (tool := await self._store.tool(ref, _only(ref)))]
        return await _aside(engine.refine, tools) if tools else 0

    # --- keeping in step with the store -------------------------------------------------------------------------

    async def ready(self, progress: Progress = quiet) -> SearchEngine:
        """The engine, over an index of the store's present revision."""
        engine = await self._loaded()
        if engine.revision == await self._store.revision() and not engine.damage:
            return engine
        async with self._one:
            while not await self._in_step(engine):
                await self._turns.alone(_LEASE, partial(self._catch_up, engine, progress))
        return engine

    async def _loaded(self) -> SearchEngine:
        if self._engine is None:
            self._engine = await anyio.to_thread.run_sync(self._load)
        return self._engine

    async def _in_step(self, engine: SearchEngine) -> bool:
        await _aside(engine.refresh)
        return engine.revision == await self._store.revision() and not engine.damage

    async def _catch_up(self, engine: SearchEngine, progress: Progress) -> None:
        if not await self._in_step(engine):  # another process was at it meanwhile: its files are ours too
            await self._bring_up(engine, progress)

    async def _bring_up(self, engine: SearchEngine, progress: Progress) -> None:
        """Index what differs between the files and the store; everything when there is nothing to start from."""
        revision = await self._store.revision()
        if engine.damage:
            _log.warning("the search index is built anew: %s", engine.damage)
        if not engine.revision or engine.damage or engine.outdated:
            await self._rebuild(engine, revision, progress)
            return
        records = {record.id: record for record in await self._store.sources()}
        refs: list[ToolRef] = []
        removed: set[str] = set()
        for source in await _aside(engine.sources):
            if source not in records:
                removed |= (await _aside(engine.stale, source, {}))[1]
        for source, record in records.items():
            if record.revision > engine.revision:
                known = await self._store.known(source)
                wanted = {old.path: old.mark for old in known.values()}
                paths, gone = await _aside(engine.stale, source, wanted)
                refs += [ToolRef(source, path) for path in sorted(paths)]
                removed |= gone
        if len(refs) > _FEW:
            await self._rebuild(engine, revision, progress)
            return
        tools = [tool for ref in refs if (tool := await self._store.tool(ref, _only(ref)))]
        pairs = [(tool, line_of(tool)) for tool in tools]
        await _aside(engine.update, revision, pairs, removed)

    async def _rebuild(self, engine: SearchEngine, revision: int, progress: Progress) -> None:
        stream = self._store.walk()

        async def batch() -> list[Tool]:
            tools: list[Tool] = []
            async for tool in stream:
                tools.append(tool)
                if len(tools) == _BATCH:
                    break
            return tools

        def pairs() -> Iterator[tuple[Tool, str]]:
            done = 0
            while tools := anyio.from_thread.run(batch):
                done += len(tools)
                progress("index", done, None)
                for tool in tools:
                    yield tool, line_of(tool)

        await anyio.to_thread.run_sync(lambda: engine.rebuild(revision, pairs()))


def line_of(tool: Tool) -> str:
    """The one-line signature a hit shows, without the ref it stands beside."""
    line = one_line(tool).removeprefix(str(tool.ref))
    return line if len(line) <= _SIGNATURE_MAX else f"{line[: _SIGNATURE_MAX - 1]}…"


def _only(ref: ToolRef) -> Scope:
    return Scope(allow=(Selector(ref=str(ref)),))


async def _aside(work: Callable[..., _T], *values: Any, **named: Any) -> _T:
    """CPU work off the event loop."""
    return await anyio.to_thread.run_sync(partial(work, *values, **named))
