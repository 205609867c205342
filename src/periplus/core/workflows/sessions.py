"""Which record a token means, and the next token of it (W-41, W-43, W-46, W-47, W-49)."""

from __future__ import annotations

from typing import Any, NamedTuple

import msgspec

from periplus.core.calls.approvals import is_operator
from periplus.core.sessions import Conversations
from periplus.core.workflows.call import OWN, Rules, Warned
from periplus.core.workflows.record import RUNS, SLOT, Record, Run, restored
from periplus.core.workflows.tokens import (
    SHORT,
    Signer,
    Token,
    invalid,
    session_token,
    stripped,
    unknown,
)
from periplus.model import Code, Event, Principal, Problem, Session
from periplus.ports import Clock

PREFIX = "workflow:"
_ANYBODY = "*"
"""The owner of sessions that everybody with a token may go on with."""


class Opened(NamedTuple):
    """A session as one call finds it."""

    session: Session
    record: Record
    token: Token
    warned: tuple[Warned, ...] = ()


class Records:
    """Session records in the store, found by token."""

    def __init__(self, conversations: Conversations, signer: Signer, rules: Rules, clock: Clock) -> None:
        self._conversations = conversations
        self._signer = signer
        self._rules = rules
        self._clock = clock

    def owner(self, principal: Principal) -> Principal:
        """Under whose name sessions of this principal are kept."""
        return principal if self._rules.bound else Principal(id=_ANYBODY, tenant=principal.tenant)

    async def open(self, text: str, principal: Principal) -> Opened:
        """The session a token is of, for the one who presents it."""
        text = stripped(text)
        if text.startswith(SHORT):
            return await self._by_handle(text, principal)
        token = session_token(self._signer.verified(text))
        session = await self._load(principal, token.sid)
        record = _record(session)
        if record is None:
            return await self._missing(token, session, principal)
        if token.wf != record.workflow:
            raise unknown()
        if token.seq > record.seq:
            self._check_restorable(token)
            warned = ((OWN, f"session restored: {token.sid} was ahead of its record"),)
            return Opened(session, restored(token, token.wf, self.now(), record), token, warned)
        return Opened(session, record, token)

    async def _missing(self, token: Token, session: Session, principal: Principal) -> Opened:
        """No record: somebody else's, one that expired, or one that was lost."""
        owner = await self._conversations.owner(PREFIX + token.sid)
        mine = self.owner(principal)
        if owner is not None and (owner.tenant, owner.id) != (mine.tenant, mine.id):
            raise unknown()
        if owner is not None:
            raise invalid("session expired")
        self._check_restorable(token)
        record = restored(token, token.wf, self.now(), None)
        return Opened(session, record, token, ((OWN, f"session restored: {token.sid} had lost its record"),))

    def _check_restorable(self, token: Token) -> None:
        ttl = self._rules.ttl_s
        if not self._rules.restore or (ttl and self._clock.now() - token.ts > ttl):
            raise invalid("session expired")

    async def _by_handle(self, text: str, principal: Principal) -> Opened:
        sid, seq = self._signer.opened_short(text)
        session = await self._load(principal, sid)
        record = _record(session)
        if record is None:
            owner, mine = await self._conversations.owner(PREFIX + sid), self.owner(principal)
            own = owner is not None and (owner.tenant, owner.id) == (mine.tenant, mine.id)
            raise invalid("session expired") if own else unknown()
        if seq > record.seq:
            raise unknown()
        return Opened(session, record, _token_of(record, seq))

    async def _load(self, principal: Principal, sid: str) -> Session:
        return await self._conversations.peek(self.owner(principal), PREFIX + sid)

    # --- writing --------------------------------------------------------------------------------------------

    def new(self, principal: Principal, record: Record) -> Session:
        """A session that is not stored yet."""
        owner = self.owner(principal)
        return Session(id=PREFIX + record.sid, principal=owner.id, tenant=owner.tenant)

    def issued(self, record: Record, token: Token) -> tuple[Record, Token, str]:
        """The next token of a session, and the record that knows of it."""
        token = msgspec.structs.replace(token, seq=record.seq + 1, ts=int(self._clock.now()), v=record.version)
        record = msgspec.structs.replace(record, seq=token.seq)
        if not self._rules.short:
            return record, token, self._signer.sign(token)
        return _with_run(record, token), token, self._signer.sign_short(token)

    async def write(self, session: Session, record: Record, event: Event | None) -> None:
        """Keep a record as it was changed, with the event that tells of it."""
        slot: dict[str, Any] = msgspec.to_builtins(record)
        session = msgspec.structs.replace(session, slots=session.slots | {SLOT: slot})
        if event is None:
            await self._conversations.save(session)
        else:
            await self._conversations.advance(session, event)

    async def recent(self, principal: Principal | None, limit: int) -> list[tuple[Session, Record]]:
        """The sessions used last; None: everybody's."""
        owner = self.owner(principal) if principal else None
        found = await self._conversations.recent(owner, PREFIX, limit)
        return [(one, record) for one in found if (record := _record(one))]

    async def inspected(self, principal: Principal, sid: str) -> tuple[Session, Record]:
        """A session for whoever may look at it: its owner, or the operator."""
        owner = await self._conversations.owner(PREFIX + sid) if is_operator(principal) else self.owner(principal)
        session = await self._conversations.peek(owner, PREFIX + sid) if owner else None
        record = _record(session) if session else None
        if session is None or record is None:
            raise Problem(
                Code.NOT_FOUND, f"there is no session {sid[:80]!r}", hints=("`periplus workflows sessions` lists them",)
            )
        return session, record

    def now(self) -> int:
        """Milliseconds since the epoch."""
        return int(self._clock.now() * 1000 + 1e-3)


def _record(session: Session) -> Record | None:
    slot = session.slots.get(SLOT)
    return msgspec.convert(slot, Record) if slot else None


def _token_of(record: Record, seq: int) -> Token:
    """The token that a handle stands for, by what is known of when it was issued."""
    run = next((one for one in reversed(record.runs) if one.seq <= seq), Run(0, 0, ""))
    visit = next((one for one in record.visits if one.number == run.visit), None)
    now = run.visit == record.visit
    return Token(
        wf=record.workflow,
        act=visit.activity if visit else "",
        skill=record.skill if now else "",
        cond=visit.condition if visit else "",
        v=record.version,
        seq=seq,
        ts=0,
        sid=record.sid,
        aid=run.agent,
        pcp=record.pending_ids() if now else (),
        pcpt=0,
        vis=run.visit,
    )


def _with_run(record: Record, token: Token) -> Record:
    visit = token.vis if isinstance(token.vis, int) else record.visit
    last = record.runs[-1] if record.runs else None
    if last and (last.visit, last.agent) == (visit, token.aid):
        return record
    return msgspec.structs.replace(record, runs=(*record.runs, Run(token.seq, visit, token.aid))[-RUNS:])
