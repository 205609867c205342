"""The verb search: from a goal, a name or a pattern to tools."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence

from periplus.core import names, telling
from periplus.core.connect import Progress, quiet
from periplus.core.searching import Query, Results
from periplus.core.survey import Page, View
from periplus.core.wired import Wired
from periplus.model import LOCAL, NodeHit, Principal, Tool, ToolRef


class SearchVerbs(Wired):
    """What serves a goal."""

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
            results = await self._searching.search(query, (await self._standing.judge(principal)).scope, principal)
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
            hits = await self._searching.nodes(query, (await self._standing.judge(principal)).scope)
            telling.found_nodes(note, hits)
        return hits

    async def survey(
        self, view: View, *, principal: Principal = LOCAL, limit: int = 10, cursor: str | None = None, session: str = ""
    ) -> Page:
        """A place of the catalog as one sequence of nodes and tools: in their order, or by what they are worth."""
        subject = self._audit.goal(view.goal) if view.goal else view.path
        async with self._audit.event("search" if view.goal else "browse", principal, subject, session=session) as note:
            page = await self._surveys.page(
                view, (await self._standing.judge(principal)).scope, principal, limit, cursor
            )
            telling.surveyed(note, view, page)
        return page

    async def similar(self, tool: str, *, principal: Principal = LOCAL, limit: int = 10) -> Results:
        """Tools that could stand in for one."""
        async with self._audit.event("search", principal, tool) as note:
            note.add(op="similar")
            scope = (await self._standing.judge(principal)).scope
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
            results = await self._searching.match(pattern, (await self._standing.judge(principal)).scope, limit, cursor)
            telling.found(note, results)
        return results

    async def resolve(self, name: str, *, principal: Principal = LOCAL) -> Sequence[ToolRef]:
        """The tools a name may mean: those that have it, else those whose name is near."""
        async with self._audit.event("search", principal, name) as note:
            note.add(op="resolve")
            refs = await self._searching.resolve(name, (await self._standing.judge(principal)).scope)
            telling.resolved(note, refs)
        return refs

    async def split(self, goal: str) -> tuple[str, ...]:
        """The clauses of a goal that asks for several things."""
        return await self._searching.split(goal)

    async def used(self, goal: str, tool: str, *, principal: Principal = LOCAL) -> None:
        """Remember that a tool was called after this goal and it went well: it moves up for similar goals."""
        found = await names.find(self._parts.store, tool, (await self._standing.judge(principal)).scope)
        await self._searching.used(goal, found.ref, principal)

    async def memories(self, *, principal: Principal = LOCAL) -> bytes:
        """What the searches of a principal's tenant have learned, as JSON."""
        return await self._searching.memories(principal)

    async def learn(self) -> int:
        """Learn which tools were called after which searches since last time; how many uses there were."""
        return await self._searching.learn(self._parts.ledger)

    async def forget(self, *, principal: Principal = LOCAL) -> None:
        """Erase what the searches of a principal's tenant have learned."""
        await self._searching.forget(principal)

    async def tools(self) -> AsyncIterator[Tool]:
        """Every tool of the catalog, for the operator."""
        async for tool in self._parts.store.walk():
            yield tool

    async def indexed(self) -> int:
        """The revision of the catalog that searches see now; 0 where nothing is indexed yet."""
        return await self._searching.indexed()

    async def index(self, progress: Progress = quiet) -> int:
        """Bring the search index up to the catalog now instead of at the next search; its revision."""
        return (await self._searching.ready(progress)).revision

    async def refine(self) -> int:
        """A slice of what makes answers better and takes long; how many tools it was about, 0 when all is done.

        Encoding a catalog anew for another version of the model, and the vectors of `search.quality`. Searches go on.
        """
        return await self._searching.refine()
