"""Workflows as they are served: sessions that are walked, and all that may be asked about them from outside."""

from __future__ import annotations

from typing import Any

from periplus.core.calls.approvals import is_operator
from periplus.core.workflows import inspection
from periplus.core.workflows.asked import Answer, Asked, Room
from periplus.core.workflows.definition import Definition
from periplus.core.workflows.outside import unresolved_tools
from periplus.core.workflows.problems import LoadProblem
from periplus.core.workflows.record import Record
from periplus.core.workflows.starting import startable
from periplus.core.workflows.timeline import timeline
from periplus.core.workflows.walks import Walks
from periplus.model import Code, Principal, Problem


class Workflows(Walks):
    """The operations of the workflow protocol, and what operators ask."""

    def runs_steps(self) -> bool:
        """Whether steps may run tools, by what definitions bind as they were last read."""
        wanted = self.rules.step_tools
        return wanted == "on" or (wanted == "auto" and self._room.library.binds_tools)

    async def store_fault(self) -> str:
        """Why records cannot be read; empty when they can."""
        try:
            await self._room.ledger.tip()
        except Problem as problem:
            return problem.message
        return ""

    # --- for operators --------------------------------------------------------------------------------------

    async def problems(self, principal: Principal) -> tuple[list[LoadProblem], tuple[str, ...]]:
        """What is wrong with definitions, tools that steps name and nobody has among it; and directories not read."""
        snapshot = await self.snapshot(principal)
        scope = (await self._room.standing.judge(principal)).scope
        lost = [await unresolved_tools(one, self._room.store, scope) for one in snapshot.definitions]
        return [*snapshot.problems(), *(problem for several in lost for problem in several)], snapshot.away

    async def sessions(self, principal: Principal, limit: int) -> list[dict[str, Any]]:
        """Sessions in short, the last used first: an administrator's are everybody's."""
        whose = None if is_operator(principal) else principal
        return [inspection.in_short(one, record) for one, record in await self.records.recent(whose, limit)]

    async def session(self, principal: Principal, sid: str) -> dict[str, Any]:
        """One session whole: where it stands, what was answered, what it knows, and all that happened in it."""
        one, record = await self.records.inspected(principal, sid)
        snapshot = await self.snapshot(principal)
        definition, _ = snapshot.running(record.workflow)
        return inspection.whole(one, record, definition) | {"timeline": await timeline(self._room.ledger, sid)}

    async def drawn(self, principal: Principal, name: str) -> tuple[Definition, Record | None]:
        """A workflow, or a session with the workflow it walks, for a drawing."""
        snapshot = await self.snapshot(principal)
        definition, record = snapshot.find(name), None
        if definition is None:
            _, record = await self.records.inspected(principal, name)
            definition, _ = snapshot.running(record.workflow)
            if definition is None:
                raise Problem(
                    Code.NOT_FOUND,
                    f"session {name} walks {record.workflow!r}, which is no workflow here",
                    hints=("name the directory it was served from: --workflows DIR",),
                )
        return startable(definition, record.workflow if record else name, snapshot), record


__all__ = ["Answer", "Asked", "Room", "Workflows"]
