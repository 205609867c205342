"""The verbs browse and describe: walking the catalog, and reading one tool."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from periplus.core import names, telling
from periplus.core.browse import Ask, Listing, browse
from periplus.core.calls.checking import forbidden, site_of
from periplus.core.completing import Completion, complete
from periplus.core.intake.pins import without_pin
from periplus.core.schema.closure import bounded
from periplus.core.wired import Wired
from periplus.model import LOCAL, Action, Principal, Scope, Tool, Verdict
from periplus.ports import Stop, Told


class BrowseVerbs(Wired):
    """The catalog as it may be seen."""

    async def scope(self, principal: Principal) -> Scope:
        """What a principal may discover, as a value for queries."""
        return (await self._standing.judge(principal)).scope

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

    async def direct(self, *, principal: Principal = LOCAL) -> tuple[Tool, ...]:
        """The tools that sources pin with `expose = "direct"`, complete, for hosts that list them as they are."""
        judge, sources = await self._standing.judge_and_sources(principal)
        return await self._direct.tools(judge.scope, sources)

    async def complete(
        self,
        tool: str,
        argument: str,
        value: str = "",
        *,
        principal: Principal = LOCAL,
        others: Mapping[str, str] | None = None,
    ) -> Completion:
        """What may stand in an argument where somebody has typed `value`; `others` are filled in already."""
        async with self._audit.event("describe", principal, tool) as note:
            note.add(op="complete", argument=argument)
            judge, sources = await self._standing.judge_and_sources(principal)
            found = await names.find(self._parts.store, tool, judge.scope)
            note.about(found.ref)
            decision = judge.decide(Action.DESCRIBE, found)
            note.ruled(decision.rule)
            if decision.verdict is Verdict.DENY:
                raise forbidden(found, decision)
            asked: dict[str, Any] = {"argument": {"name": argument, "value": value}}
            if others:
                asked["context"] = {"arguments": dict(others)}
            return await complete(self._parts.call_wires, found, sources, asked, principal)

    async def watch(self, tool: str, uri: str, told: Told, *, principal: Principal = LOCAL) -> Stop:
        """Have `told` called when something changes inside a resource of an MCP server; what this returns ends that.

        `tool` reads the resource. Whether its asker may still see it is for the caller to ask when it is told.
        """
        async with self._audit.event("describe", principal, tool) as note:
            note.add(op="watch", uri=uri)
            judge, sources = await self._standing.judge_and_sources(principal)
            found = await names.find(self._parts.store, tool, judge.scope)
            note.about(found.ref)
            decision = judge.decide(Action.CALL, found)
            note.ruled(decision.rule)
            if decision.verdict is Verdict.DENY:
                raise forbidden(found, decision)
            return await self._parts.call_wires.mcp.watch(uri, site_of(found, sources), principal, told)

    async def describe(self, tool: str, *, principal: Principal = LOCAL, session: str = "") -> Tool:
        """One tool, complete, by its ref or any spelling that means it alone; a session remembers having read it."""
        async with self._audit.event("describe", principal, tool, session=session) as note:
            judge = await self._standing.judge(principal)
            found = await names.find(self._parts.store, tool, judge.scope)
            decision = judge.decide(Action.DESCRIBE, found)
            note.ruled(decision.rule)
            if decision.verdict is Verdict.DENY:
                raise forbidden(found, decision)
            read = found
            args, _ = bounded(found.args_schema)
            result, _ = bounded(found.result_schema)
            found = msgspec.structs.replace(without_pin(found), args_schema=args or {}, result_schema=result)
            telling.described(note, found)
            if session:
                await self._sessions.remember_shown(principal, session, read, note)
        return found

    async def shown(
        self, tool: Tool, session: str, *, principal: Principal = LOCAL, within_s: float = 1800.0
    ) -> str | None:
        """The hash of the schema of a tool that a session has read so lately; None when it has read none (E-32)."""
        return await self._sessions.shown(principal, session, tool, within_s)

    async def revision(self) -> int:
        """Grows with every change of the catalog."""
        return await self._parts.store.revision()
