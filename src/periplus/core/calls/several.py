"""Several calls under one question: looked at before the first runs, permitted together (H-65)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from periplus.core import names
from periplus.core.calls.approvals import Approvals, Bound, bound
from periplus.core.calls.arguments import settled
from periplus.core.calls.checking import Checks, forbidden
from periplus.core.calls.leave import Leave, Step, holds_reference
from periplus.core.policy import Judge
from periplus.model import Action, Approval, Code, Decision, Problem, SourceRecord, Tool, Verdict
from periplus.ports import Store

_MOST = 1000


class _Seen(msgspec.Struct, frozen=True, kw_only=True):
    """A step, its tool, and what the policy says to it as far as it can be judged yet."""

    tool: Tool
    arguments: dict[str, Any]
    decision: Decision


class Several:
    """Questions about several calls at once, and the leave that an answer gives."""

    def __init__(self, store: Store, checks: Checks, approvals: Approvals) -> None:
        self._store = store
        self._checks = checks
        self._approvals = approvals

    async def ask(self, steps: Sequence[Step], judge: Judge, sources: Sequence[SourceRecord]) -> Approval | None:
        """The one question for all that need one; None when none does. A step that is denied refuses all."""
        seen = await self._seen(steps, judge, sources)
        asking = [one.decision for one in seen if one.decision.verdict is Verdict.ASK]
        if not asking:
            return None
        return await self._approvals.ask(_bound(judge, seen), [one.tool for one in seen], _joint(asking))

    async def leave(self, approval: str, steps: Sequence[Step], judge: Judge, sources: Sequence[SourceRecord]) -> Leave:
        """Use the answer to that question, once."""
        what = _bound(judge, await self._seen(steps, judge, sources))
        await self._approvals.check(approval, what)
        await self._approvals.spend(approval, what)
        return Leave(
            approval=approval, tenant=what.tenant, principal=what.principal, policy=what.policy, calls=what.calls
        )

    async def _seen(self, steps: Sequence[Step], judge: Judge, sources: Sequence[SourceRecord]) -> list[_Seen]:
        if not 1 <= len(steps) <= _MOST:
            raise Problem(Code.BAD_INPUT, f"{len(steps)} calls; 1 to {_MOST:,} can be asked for together")
        return [await self._one(step, judge, sources) for step in steps]

    async def _one(self, step: Step, judge: Judge, sources: Sequence[SourceRecord]) -> _Seen:
        tool = await names.find(self._store, step.tool, judge.scope)
        arguments = settled(tool, step.arguments)
        if holds_reference(arguments):  # rules on what is not known yet are judged when it is
            decision = judge.decide(Action.CALL, tool)
        else:
            prepared = self._checks.prepared(tool, sources, arguments, judge.principal)
            decision = judge.decide(Action.CALL, tool, arguments, prepared)
        if decision.verdict is Verdict.DENY:
            raise forbidden(tool, decision)
        return _Seen(tool=tool, arguments=arguments, decision=decision)


def _bound(judge: Judge, seen: Sequence[_Seen]) -> Bound:
    return bound(judge.principal, judge.policy.version, [(one.tool, one.arguments) for one in seen])


def _joint(asking: Sequence[Decision]) -> Decision:
    """Why a person is asked, of all the calls together."""
    rules = dict.fromkeys(decision.rule for decision in asking)
    reasons = dict.fromkeys(decision.reason for decision in asking if decision.reason)
    return msgspec.structs.replace(asking[0], rule=", ".join(rules), reason="; ".join(reasons))
