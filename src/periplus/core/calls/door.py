"""The one door: every call goes through it in one order, and the trail has it before its caller gets the answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from periplus.core.audit import Audit, Note
from periplus.core.calls.answering import Answering
from periplus.core.calls.approvals import Approvals
from periplus.core.calls.asked import Asked, Bounds, Ready
from periplus.core.calls.checking import Checks
from periplus.core.calls.limits import Limits
from periplus.core.calls.permission import Permission
from periplus.core.calls.replay import Replays
from periplus.core.calls.results import Results
from periplus.core.calls.runs import Runs
from periplus.core.calls.sending import Sender, Sent
from periplus.core.calls.several import Several
from periplus.core.policy import Judge
from periplus.core.seal import Seal
from periplus.core.sessions import Conversations
from periplus.core.shaping.cut import size_of
from periplus.model import Prepared, Result, SourceRecord
from periplus.ports import CallWires, Clock, Ledger, Store, Transport


class Door(msgspec.Struct, frozen=True, kw_only=True):
    """What calls are made with."""

    store: Store
    ledger: Ledger
    clock: Clock
    seal: Seal
    sessions: Conversations
    audit: Audit
    transport: Callable[[str], Transport]
    wires: CallWires
    bounds: Bounds


class Calls:
    """Calls, one by one."""

    def __init__(self, door: Door) -> None:
        rules = door.bounds.rules
        self._door = door
        self._limits = Limits(rules, door.ledger, door.clock)
        self._sender = Sender(rules, door.clock, door.wires)
        self.results = Results(door.ledger, door.clock, door.seal, rules)
        self.checks = Checks(
            door.store, door.clock, door.transport, door.bounds, self._limits, self.results, door.sessions
        )
        self._replays = Replays(self.results)
        self.approvals = Approvals(door.ledger, door.clock, door.seal, rules.approval_seconds)
        self.runs = Runs(door.store, door.seal)
        self.permission = Permission(self.approvals)
        self.several = Several(door.store, self.checks, self.approvals)
        self.answering = Answering(self.results, self.checks.validators, rules.result_bytes)

    async def call(self, asked: Asked, judge: Judge, sources: Sequence[SourceRecord]) -> Result:
        """Check, permit, send, shape and record one call."""
        async with self._door.audit.event("call", asked.principal, asked.tool, session=asked.session) as note:
            ready = await self.checks.ready(asked, judge, sources, note)
            async with self._replays.running(asked):
                before = await self._replays.before(asked, ready)
                if before is not None:
                    note.ended("replayed")
                    return before
                result = await self._done(asked, ready, note)
                await self._replays.after(asked, ready, result)
        return result

    async def _done(self, asked: Asked, ready: Ready, note: Note) -> Result:
        await self.permission.check(asked, ready)
        async with self._limits.seat(asked.principal, ready.tool):
            await self._limits.draw(asked.principal, ready.tool)
            await self.permission.use(asked, ready)
            sent = await self._sender.send(self._door.transport(ready.site.spec.kind), ready)
        result = await self.answering.result(asked, ready, sent, note.trace)
        if run := self.runs.handle(ready.tool, sent.answer.meta, asked.principal):
            result = msgspec.structs.replace(result, run=run)
        _tell(note, asked, ready, sent, result)
        return result


def _tell(note: Note, asked: Asked, ready: Ready, sent: Sent, result: Result) -> None:
    """What the trail says of a call that went well, beside its arguments."""
    note.weighed(size_of(result.value))
    meta = sent.answer.meta
    told = {
        "request": _request(ready.prepared),
        "status": meta.get("http_status"),
        "received": meta.get("bytes"),
        "attempts": sent.attempts if sent.attempts > 1 else None,
        "approval": asked.approval or (asked.leave.approval if asked.leave else None),
        "handle": result.handle or None,
        "notes": list(result.notes)[:5] or None,
    }
    note.add(**{name: value for name, value in told.items() if value is not None})


def _request(prepared: Prepared) -> str:
    """A request as the trail names it, without the values in it."""
    template = prepared.template
    return f"{prepared.method} {prepared.origin}{'' if template.startswith('/') else ' '}{template}".rstrip()
