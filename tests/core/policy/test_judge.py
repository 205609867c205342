"""The policy: deny, then ask, then allow; and the same as a query and as a decision."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from periplus.core.policy import Judge, compile_policy
from periplus.model import (
    Action,
    Code,
    Defaults,
    Effect,
    Policy,
    Prepared,
    Principal,
    Problem,
    Rule,
    SourceRecord,
    SourceSpec,
    Tool,
    Verdict,
)

AGENT = Principal(id="agent-1", tenant="acme", scopes=frozenset({"crew"}))
_PRINCIPALS = st.builds(
    Principal,
    id=st.sampled_from(["agent-1", "agent-2", "boss"]),
    tenant=st.sampled_from(["", "acme", "other"]),
    scopes=st.frozensets(st.sampled_from(["admin", "crew"])),
)
_MEANT = st.lists(
    st.sampled_from(["*", "agent-*", "boss", "scope:crew", "scope:*", "tenant:acme", "nobody"]), min_size=1, max_size=2
)
_TOOLS = st.lists(
    st.sampled_from(
        ["*", "zoo/*", "zoo/a/*", "zoo/a/t0", "zoo-2/b/t1", "*/t?", "node:zoo", "node:zoo/a", "tag:x", "tag:*", "none"]
    ),
    min_size=1,
    max_size=2,
)
_RULES = st.builds(
    Rule,
    verdict=st.sampled_from(Verdict),
    principal=_MEANT.map(tuple),
    action=st.lists(st.sampled_from(Action), min_size=1, max_size=3).map(tuple),
    tools=_TOOLS.map(tuple),
    effect=st.lists(st.sampled_from(["read", "write", "destroy"]), max_size=2).map(tuple),
    when=st.sampled_from(["", "", "", "a == `1`"]),
    request=st.sampled_from([(), (), ("GET https://x/**",)]),
)
_POLICIES = st.builds(
    Policy,
    defaults=st.builds(Defaults, discover=st.sampled_from(Verdict), destroy=st.sampled_from(Verdict)),
    rules=st.lists(_RULES, max_size=6).map(tuple),
)
_CATALOG = st.lists(
    st.builds(
        lambda source, area, number, **members: Tool(
            source=source, path=f"{area}/t{number}", key="k", origin="", paths=(area,), **members
        ),
        source=st.sampled_from(["zoo", "zoo-2"]),
        area=st.sampled_from(["a", "b"]),
        number=st.integers(0, 2),
        tags=st.lists(st.sampled_from(["x", "y"]), max_size=1).map(tuple),
        effect=st.sampled_from(Effect),
        hidden=st.booleans(),
    ),
    max_size=8,
)
_SPECS = st.builds(
    lambda id_, tenant, principals, enabled: SourceRecord(
        spec=SourceSpec(id=id_, url="https://x", tenant=tenant, principals=principals, enabled=enabled)
    ),
    st.sampled_from(["zoo", "zoo-2"]),
    st.sampled_from(["", "acme"]),
    st.sampled_from([(), ("*",), ("boss",)]),
    st.booleans(),
)


@given(policy=_POLICIES, principal=_PRINCIPALS, catalog=_CATALOG, sources=st.lists(_SPECS, max_size=2))
@settings(max_examples=300, deadline=None)
def test_a_decision_lets_a_tool_be_seen_exactly_where_the_scope_admits_it(
    policy: Policy, principal: Principal, catalog: list[Tool], sources: list[SourceRecord]
) -> None:
    """T-30"""
    judge = Judge(compile_policy(policy), principal, sources)
    for tool in catalog:
        decision = judge.decide(Action.DISCOVER, tool)
        assert (decision.verdict is not Verdict.DENY) == judge.scope.admits(tool), decision
        if decision.verdict is Verdict.DENY:  # what may not be seen may not be used
            assert judge.decide(Action.CALL, tool, {"a": 1}).verdict is Verdict.DENY
            assert judge.decide(Action.DESCRIBE, tool).verdict is Verdict.DENY


@given(policy=_POLICIES, principal=_PRINCIPALS, catalog=_CATALOG)
@settings(max_examples=100, deadline=None)
def test_an_explanation_names_the_rule_that_decides_among_those_that_spoke(
    policy: Policy, principal: Principal, catalog: list[Tool]
) -> None:
    judge = Judge(compile_policy(policy), principal, [])
    for tool in catalog:
        told = judge.explain(Action.CALL, tool, {"a": 1}, Prepared(method="GET", origin="https://x", path="/y"))
        speaking = {one.rule for one in told.considered if not one.silent}
        rule = told.decision.rule
        assert not rule.startswith("rule ") or rule in speaking or not judge.scope.admits(tool)


def decided(
    *rules: Rule,
    effect: Effect = Effect.WRITE,
    arguments: dict[str, Any] | None = None,
    prepared: Prepared | None = None,
    defaults: Defaults | None = None,
    **members: Any,
) -> tuple[Verdict, str]:
    tool = Tool(
        source="harbour", path="berths/reserve", key="k", origin="", paths=("berths",), effect=effect, **members
    )
    judge = Judge(compile_policy(Policy(rules=rules, defaults=defaults or Defaults())), AGENT, [])
    decision = judge.decide(Action.CALL, tool, arguments, prepared)
    return decision.verdict, decision.rule


def test_what_no_rule_speaks_of_is_decided_by_its_effect() -> None:
    assert decided(effect=Effect.READ) == (Verdict.ALLOW, "default for read")
    assert decided(effect=Effect.WRITE) == (Verdict.ALLOW, "default for write")
    assert decided(effect=Effect.DESTROY) == (Verdict.ASK, "default for destroy")
    assert decided(effect=Effect.DESTROY, defaults=Defaults(destroy=Verdict.DENY))[0] is Verdict.DENY


def test_a_tool_that_wants_an_approval_asks_unless_a_rule_allows_it() -> None:
    assert decided(requires_approval=True) == (Verdict.ASK, "the tool itself")
    assert decided(Rule(verdict=Verdict.ALLOW), requires_approval=True) == (Verdict.ALLOW, "rule 1")


def test_deny_beats_ask_and_ask_beats_allow_in_any_order() -> None:
    allow, ask, deny = (Rule(verdict=one, action=(Action.CALL,)) for one in (Verdict.ALLOW, Verdict.ASK, Verdict.DENY))
    assert decided(allow, ask, deny)[0] is Verdict.DENY
    assert decided(deny, ask, allow)[0] is Verdict.DENY
    assert decided(allow, ask)[0] is decided(ask, allow)[0] is Verdict.ASK


def test_a_condition_looks_at_the_arguments() -> None:
    rule = Rule(verdict=Verdict.DENY, when="ship.length_m > `100`", reason="too long for us")
    assert decided(rule, arguments={"ship": {"length_m": 120}}) == (Verdict.DENY, "rule 1")
    assert decided(rule, arguments={"ship": {"length_m": 20}})[0] is Verdict.ALLOW
    assert decided(rule, arguments={})[0] is Verdict.ALLOW


def test_a_condition_that_cannot_be_answered_never_allows() -> None:
    odd = {"note": 5}
    assert decided(Rule(verdict=Verdict.DENY, when="contains(note, 'x')"), arguments=odd)[0] is Verdict.DENY
    allow = Rule(verdict=Verdict.ALLOW, when="contains(note, 'x')")
    assert decided(allow, arguments=odd, effect=Effect.DESTROY)[0] is Verdict.ASK


SLIPPERY = [
    "/admin/users",
    "/ADMIN/users",
    "/%61dmin/users",
    "/%2561dmin/users",
    "//admin/users",
    "/./admin/users",
    "/x/../admin/users",
    "/x/%2e%2e/admin/users",
    "/x%2F..%2Fadmin/users",
    "/admin;v=1/users",
    "/x\\..\\admin",
    "/admin",
    "/admin/",
    "/admin/users?x=1",
]


@pytest.mark.parametrize("path", SLIPPERY)
def test_no_spelling_of_a_path_slips_past_a_rule(path: str) -> None:
    """S-61"""
    rule = Rule(verdict=Verdict.DENY, request=("POST https://api.example.com/admin/**",))
    prepared = Prepared(method="post", origin="https://API.example.com:443", path=path)
    assert decided(rule, prepared=prepared) == (Verdict.DENY, "rule 1")


@pytest.mark.parametrize("path", ["/public/x", "/administrators", "/x/admin"])
def test_other_paths_are_not_meant(path: str) -> None:
    rule = Rule(verdict=Verdict.DENY, request=("POST https://api.example.com/admin/**",))
    prepared = Prepared(method="POST", origin="https://api.example.com", path=path)
    assert decided(rule, prepared=prepared)[0] is Verdict.ALLOW
    other = Prepared(method="GET", origin="https://api.example.com", path="/admin/x")
    assert decided(rule, prepared=other)[0] is Verdict.ALLOW


def test_a_rule_that_allows_a_path_allows_it_in_no_doubtful_spelling() -> None:
    rule = Rule(verdict=Verdict.ALLOW, request=("https://api.example.com/public/**",))
    shut = Defaults(write=Verdict.DENY)
    plain = Prepared(method="POST", origin="https://api.example.com", path="/public/x")
    sly = Prepared(method="POST", origin="https://api.example.com", path="/public/%2e%2e/admin")
    assert decided(rule, prepared=plain, defaults=shut)[0] is Verdict.ALLOW
    assert decided(rule, prepared=sly, defaults=shut)[0] is Verdict.DENY


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        (Rule(verdict=Verdict.DENY, when="ship.["), "not JMESPath"),
        (Rule(verdict=Verdict.DENY, effect=("erase",), name="mine"), "mine: 'erase' is no effect"),
        (Rule(verdict=Verdict.DENY, request=("GET a b c",)), "not a request pattern"),
        (Rule(verdict=Verdict.DENY, when="x" * 3000), "2,000 is the most"),
    ],
)
def test_a_rule_that_cannot_be_asked_is_refused_with_its_name(rule: Rule, words: str) -> None:
    with pytest.raises(Problem) as caught:
        compile_policy(Policy(rules=(rule,)))
    assert caught.value.code is Code.BAD_SETTING
    assert words in caught.value.message


def test_connecting_is_decided_by_rules_on_addresses() -> None:
    rules = (
        Rule(verdict=Verdict.ALLOW, action=(Action.CONNECT,), request=("https://*.example.com/**",)),
        Rule(verdict=Verdict.DENY, action=(Action.CONNECT,), request=("https://bad.example.com/**",)),
    )
    judge = Judge(compile_policy(Policy(rules=rules, defaults=Defaults(connect=Verdict.DENY))), AGENT, [])
    assert judge.connect("https://api.example.com/openapi.json").verdict is Verdict.ALLOW
    assert judge.connect("https://bad.example.com/openapi.json").verdict is Verdict.DENY
    assert judge.connect("https://elsewhere.net/x").verdict is Verdict.DENY
