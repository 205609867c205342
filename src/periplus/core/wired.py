"""What a gateway is wired from, and the mechanisms that its verbs share."""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Sequence
from functools import cached_property

import msgspec

from periplus.core.audit import Audit, AuditRules
from periplus.core.calls.asked import Bounds
from periplus.core.calls.door import Calls, Door
from periplus.core.charts import Charts
from periplus.core.cursor import Cursors
from periplus.core.direct import Direct
from periplus.core.indexing import Indexing
from periplus.core.intake.placing import Placing
from periplus.core.jobs import Jobs, Start
from periplus.core.keys import ApiKeys
from periplus.core.seal import Seal, SigningKey
from periplus.core.searching import Searching
from periplus.core.sequence.values import Values
from periplus.core.sessions import Conversations
from periplus.core.sourcing import Room, Sourcing
from periplus.core.standing import Always, Standing
from periplus.core.survey import Surveys
from periplus.core.trail import Trail
from periplus.core.workflows.call import Rules
from periplus.core.workflows.library import Library
from periplus.core.workflows.tokens import INTEROP_KID, SESSION, TRACE, Signer
from periplus.core.workflows.workflows import Room as WorkflowRoom
from periplus.core.workflows.workflows import Workflows
from periplus.model import Policy, SourceSpec
from periplus.ports import (
    CallWires,
    Clock,
    Keys,
    Ledger,
    Policies,
    SearchEngine,
    Sessions,
    Source,
    Store,
    Tracing,
    Transport,
    Wires,
)


class WorkflowParts(msgspec.Struct, frozen=True, kw_only=True):
    """What workflows are served from."""

    library: Library
    rules: Rules
    interop_key: bytes | None = None  # a key shared with a server whose tokens are good here too


class Parts(msgspec.Struct, frozen=True, kw_only=True):
    """What the gateway is wired from; `app.py` chooses them."""

    store: Store
    ledger: Ledger
    sessions: Sessions
    keys: Keys
    clock: Clock
    seal: Seal
    source: Callable[[str], Source]  # by kind; raises a problem that names the kinds there are
    locate: Callable[[str], SourceSpec]  # what a person writes for a source: a URL, a file, `kind:...`
    wires: Callable[[SourceSpec], Wires]
    upstream_log: Callable[[str], Sequence[str]]  # by source: what its process wrote to stderr
    let_go: Callable[[str], Awaitable[None]]  # by source: end its process and its connections
    transport: Callable[[str], Transport]  # by kind; raises a problem that names the kinds there are
    call_wires: CallWires
    engine: Callable[[], SearchEngine]  # loads it: a model and index files, not needed to browse
    learns: bool = True  # whether searches remember what was called after them
    policies: Policies = Always(Policy())
    bounds: Bounds = Bounds()
    placing: Placing = Placing()
    audit: AuditRules = AuditRules()
    tracing: Tracing | None = None
    start: Start  # work that goes on after its asker was answered, until the gateway closes
    workflows: WorkflowParts | None = None


class Wired:
    """The mechanisms of one gateway. They keep nothing that another process would miss: all of that is in the store."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._audit = Audit(parts.ledger, parts.clock, parts.audit, parts.tracing)
        self.trail = Trail(parts.ledger)
        self._standing = Standing(parts.store, parts.policies)
        self._cursors = Cursors(parts.seal)
        self._jobs = Jobs(parts.start)
        indexing = Indexing(parts.store, parts.clock, parts.engine, self._jobs)
        self._searching = Searching(parts.store, parts.clock, self._cursors, indexing, learns=parts.learns)
        self._direct = Direct(parts.store)
        self._surveys = Surveys(parts.store, self._cursors, self._searching)
        self._sourcing = Sourcing(_room(parts, self._standing))
        self._charts = Charts(parts.store)
        self._sessions = Conversations(parts.sessions, parts.clock, parts.bounds.rules.session_idle_seconds)
        self._calls = Calls(_door(parts, self._audit, self._sessions))
        self._keys = ApiKeys(parts.keys, parts.clock, parts.seal)
        rules = parts.bounds.rules
        self._values = Values(self._sessions, self._calls.results, parts.clock, parts.seal, lasts_s=rules.keep_seconds)

    @cached_property
    def _workflows(self) -> Workflows | None:
        """Made when the first one asks: keys are derived for it, and most gateways serve none."""
        parts, made = self._parts, self._parts.workflows
        if made is None:
            return None
        rules = made.rules
        return Workflows(
            WorkflowRoom(
                library=made.library,
                rules=rules,
                sessions=_signer(parts, SESSION, made.interop_key),
                traces=_signer(parts, TRACE, made.interop_key),
                conversations=Conversations(parts.sessions, parts.clock, rules.ttl_s or math.inf),
                store=parts.store,
                ledger=parts.ledger,
                clock=parts.clock,
                audit=self._audit,
                standing=self._standing,
                approvals=self._calls.approvals,
            )
        )

    @property
    def clock(self) -> Clock:
        """The clock of everything that goes through here; faces and hosts use no other."""
        return self._parts.clock

    @property
    def seal(self) -> Seal:
        """What makes and opens sealed tokens, for protocols that hand out some of their own."""
        return self._parts.seal


def _signer(parts: Parts, purpose: str, interop: bytes | None) -> Signer:
    if interop is not None:
        return Signer((SigningKey(id=INTEROP_KID, secret=interop),))
    return Signer(parts.seal.signing(purpose))


def _room(parts: Parts, standing: Standing) -> Room:
    return Room(
        store=parts.store,
        clock=parts.clock,
        standing=standing,
        source=parts.source,
        locate=parts.locate,
        wires=parts.wires,
        let_go=parts.let_go,
        placing=parts.placing,
    )


def _door(parts: Parts, audit: Audit, sessions: Conversations) -> Door:
    return Door(
        store=parts.store,
        ledger=parts.ledger,
        clock=parts.clock,
        seal=parts.seal,
        sessions=sessions,
        audit=audit,
        transport=parts.transport,
        wires=parts.call_wires,
        bounds=parts.bounds,
    )
