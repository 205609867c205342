"""What a call of a session is, what it is served from, and what it is answered with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from periplus.core.audit import Audit
from periplus.core.calls.approvals import Approvals
from periplus.core.sessions import Conversations
from periplus.core.standing import Standing
from periplus.core.workflows import steps
from periplus.core.workflows.call import Rules
from periplus.core.workflows.library import Library
from periplus.core.workflows.tokens import Signer
from periplus.model import Principal, Problem, Result
from periplus.ports import Clock, Ledger, Store


class Room(msgspec.Struct, frozen=True, kw_only=True):
    """What workflows are served from."""

    library: Library
    rules: Rules
    sessions: Signer
    traces: Signer
    conversations: Conversations
    store: Store
    ledger: Ledger
    clock: Clock
    audit: Audit
    standing: Standing
    approvals: Approvals


class Asked(msgspec.Struct, kw_only=True):
    """One call as it came, and what of it has been done for good."""

    name: str
    arguments: Mapping[str, Any]
    check: Callable[[], Mapping[str, Any]]
    principal: Principal
    tools: steps.Tools
    approval: str = ""
    presented: Mapping[str, str] = {}
    faults: list[Problem] = []
    results: list[Result] = []
    agreed: list[str] = []


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What a call of a session is answered with."""

    body: dict[str, Any]
    token: str
    warnings: tuple[str, ...] = ()
    trace_token: str = ""
