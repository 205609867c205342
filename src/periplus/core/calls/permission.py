"""Where a person has to agree: nobody goes on until one has, and then only with what they saw."""

from __future__ import annotations

from periplus.core.calls.approvals import Approvals, Bound, bound, waiting
from periplus.core.calls.asked import Asked, Ready
from periplus.core.calls.leave import Leave, Permitted
from periplus.model import Verdict


class Permission:
    """The questions of single calls."""

    def __init__(self, approvals: Approvals) -> None:
        self._approvals = approvals

    async def check(self, asked: Asked, ready: Ready) -> None:
        """Refuse a call that needs a person's word and has none that fits."""
        if not _is_asked(asked, ready):
            return
        what = _bound(asked, ready)
        if not asked.approval:
            raise waiting(await self._approvals.ask(what, [ready.tool], ready.decision))
        await self._approvals.check(asked.approval, what)

    async def use(self, asked: Asked, ready: Ready) -> None:
        """Use the approval up: the last thing before the call is sent."""
        if not _is_asked(asked, ready):
            return
        await self._approvals.spend(asked.approval, _bound(asked, ready))
        if asked.used is not None:
            asked.used(_leave(asked, ready))


def _is_asked(asked: Asked, ready: Ready) -> bool:
    if ready.decision.verdict is not Verdict.ASK:
        return False
    leave, who = asked.leave, asked.principal
    if leave is None or (leave.tenant, leave.principal, leave.policy) != (who.tenant, who.id, ready.policy):
        return True
    return not leave.covers(str(ready.tool.ref), ready.tool.fingerprint, ready.given)


def _leave(asked: Asked, ready: Ready) -> Leave:
    """The same call again, for as long as nothing about it has changed."""
    who = asked.principal
    same = Permitted(ref=str(ready.tool.ref), fingerprint=ready.tool.fingerprint, arguments=ready.given)
    return Leave(approval=asked.approval, tenant=who.tenant, principal=who.id, policy=ready.policy, calls=(same,))


def _bound(asked: Asked, ready: Ready) -> Bound:
    return bound(asked.principal, ready.policy, [(ready.tool, ready.arguments)])
