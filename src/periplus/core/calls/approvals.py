"""Questions to a person, bound to everything that was shown with them (T-31)."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import msgspec

from periplus.core.calls.leave import Leave, Permitted
from periplus.core.calls.secrets import without_secrets
from periplus.core.seal import Seal
from periplus.documents.canonical import canonical
from periplus.model import Approval, ApprovalState, Code, Decision, Principal, Problem, Tool
from periplus.ports import Clock, Ledger

_PURPOSE = "approval"
_PAGE = 500


class Bound(Leave, frozen=True, kw_only=True):
    """What a question will be bound to, before it has been put."""

    @property
    def binding(self) -> str:
        """The digest of principal, policy, tools and canonical arguments."""
        calls = [[one.ref, one.fingerprint, one.arguments, one.open, one.each] for one in self.calls]
        return hashlib.sha256(canonical([self.tenant, self.principal, self.policy, calls])).hexdigest()


def bound(principal: Principal, policy: str, calls: Sequence[tuple[Tool, dict[str, Any]]]) -> Bound:
    """The binding of one call, or of several under one question."""
    shown = tuple(Permitted(ref=str(tool.ref), fingerprint=tool.fingerprint, arguments=args) for tool, args in calls)
    return Bound(approval="", tenant=principal.tenant, principal=principal.id, policy=policy, calls=shown)


class Approvals:
    """Puts questions, takes answers, and lets each answer be used once."""

    def __init__(self, ledger: Ledger, clock: Clock, seal: Seal, lasts_s: float) -> None:
        self._ledger = ledger
        self._clock = clock
        self._seal = seal
        self._lasts_s = lasts_s

    async def ask(self, what: Bound, tools: Sequence[Tool], decision: Decision) -> Approval:
        """The open question for these calls, put now unless it is already."""
        shown = [without_secrets(tool, one.arguments) for tool, one in zip(tools, what.calls, strict=True)]
        single = len(what.calls) == 1 and not what.calls[0].each
        asked = msgspec.structs.replace(
            self._question(what, decision.rule, decision.reason),
            tool=what.calls[0].ref if single else _counted(len(tools)),
            arguments=shown[0] if single else _listed(what, shown),
            effect=max(tool.effect for tool in tools).word,
        )
        return await self._ledger.ask(asked)

    async def put(self, what: Bound, arguments: dict[str, Any], rule: str, reason: str) -> Approval:
        """The open or granted question that is about no tool but an answer; put now unless it is already."""
        return await self._ledger.ask(msgspec.structs.replace(self._question(what, rule, reason), arguments=arguments))

    def _question(self, what: Bound, rule: str, reason: str) -> Approval:
        """A question about the first of these calls, open from now on."""
        now = self._clock.now()
        return Approval(
            id=f"ap_{self._clock.token(8).hex()}",
            binding=what.binding,
            tenant=what.tenant,
            principal=what.principal,
            tool=what.calls[0].ref,
            arguments={},
            effect="write",
            rule=rule,
            reason=reason,
            asked_at=now,
            expires_at=now + self._lasts_s,
        )

    async def check(self, id_: str, what: Bound) -> None:
        """Refuse an approval that cannot be used for this, without using it."""
        approval = await self._ledger.approval(id_)
        if approval is None or (approval.tenant, approval.principal) != (what.tenant, what.principal):
            raise Problem(
                Code.NOT_FOUND, f"there is no approval {id_[:60]!r}", hints=("call without it to ask for one",)
            )
        if approval.state is ApprovalState.PENDING and approval.expires_at > self._clock.now():
            raise waiting(approval)
        if reason := self._unusable(approval, what):
            raise Problem(
                Code.CONFLICT, f"approval {id_} {reason}", hints=("call without an approval to ask for a new one",)
            )

    def _unusable(self, approval: Approval, what: Bound) -> str:
        if approval.state is ApprovalState.REFUSED:
            return f"was refused{f': {approval.settled_why}' if approval.settled_why else ''}"
        if approval.state is ApprovalState.SPENT:
            return "was used already; each is good for one use"
        if approval.state is not ApprovalState.GRANTED or approval.expires_at <= self._clock.now():
            return "has expired"
        if approval.binding != what.binding:
            return "was given for other arguments, another version of the tool or another policy"
        return "" if self._is_sealed(approval) else "is not one that this gateway granted"

    def _is_sealed(self, approval: Approval) -> bool:
        try:
            return list(self._seal.open(_PURPOSE, approval.grant)) == [approval.id, approval.binding]
        except Problem:
            return False

    async def spend(self, id_: str, what: Bound) -> None:
        """Use it, once; of two that come at the same time one is refused."""
        await self._ledger.spend(id_, what.binding, self._clock.now())

    async def settle(self, id_: str, by: Principal, *, grant: bool, why: str) -> Approval:
        """Write down an administrator's answer: who, when and why."""
        approval = await self._ledger.approval(id_)
        if approval is None or not oversees(by, approval.tenant):
            raise Problem(
                Code.NOT_FOUND, f"there is no approval {id_[:60]!r}", hints=("periplus approvals lists them",)
            )
        if not by.is_admin:
            raise Problem(Code.FORBIDDEN, f"{by.id} may not answer approvals", hints=('it takes the scope "admin"',))
        sealed = self._seal.seal(_PURPOSE, [approval.id, approval.binding]) if grant else ""
        return await self._ledger.settle(_answered(approval, by, self._clock.now(), sealed, why))

    async def listed(self, by: Principal, state: ApprovalState | None, limit: int) -> tuple[Approval, ...]:
        """The questions a principal may see: an administrator those of its tenant, others their own."""
        found: list[Approval] = []
        after = ""
        while len(found) < limit:
            page = await self._ledger.approvals(None if is_operator(by) else by.tenant, state, after, _PAGE)
            found += [one for one in page if by.is_admin or one.principal == by.id]
            if len(page) < _PAGE:
                break
            after = page[-1].id
        return tuple(found[:limit])


def waiting(approval: Approval) -> Problem:
    """The refusal of a call whose question has not been answered."""
    why = f": {approval.reason}" if approval.reason else ""
    return Problem(
        Code.APPROVAL_REQUIRED,
        f"{approval.tool}: a person has to approve this call ({approval.rule}{why})",
        hints=(
            f"periplus approvals grant {approval.id}",
            f"then make the same call with approval={approval.id!r}; it runs once",
        ),
        next_action={"op": "call", "args": {"approval": approval.id}},
        retryable=True,
        details={"approval": approval.id, "expires_at": approval.expires_at},
    )


def is_operator(principal: Principal) -> bool:
    """Whether somebody administers the gateway itself and not one tenant in it."""
    return principal.is_admin and not principal.tenant


def oversees(principal: Principal, tenant: str) -> bool:
    return is_operator(principal) or principal.tenant == tenant


def _counted(calls: int) -> str:
    return f"{calls} calls" if calls > 1 else "1 call, repeated"


def _listed(what: Bound, shown: list[dict[str, Any]]) -> dict[str, Any]:
    calls: list[dict[str, Any]] = []
    for one, arguments in zip(what.calls, shown, strict=True):
        each = {"for_each": one.each} if one.each else {}
        calls.append({"tool": one.ref, "arguments": arguments} | each)
    return {"calls": calls}


def _answered(approval: Approval, by: Principal, now: float, grant: str, why: str) -> Approval:
    return msgspec.structs.replace(
        approval,
        state=ApprovalState.GRANTED if grant else ApprovalState.REFUSED,
        settled_by=by.id,
        settled_at=now,
        settled_why=why,
        grant=grant,
    )
