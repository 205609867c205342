"""What protocols need beside browse and describe: areas of a source whole, tools by number and several at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import msgspec

from periplus.core import names
from periplus.core.audit import Note
from periplus.core.charts import Chart
from periplus.core.intake.pins import without_pin
from periplus.core.schema.closure import bounded
from periplus.core.searching import Query, Results
from periplus.core.wired import Wired
from periplus.model import (
    LOCAL,
    Action,
    Decision,
    Grepped,
    Principal,
    Scope,
    Selector,
    SourceRecord,
    Tool,
    ToolRef,
)
from periplus.ports import Grep

_MOMENT_S = 1.0  # how long an agent waits for tools that were connected right now


class Seen(msgspec.Struct, frozen=True, kw_only=True):
    """A tool as one principal stands to it: may its schema be read, and may it be called."""

    tool: Tool
    describe: Decision
    call: Decision


class SurveyVerbs(Wired):
    """Looks that leave no event by themselves: whoever shows what they found does so inside `showing`."""

    def showing(self, verb: str, principal: Principal, subject: str = "", *, session: str = "") -> Note:
        """One event for an answer that a protocol puts together itself: browse, search or describe."""
        return self._audit.event(verb, principal, subject, session=session)

    def goal(self, text: str) -> str:
        """A goal as the trail may keep it."""
        return self._audit.goal(text)

    async def charts(
        self, sources: Callable[[SourceRecord], bool], *, principal: Principal = LOCAL
    ) -> tuple[tuple[SourceRecord, Chart], ...]:
        """Sources that somebody may see, with their visible areas."""
        judge, records = await self._standing.judge_and_sources(principal)
        wanted = [record for record in records if sources(record) and not judge.is_closed(record.id)]
        return tuple([(record, await self._charts.of(record, judge.scope)) for record in wanted])

    async def standing(self, record: SourceRecord, *, principal: Principal = LOCAL) -> Mapping[str, int]:
        """How many visible tools stand right at each node of a source that somebody may see."""
        return await self._charts.standing(record, (await self._standing.judge(principal)).scope)

    async def tools_from(
        self, path: str, offset: int, limit: int, *, principal: Principal = LOCAL
    ) -> tuple[Sequence[ToolRef], int]:
        """The visible tools right at a node from a number on, and how many there are."""
        return await self._parts.store.tools_from(path, await self._scope(principal, ()), offset, limit)

    async def tools_below(self, path: str, limit: int, *, principal: Principal = LOCAL) -> Sequence[ToolRef]:
        """The first visible tools at a node and anywhere below it, in order of ref."""
        scope = await self._scope(principal, ())
        return [line.ref for line in await self._parts.store.tools(path, scope, "", limit, deep=True)]

    async def seen(self, refs: Sequence[ToolRef], *, principal: Principal = LOCAL) -> tuple[Seen, ...]:
        """The visible ones of these tools, complete, in the order asked."""
        judge = await self._standing.judge(principal)
        found = await self._parts.store.several(refs, judge.scope)
        return tuple(
            Seen(
                tool=_presentable(tool),
                describe=judge.decide(Action.DESCRIBE, tool),
                call=judge.decide(Action.CALL, tool),
            )
            for tool in found
        )

    async def find(self, tool: str, sources: Sequence[str] = (), *, principal: Principal = LOCAL) -> Tool | None:
        """The tool a spelling means among those of some sources (none named: of all); never guessed."""
        return await names.sought(self._parts.store, tool, await self._scope(principal, sources))

    async def exact(self, ref: str, sources: Sequence[str] = (), *, principal: Principal = LOCAL) -> Tool | None:
        """The visible tool of some sources that has exactly this ref."""
        return await names.exact(self._parts.store, ref, await self._scope(principal, sources))

    async def near(
        self, text: str, sources: Sequence[str] = (), limit: int = 5, *, principal: Principal = LOCAL
    ) -> Sequence[ToolRef]:
        """Visible tools of some sources whose names are near a text, nearest first."""
        scope = await self._scope(principal, sources)
        return (await self._searching.near(text, scope))[:limit] or await names.nearby(
            self._parts.store, text, scope, limit
        )

    async def grep(self, ask: Grep, sources: Sequence[str] = (), *, principal: Principal = LOCAL) -> Grepped:
        """Tools of some sources, and areas, that a regular expression finds."""
        return await self._searching.grep(ask, await self._scope(principal, sources))

    async def meant(
        self, goal: str, sources: Sequence[str] = (), *, path: str = "", limit: int = 10, principal: Principal = LOCAL
    ) -> Results:
        """Tools of some sources that serve a goal, above the floor of what is worth showing; of those read so far."""
        query = Query(goal=goal, path=path, limit=limit)
        scope = await self._scope(principal, sources)
        return await self._searching.search(query, scope, principal, wait_s=_MOMENT_S)

    async def _scope(self, principal: Principal, sources: Sequence[str]) -> Scope:
        judge, records = await self._standing.judge_and_sources(principal)
        if not sources:
            return judge.scope
        if len(sources) == 1:
            return names.within(judge.scope, sources[0])
        apart = tuple(Selector(ref=f"{one.id}/*") for one in records if one.id not in sources)
        return msgspec.structs.replace(judge.scope, deny=tuple(dict.fromkeys((*judge.scope.deny, *apart))))


def _presentable(tool: Tool) -> Tool:
    args, _ = bounded(tool.args_schema)
    result, _ = bounded(tool.result_schema)
    return msgspec.structs.replace(without_pin(tool), args_schema=args or {}, result_schema=result)
