"""One principal before the policy: what it may see as a query, and what it may do as a decision."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from copy import copy
from typing import Any

import msgspec

from periplus.core.policy.compiled import Compiled, CompiledRule, is_of
from periplus.core.policy.principals import is_meant
from periplus.model import (
    EVERYTHING,
    Action,
    Decision,
    Prepared,
    Principal,
    Scope,
    Selector,
    SourceRecord,
    Tool,
    ToolRef,
    Verdict,
)

_ORDER = (Verdict.DENY, Verdict.ASK, Verdict.ALLOW)


class Considered(msgspec.Struct, frozen=True, kw_only=True):
    """A rule that was looked at, and why it did not speak; empty when it did."""

    rule: str
    verdict: Verdict
    silent: str = ""


class Explanation(msgspec.Struct, frozen=True, kw_only=True):
    """A decision, and what every rule had to say to it."""

    decision: Decision
    considered: tuple[Considered, ...]
    policy: str  # its version


class Judge:
    """The policy as it stands for one principal and the sources there are."""

    def __init__(self, policy: Compiled, principal: Principal, sources: Iterable[SourceRecord]) -> None:
        self.policy = policy
        self.principal = principal
        self._closed = frozenset(record.id for record in sources if not _open_to(principal, record))
        self._rules = tuple(rule for rule in policy.rules if is_meant(rule.rule.principal, principal))
        self.scope = self._scope()
        self._reached: ToolRef | None = None

    def led_to(self, tool: ToolRef) -> Judge:
        """The same where a permitted call led to a tool that is in no list: what no rule denies of it is allowed."""
        other = copy(self)
        other._reached = tool  # noqa: SLF001 - a copy of this
        other.scope = Scope(allow=(*self.scope.allow, Selector(ref=str(tool))), deny=self.scope.deny)
        return other

    def is_closed(self, source: str) -> bool:
        """Whether nothing of a source is for this principal."""
        return source in self._closed

    def decide(
        self,
        action: Action,
        tool: Tool,
        arguments: dict[str, Any] | None = None,
        prepared: Prepared | None = None,
    ) -> Decision:
        """The verdict, and the rule it comes from. What may not be seen may not be used either."""
        seen = self._seen(tool, Action.DISCOVER)
        if seen.verdict is Verdict.DENY or action is Action.DISCOVER:
            return seen
        if action is Action.DESCRIBE:
            return self._seen(tool, action)
        speaking = [
            rule
            for rule in self._rules
            if is_of(rule, action)
            and rule.covers(tool)
            and rule.condition_holds(arguments)
            and rule.request_meets(prepared)
        ]
        return _strongest(speaking) or self._default(tool)

    def connect(self, location: str) -> Decision:
        """Whether a source may be added from there."""
        prepared = Prepared(method="CONNECT", origin="", path=location)
        address = msgspec.structs.replace(prepared, origin=_host(location), path=_path(location))
        speaking = [rule for rule in self._rules if is_of(rule, Action.CONNECT) and rule.request_meets(address)]
        default = Decision(verdict=self.policy.defaults.connect, rule="default for connect")
        return _strongest(speaking) or default

    def explain(
        self, action: Action, tool: Tool, arguments: dict[str, Any] | None = None, prepared: Prepared | None = None
    ) -> Explanation:
        """The decision with the reason why each rule did or did not take part in it."""
        considered = tuple(
            Considered(
                rule=rule.name, verdict=rule.rule.verdict, silent=self._silent(rule, action, tool, arguments, prepared)
            )
            for rule in self.policy.rules
        )
        decision = self.decide(action, tool, arguments, prepared)
        return Explanation(decision=decision, considered=considered, policy=self.policy.version)

    def _silent(
        self,
        rule: CompiledRule,
        action: Action,
        tool: Tool,
        arguments: dict[str, Any] | None,
        prepared: Prepared | None,
    ) -> str:
        checks = (
            (rule in self._rules, "means other principals"),
            (action in rule.rule.action, "means other actions"),
            (is_of(rule, action), "has a condition, so it speaks of calls"),
            (rule.covers(tool), "means other tools"),
            (arguments is not None or not rule.is_conditional, "has a condition: give arguments to have it judged"),
            (rule.condition_holds(arguments), "its condition does not hold for these arguments"),
            (rule.request_meets(prepared), "means other requests"),
        )
        return next((why for holds, why in checks if not holds), "")

    def _default(self, tool: Tool) -> Decision:
        verdict: Verdict = getattr(self.policy.defaults, tool.effect.word)
        if tool.requires_approval and verdict is Verdict.ALLOW:
            return Decision(verdict=Verdict.ASK, rule="the tool itself", reason="it says that a person must approve")
        return Decision(verdict=verdict, rule=f"default for {tool.effect.word}")

    def _seen(self, tool: Tool, action: Action) -> Decision:
        if tool.source in self._closed:
            return Decision(verdict=Verdict.DENY, rule=f"source {tool.source}", reason="it is kept for others")
        rules = [rule for rule in self._rules if is_of(rule, action)]
        for rule in rules:
            if rule.rule.verdict is Verdict.DENY and rule.covers(tool):
                return Decision(verdict=Verdict.DENY, rule=rule.name, reason=rule.rule.reason)
        if tool.ref == self._reached:
            return Decision(verdict=Verdict.ALLOW, rule="the call that led to it")
        for rule in rules:
            if rule.rule.verdict is not Verdict.DENY and _shows(rule, tool):
                return Decision(verdict=Verdict.ALLOW, rule=rule.name, reason=rule.rule.reason)
        if tool.hidden and action is Action.DISCOVER:
            return Decision(verdict=Verdict.DENY, rule="the tool itself", reason="it is hidden")
        default = self.policy.defaults.discover
        verdict = Verdict.DENY if default is Verdict.DENY and action is Action.DISCOVER else Verdict.ALLOW
        return Decision(verdict=verdict, rule="default for discover")

    def _scope(self) -> Scope:
        """The same as `decide(DISCOVER)`, as a value that a query can apply."""
        rules = [rule for rule in self._rules if is_of(rule, Action.DISCOVER)]
        allowed = tuple(_selectors(rule for rule in rules if rule.rule.verdict is not Verdict.DENY))
        if self.policy.defaults.discover is not Verdict.DENY:
            # Only a rule that names a tool shows one that is hidden; the others add nothing to everything.
            allowed = EVERYTHING + tuple(one for one in allowed if one.names_one)
        denied = _selectors(rule for rule in rules if rule.rule.verdict is Verdict.DENY)
        closed = (Selector(ref=f"{source}/*") for source in sorted(self._closed))
        return Scope(allow=allowed, deny=(*closed, *denied))


def _selectors(rules: Iterable[CompiledRule]) -> Iterator[Selector]:
    return (selector for rule in rules for selector in rule.selectors)


def _shows(rule: CompiledRule, tool: Tool) -> bool:
    return any(one.admits(tool) and (not tool.hidden or one.names_one) for one in rule.selectors)


def _strongest(speaking: list[CompiledRule]) -> Decision | None:
    for verdict in _ORDER:
        for rule in speaking:
            if rule.rule.verdict is verdict:
                return Decision(verdict=verdict, rule=rule.name, reason=rule.rule.reason)
    return None


def _open_to(principal: Principal, record: SourceRecord) -> bool:
    spec = record.spec
    named = not spec.principals or "*" in spec.principals or principal.id in spec.principals
    invited = not spec.guests or principal.guest in spec.guests
    return spec.enabled and spec.tenant in ("", principal.tenant) and named and invited


def _host(location: str) -> str:
    scheme, mark, rest = location.partition("://")
    return f"{scheme}{mark}{rest.partition('/')[0]}" if mark else ""


def _path(location: str) -> str:
    _, mark, rest = location.partition("://")
    _, slash, path = rest.partition("/")
    return f"{slash}{path}" if mark else location
