"""Where everybody stands: the policy in force and the sources there are, as one judge for each principal."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import Any

from periplus.core.policy import Compiled, Judge, compile_policy
from periplus.model import Policy, Principal, Problem, Scope, SourceRecord, SourceSpec
from periplus.ports import Policies, Store

_KEPT = 1000


class Always:
    """A policy that does not change."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy

    def current(self) -> Policy:
        return self._policy

    def fault(self) -> Problem | None:
        return None


class Standing:
    """Judges for principals, made anew only when the policy or what sources allow has changed."""

    def __init__(self, store: Store, policies: Policies) -> None:
        self._store = store
        self._policies = policies
        self._compiled: tuple[Policy, Compiled] | None = None
        self._judges: OrderedDict[Any, Judge] = OrderedDict()

    async def judge(self, principal: Principal) -> Judge:
        judge, _ = await self.judge_and_sources(principal)
        return judge

    async def judge_and_sources(self, principal: Principal) -> tuple[Judge, Sequence[SourceRecord]]:
        """The principal's judge, and the sources as they were when it was made."""
        sources = await self._store.sources()
        policy = self.policy()
        openness = tuple((one.id, *_openness(one.spec)) for one in sources)
        key = (policy.version, principal, openness)
        judge = self._judges.get(key)
        if judge is None:
            judge = self._judges[key] = Judge(policy, principal, sources)
            if len(self._judges) > _KEPT:
                self._judges.popitem(last=False)
        else:
            self._judges.move_to_end(key)
        return judge, sources

    def scope(self, principal: Principal) -> Scope:
        """What the policy lets a principal see of what comes from no source."""
        policy = self.policy()
        key = (policy.version, principal, None)
        judge = self._judges.get(key)
        if judge is None:
            judge = self._judges[key] = Judge(policy, principal, ())
            if len(self._judges) > _KEPT:
                self._judges.popitem(last=False)
        return judge.scope

    def policy(self) -> Compiled:
        """The policy in force, compiled once."""
        policy = self._policies.current()
        if self._compiled is None or self._compiled[0] is not policy:
            self._compiled = (policy, compile_policy(policy))
        return self._compiled[1]

    def fault(self) -> Problem | None:
        """Why the policy file's present content is not in force."""
        return self._policies.fault()


def _openness(spec: SourceSpec) -> tuple[Any, ...]:
    return spec.enabled, spec.tenant, spec.principals, spec.guests
