"""Search over the catalog as it is now: the index is brought up to the store's revision before it is asked."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import msgspec

from periplus.core.connect import Progress, quiet
from periplus.core.cursor import Cursors
from periplus.core.indexing import Indexing, aside
from periplus.core.learning import uses_after
from periplus.core.names import missing
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
    ToolRef,
    Use,
    check_node_path,
)
from periplus.ports import Clock, Grep, Ledger, SearchEngine, Store

_LEARNING = "learning"
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


class Likely(NamedTuple):
    """Tools with their probabilities, the revision these are true of, and what several say together."""

    revision: int
    chances: Chances
    together: Callable[[Sequence[float], float, float], float]


class Results(msgspec.Struct, frozen=True, kw_only=True):
    """A page of hits; without any, the area nearest to the goal."""

    hits: tuple[Hit, ...]
    next_cursor: str | None = None
    nearest: str = ""
    clauses: tuple[str, ...] = ()
    revision: int = 0
    ready: float = 1.0  # the share of the tools that were looked through: the words of the others are being read


class Searching:
    """The search verbs of one gateway. The engine is loaded at the first of them."""

    def __init__(
        self, store: Store, clock: Clock, cursors: Cursors, indexing: Indexing, *, learns: bool = True
    ) -> None:
        self._store = store
        self._clock = clock
        self._cursors = cursors
        self._learns = learns
        self._turns = Turns(store, clock)
        self._indexing = indexing

    async def ready(self, progress: Progress = quiet) -> SearchEngine:
        """The engine, over an index of the store's present revision."""
        return await self._indexing.ready(progress)

    async def listed(self, progress: Progress = quiet) -> SearchEngine:
        """The engine once names and patterns find every tool of the present revision (H-82)."""
        return await self._indexing.listed(progress)

    async def refine(self) -> int:
        """A slice of what makes answers better and takes long: how many tools it was about, 0 when all is done."""
        return await self._indexing.refine()

    async def search(self, query: Query, scope: Scope, principal: Principal, *, wait_s: float = math.inf) -> Results:
        """The tools that serve a goal, best first, each with its probability and reasons.

        Where many tools are new it waits until their words are read, or so long and answers from what is.
        """
        if not 1 <= query.limit <= LIMIT_MAX:
            raise Problem(Code.BAD_INPUT, f"limit {query.limit} is outside 1 to {LIMIT_MAX}", hints=("use 10",))
        within = query.within
        engine = await self._indexing.ready(wait_s=wait_s)
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
        found: Found = await aside(
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
            ready=found.ready,
        )

    async def chances(self, goal: str, scope: Scope, principal: Principal) -> Likely:
        """Every tool that serves a goal with its probability."""
        engine = await self.ready()
        boosts = await self._boosts(engine, goal, principal)
        found: Chances = await aside(engine.chances, goal, scope, boosts=boosts)
        return Likely(engine.revision, found, engine.together)

    async def nodes(self, query: Query, scope: Scope) -> tuple[NodeHit, ...]:
        """The areas whose tools serve a goal."""
        within = query.within
        engine = await self.ready()
        return await aside(engine.search_nodes, query.goal, scope, limit=query.limit, within=within)

    async def similar(self, ref: ToolRef, scope: Scope, limit: int) -> Results:
        """Tools that could stand in for one."""
        engine = await self.ready()
        found: Found = await aside(engine.similar, ref, scope, limit=limit)
        return Results(hits=found.hits, revision=found.revision)

    async def match(self, pattern: str, scope: Scope, limit: int, cursor: str | None) -> Results:
        """Tools whose ref a regular expression finds, in order of ref."""
        engine = await self.listed()
        after = self._cursors.read(cursor, ("match", pattern), engine.revision) or ""
        found = await aside(engine.match, pattern, scope, limit=limit, after=after)
        following = None
        if found.more and found.hits:
            following = self._cursors.make(("match", pattern), engine.revision, str(found.hits[-1].ref))
        return Results(hits=found.hits, next_cursor=following, revision=engine.revision)

    async def grep(self, ask: Grep, scope: Scope) -> Grepped:
        """Tools and areas by regular expression; linear in what is searched, and never on the event loop."""
        engine = await self.listed()
        return await aside(engine.grep, ask, scope)

    async def resolve(self, name: str, scope: Scope) -> Sequence[ToolRef]:
        """The tools a name may mean: those that have it, else those whose name is near."""
        engine = await self.listed()
        resolved = await aside(engine.resolve, name, scope)
        if not resolved.exact and not resolved.near:
            raise await missing(self._store, name, scope)
        return resolved.exact or resolved.near

    async def near(self, name: str, scope: Scope) -> Sequence[ToolRef]:
        """The tools whose name is near this one."""
        engine = await self.listed()
        return (await aside(engine.resolve, name, scope)).near

    async def split(self, goal: str) -> tuple[str, ...]:
        """The clauses of a goal that asks for several things."""
        return await aside((await self._indexing.loaded()).split, goal)

    async def indexed(self) -> int:
        """The revision that the index files hold; 0 where there are none that can be used."""
        engine = await self._indexing.loaded()
        await aside(engine.refresh)
        return 0 if engine.damage else engine.revision

    # --- memory of use ----------------------------------------------------------------------------------------

    async def used(self, goal: str, ref: ToolRef, principal: Principal) -> None:
        """A tool was called after this goal, and it went well."""
        if self._learns:
            use = Use(goal=goal, ref=str(ref), tenant=principal.tenant, at=self._clock.now())
            await aside((await self._indexing.loaded()).learn, [use])

    async def memories(self, principal: Principal) -> bytes:
        """Everything a tenant's searches have learned, as JSON."""
        return await aside((await self._indexing.loaded()).remembered, principal.tenant)

    async def forget(self, principal: Principal) -> None:
        """Erase what a tenant's searches have learned."""
        await aside((await self._indexing.loaded()).forget, principal.tenant)

    async def _boosts(self, engine: SearchEngine, goal: str, principal: Principal) -> dict[str, float]:
        if not self._learns:
            return {}
        return dict(await aside(engine.boosts, goal, principal.tenant, self._clock.now()))

    # --- learning from the trail --------------------------------------------------------------------------------

    async def learn(self, ledger: Ledger) -> int:
        """Learn from calls that the trail has since last time; how many uses there were."""
        if not self._learns:
            return 0
        engine = await self._indexing.loaded()
        if (await ledger.tip())[0] == engine.learned:
            return 0
        return await self._turns.alone(_LEARNING, partial(self._learn, engine, ledger))

    async def _learn(self, engine: SearchEngine, ledger: Ledger) -> int:
        uses, upto = await uses_after(ledger, engine.learned)
        await aside(engine.learn, uses, upto)
        return len(uses)
