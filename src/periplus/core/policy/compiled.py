"""A policy made ready to be asked: whatever is wrong with it is said now, and not at a call."""

from __future__ import annotations

import hashlib
from typing import Any

import jmespath
import msgspec
from jmespath.exceptions import JMESPathError
from jmespath.parser import ParsedResult

from periplus.core.policy.requests import RequestPattern, request_pattern
from periplus.model import Action, Code, Defaults, Effect, Policy, Prepared, Problem, Rule, Selector, Tool, Verdict

_LONGEST = 2000
_MOST_RULES = 5000
_encode = msgspec.json.Encoder(order="deterministic").encode


class CompiledRule(msgspec.Struct, frozen=True, kw_only=True):
    """A rule whose every condition can be asked."""

    name: str
    rule: Rule
    selectors: tuple[Selector, ...]
    when: ParsedResult | None
    requests: tuple[RequestPattern, ...]

    @property
    def is_conditional(self) -> bool:
        """Whether it speaks of some calls only, so that it says nothing of what may be seen."""
        return self.when is not None or bool(self.requests)

    def covers(self, tool: Tool) -> bool:
        return any(selector.admits(tool) for selector in self.selectors)

    def condition_holds(self, arguments: dict[str, Any] | None) -> bool:
        """Whether `when` is true; one that fails on these arguments holds unless the rule allows something."""
        if self.when is None or arguments is None:
            return self.when is None  # what is not known yet is judged at the call
        try:
            value = self.when.search(arguments)
        except JMESPathError:
            return self.rule.verdict is not Verdict.ALLOW
        return value not in (None, False, "", [], {})

    def request_meets(self, prepared: Prepared | None) -> bool:
        if not self.requests:
            return True
        if prepared is None:
            return False  # as above
        allows = self.rule.verdict is Verdict.ALLOW
        return any(one.meets(prepared, strict=allows) for one in self.requests)


class Compiled(msgspec.Struct, frozen=True, kw_only=True):
    """A policy and its version: approvals are bound to it."""

    version: str
    defaults: Defaults
    rules: tuple[CompiledRule, ...]


def compile_policy(policy: Policy) -> Compiled:
    """The policy ready to be asked, or `bad_setting` with the rule that is at fault."""
    if len(policy.rules) > _MOST_RULES:
        raise Problem(Code.BAD_SETTING, f"the policy has {len(policy.rules):,} rules; {_MOST_RULES:,} is the most")
    rules = tuple(_compiled(rule, number) for number, rule in enumerate(policy.rules, 1))
    told = _encode((policy.defaults, policy.rules))
    return Compiled(version=hashlib.sha256(told).hexdigest()[:16], defaults=policy.defaults, rules=rules)


def _compiled(rule: Rule, number: int) -> CompiledRule:
    name = rule.name or f"rule {number}"
    try:
        return CompiledRule(
            name=name,
            rule=rule,
            selectors=tuple(selector(text, rule.effect) for text in rule.tools),
            when=_condition(rule.when) if rule.when else None,
            requests=tuple(request_pattern(text) for text in rule.request),
        )
    except Problem as problem:
        raise Problem(Code.BAD_SETTING, f"{name}: {problem.message}", hints=problem.hints) from problem


def selector(text: str, effect: tuple[str, ...] = ()) -> Selector:
    """`node:SOURCE/AREA`, `tag:NAME`, or a glob on refs, narrowed to effects."""
    effects = frozenset(_effect(word) for word in effect) or None
    kind, colon, name = text.partition(":")
    if colon and kind == "node":
        return Selector(node=name, effects=effects)
    if colon and kind == "tag":
        return Selector(tag=name, effects=effects)
    return Selector(ref=text, effects=effects)


def _effect(word: str) -> Effect:
    found = Effect.of(word)
    if found is None:
        raise Problem(Code.BAD_SETTING, f"{word!r} is no effect", hints=("use read, write or destroy",))
    return found


def _condition(text: str) -> ParsedResult:
    if len(text) > _LONGEST:
        raise Problem(Code.BAD_SETTING, f"a condition has {len(text):,} characters; {_LONGEST:,} is the most")
    try:
        return jmespath.compile(text)
    except JMESPathError as error:
        message = " ".join(str(error).split())[:200]
        raise Problem(
            Code.BAD_SETTING, f"not JMESPath: {text[:120]!r}: {message}", hints=("numbers stand in backticks: `5`",)
        ) from error


def is_of(rule: CompiledRule, action: Action) -> bool:
    """Whether a rule speaks of an action: conditions can only be judged at a call."""
    return action in rule.rule.action and (action in (Action.CALL, Action.CONNECT) or not rule.is_conditional)
