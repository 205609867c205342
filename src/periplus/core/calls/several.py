"""Several calls under one question: looked at before the first runs, permitted together (H-65)."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from periplus.core import names
from periplus.core.calls.approvals import Approvals, Bound
from periplus.core.calls.checking import Checks, forbidden
from periplus.core.calls.leave import Leave, Permitted, Wanted
from periplus.core.mending.lenient import STRICT, Leniency
from periplus.core.policy import Judge
from periplus.core.sequence.templates import Template
from periplus.model import Action, Approval, Code, Decision, Problem, SourceRecord, Tool, Verdict
from periplus.ports import Store

_MOST = 1000


class Seen(msgspec.Struct, frozen=True, kw_only=True):
    """A step, its tool, and what the policy says to it as far as it can be judged yet."""

    tool: Tool
    arguments: Template
    decision: Decision
    each: str = ""


class Several:
    """Questions about several calls at once, and the leave that an answer gives."""

    def __init__(self, store: Store, checks: Checks, approvals: Approvals) -> None:
        self._store = store
        self._checks = checks
        self._approvals = approvals

    async def ask(self, seen: Sequence[Seen], judge: Judge) -> Approval | None:
        """The one question for all that need one; None when none does."""
        asking = [one.decision for one in seen if one.decision.verdict is Verdict.ASK]
        if not asking:
            return None
        return await self._approvals.ask(_bound(judge, seen), [one.tool for one in seen], _joint(asking))

    async def leave(self, approval: str, seen: Sequence[Seen], judge: Judge) -> Leave:
        """Use the answer to that question, once."""
        what = _bound(judge, seen)
        await self._approvals.check(approval, what)
        await self._approvals.spend(approval, what)
        return Leave(
            approval=approval, tenant=what.tenant, principal=what.principal, policy=what.policy, calls=what.calls
        )

    async def seen(
        self, steps: Sequence[Wanted], judge: Judge, sources: Sequence[SourceRecord], leniency: Leniency = STRICT
    ) -> list[Seen]:
        """Each step as far as it can be looked at before it runs. One that cannot be run is refused."""
        if not 1 <= len(steps) <= _MOST:
            raise Problem(Code.BAD_INPUT, f"{len(steps)} calls; 1 to {_MOST:,} can be asked for together")
        return [await self.one(step, judge, sources, leniency) for step in steps]

    async def one(self, step: Wanted, judge: Judge, sources: Sequence[SourceRecord], leniency: Leniency) -> Seen:
        """One step; what a rule says of values that are not known yet is judged when they are."""
        tool = await names.find(self._store, step.tool, judge.scope)
        arguments = self._checks.mended(tool, step.arguments.tree, leniency)
        if arguments.is_settled:
            prepared = self._checks.prepared(tool, sources, arguments.value, judge.principal)
            decision = judge.decide(Action.CALL, tool, arguments.value, prepared)
        else:
            self._checks.validators.check_settled(tool, arguments.value, [at for at, _ in arguments.open()])
            decision = judge.decide(Action.CALL, tool)
        if decision.verdict is Verdict.DENY:
            raise forbidden(tool, decision)
        return Seen(tool=tool, arguments=arguments, decision=decision, each=step.each)


def _bound(judge: Judge, seen: Sequence[Seen]) -> Bound:
    who = judge.principal
    calls = tuple(map(_shown, seen))
    return Bound(approval="", tenant=who.tenant, principal=who.id, policy=judge.policy.version, calls=calls)


def _shown(one: Seen) -> Permitted:
    return Permitted(
        ref=str(one.tool.ref),
        fingerprint=one.tool.fingerprint,
        arguments=one.arguments.value,
        open=tuple(at for at, _ in one.arguments.open()),
        each=one.each,
    )


def _joint(asking: Sequence[Decision]) -> Decision:
    """Why a person is asked, of all the calls together."""
    rules = dict.fromkeys(decision.rule for decision in asking)
    reasons = dict.fromkeys(decision.reason for decision in asking if decision.reason)
    return msgspec.structs.replace(asking[0], rule=", ".join(rules), reason="; ".join(reasons))
