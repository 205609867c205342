"""The verb grant: questions to a person and their answers; and what the policy says to whom."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from periplus.core import names
from periplus.core.policy import Explanation
from periplus.core.wired import Wired
from periplus.model import LOCAL, Action, Approval, ApprovalState, Principal, Problem, Session


class GrantVerbs(Wired):
    """Who may do what, and who said so."""

    async def approvals(
        self, *, principal: Principal = LOCAL, state: ApprovalState | None = None, limit: int = 100
    ) -> tuple[Approval, ...]:
        """Questions in the order they were asked: an administrator sees those of its tenant, others their own."""
        return await self._calls.approvals.listed(principal, state, limit)

    async def grant(self, approval: str, *, principal: Principal = LOCAL, why: str = "") -> Approval:
        """Agree to a call: the same call with this approval then runs once."""
        return await self._settle(approval, principal, why, grant=True)

    async def refuse(self, approval: str, *, principal: Principal = LOCAL, why: str = "") -> Approval:
        """Do not agree; whoever asked is told why."""
        return await self._settle(approval, principal, why, grant=False)

    async def _settle(self, approval: str, principal: Principal, why: str, *, grant: bool) -> Approval:
        async with self._audit.event("grant", principal, approval) as note:
            settled = await self._calls.approvals.settle(approval, principal, grant=grant, why=why)
            note.about(settled.tool)
            note.ended(settled.state.value)
            note.add(approval=settled.id, asked_by=settled.principal, why=why)
        return settled

    async def policy_check(
        self,
        tool: str,
        *,
        principal: Principal,
        arguments: Mapping[str, Any] | None = None,
        action: Action = Action.CALL,
    ) -> Explanation:
        """What the policy says to a principal's wish and which rule decides; nothing is sent.

        With arguments it judges the request that would be made, too.
        """
        found = await names.find(self._parts.store, tool, (await self._standing.judge(LOCAL)).scope)
        judge, sources = await self._standing.judge_and_sources(principal)
        if arguments is None or action is not Action.CALL:
            return judge.explain(action, found)
        prepared = self._calls.checks.prepared(found, sources, dict(arguments), principal)
        return judge.explain(action, found, dict(arguments), prepared)

    def policy_fault(self) -> Problem | None:
        """Why the policy file's present content is not in force; None while it is."""
        return self._standing.fault()

    # --- sessions ---------------------------------------------------------------------------------------------

    async def session(self, name: str, *, principal: Principal = LOCAL) -> Session:
        """What a conversation remembers; version 0 and empty when it is new."""
        return await self._sessions.load(principal, name)

    async def save(self, session: Session) -> Session:
        """Write a session that was loaded; `conflict` when another process wrote it meanwhile."""
        return await self._sessions.save(session)

    async def change(
        self, name: str, slot: str, edit: Callable[[dict[str, Any]], dict[str, Any]], *, principal: Principal = LOCAL
    ) -> Session:
        """Change one slot of a conversation whatever others do meanwhile; `edit` may be asked more than once."""
        return await self._sessions.change(principal, name, slot, edit)

    async def forget_idle(self, idle_s: float) -> int:
        """Forget conversations of all principals that nobody used for so long; how many those were."""
        return await self._parts.sessions.sweep_sessions(self.clock.now(), idle_s)

    async def end(self, name: str, *, principal: Principal = LOCAL) -> None:
        """Forget a conversation."""
        await self._sessions.end(principal, name)
