"""What an operator allows: rules on who may do what with which tools, and how often."""

from __future__ import annotations

import msgspec

from periplus.model.call import Action, Verdict


class Defaults(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[policy.defaults]`: what holds where no rule speaks."""

    discover: Verdict = Verdict.ALLOW  # seeing a tool and reading its schema; "deny" shows only what a rule allows
    read: Verdict = Verdict.ALLOW  # calling a tool that reads
    write: Verdict = Verdict.ALLOW  # calling a tool that changes something
    destroy: Verdict = Verdict.ASK  # calling a tool that destroys something
    connect: Verdict = Verdict.ALLOW  # adding a source through a face


class Rule(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One `[[policy.rules]]` table: all its conditions hold together; deny wins, then ask, then allow."""

    verdict: Verdict  # "allow", "ask" (a person is asked at the call) or "deny"
    name: str = ""  # how explanations call it; else its number
    principal: tuple[str, ...] = ("*",)  # globs on who asks; also "scope:NAME" and "tenant:NAME"
    action: tuple[Action, ...] = (Action.DISCOVER, Action.DESCRIBE, Action.CALL)  # of discover, describe, call, connect
    tools: tuple[str, ...] = ("*",)  # globs on refs; also "node:SOURCE/AREA" and "tag:NAME"
    effect: tuple[str, ...] = ()  # of read, write, destroy; empty: any
    when: str = ""  # JMESPath on the arguments: the rule speaks of calls for which it is true
    request: tuple[str, ...] = ()  # "GET https://api.example.com/admin/**": the rule speaks of such requests
    reason: str = ""  # what the caller is told


class Policy(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[policy]`: who may do what."""

    file: str = ""  # a TOML file with `rules` and `[defaults]` of its own, read anew when it changes; empty: these
    defaults: Defaults = Defaults()
    rules: tuple[Rule, ...] = ()


class Limit(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One `[[calls.limits]]` table: it holds for each principal it names, over all its tools together."""

    principal: tuple[str, ...] = ("*",)  # as in a policy rule
    tools: tuple[str, ...] = ("*",)  # as in a policy rule
    each: bool = False  # whether each of the tools has its own measure
    rate: tuple[str, ...] = ()  # "10/s", "600/m", "1000/d": how many calls; one for a day is a budget
    concurrency: int = 0  # how many at once; others wait
    timeout_seconds: float = 0.0  # how long one call may take, at most
    response_bytes: int = 0  # how large an answer may be, at most


class CallRules(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[calls]`: how large, how long and how often calls may be."""

    timeout_seconds: float = 30.0  # how long a call may take, where its tool and source do not say less; at most 300
    arguments_bytes: int = 8 << 20  # all arguments of a call together
    arguments_depth: int = 64  # how deep arguments may be nested
    result_bytes: int = 49_152  # a larger result is kept whole under a handle, and shown in part
    keep_seconds: int = 86_400  # how long a result is kept, at most
    keep_idle_seconds: int = 3600  # how long after its last use
    approval_seconds: int = 3600  # how long a question to a person stays open, and how long its answer can be used
    concurrency: int = 200  # calls of one principal at once; others wait
    upstream_concurrency: int = 100  # calls to one upstream at once; others wait
    attempts: int = 3  # how often a call that may be repeated is sent, at most
    breaker_failures: int = 8  # after so many failures in a row an upstream is left alone for a while
    breaker_seconds: float = 10.0  # how long
    session_idle_seconds: int = 86_400  # how long a conversation is remembered after its last use
    limits: tuple[Limit, ...] = ()  # further limits, by principal and tool
