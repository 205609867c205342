"""Calls of sessions: each changes a record and adds to the trail, or does neither."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from periplus.core.audit import Note
from periplus.core.workflows import steps, tracing
from periplus.core.workflows.asked import Answer, Asked, Room
from periplus.core.workflows.call import OWN, Call, Done, Warned
from periplus.core.workflows.entering import enter
from periplus.core.workflows.knowledge import show_resource, show_skill, show_skills
from periplus.core.workflows.looking import Looking
from periplus.core.workflows.outlook import check_gate
from periplus.core.workflows.people import agreed, asks_person
from periplus.core.workflows.record import Record
from periplus.core.workflows.responding import respond
from periplus.core.workflows.running import run_step
from periplus.core.workflows.sessions import Opened, Records
from periplus.core.workflows.showing import load_problems, show_checkpoint, show_workflow
from periplus.core.workflows.snapshot import Snapshot
from periplus.core.workflows.starting import begun, inherit, introduction, notice, startable
from periplus.core.workflows.timeline import steps_after, timeline
from periplus.core.workflows.tokens import Signer, check_size_of_traces, trace_token, unknown
from periplus.core.workflows.visible import within
from periplus.core.workflows.warnings import drifted
from periplus.model import Code, Principal, Problem

_TRIES = 20
_FREE = frozenset({"get_checkpoint", "respond_checkpoint", "next_activity", "start_session", "get_trace"})
_PURE: dict[str, Callable[[Call, Mapping[str, Any]], Done]] = {
    "get_workflow": show_workflow,
    "next_activity": enter,
    "get_checkpoint": show_checkpoint,
    "respond_checkpoint": respond,
    "get_skills": show_skills,
    "get_skill": show_skill,
    "get_resource": show_resource,
    "start_session": inherit,
}


class Walks:
    """Calls of sessions, one at a time for each session."""

    def __init__(self, room: Room) -> None:
        self._room = room
        self.rules = room.rules
        self.records = Records(room.conversations, room.sessions, room.rules, room.clock)
        self._looking = Looking(room.library)

    async def snapshot(self, principal: Principal) -> Snapshot:
        """The definitions as they are now, as far as a principal may see them."""
        return within(await self._looking.look(), self._room.standing.scope(principal))

    # --- sessions -------------------------------------------------------------------------------------------

    async def ask(self, asked: Asked) -> Answer:
        """One call of a session: it changes the record and adds to the trace, or does neither."""
        opened = await self._found(asked)
        sid = opened.record.sid if opened else ""
        async with self._room.audit.event("run", asked.principal, f"workflow/{asked.name}", session=sid) as note:
            try:
                return await self._tried(asked, opened, note)
            except Problem as problem:
                token = opened.token if opened else None
                seq = opened.record.seq if opened else -1
                step = tracing.Step(name=asked.name, token=token, seq=seq, error=problem.message)
                note.add(**step.detail())
                raise _outward(problem) from problem

    async def _found(self, asked: Asked) -> Opened | None:
        """The session a call is about; None where that cannot be told, which is said later."""
        text = asked.arguments.get("session_token")
        if not isinstance(text, str) or not text:
            return None
        try:
            return await self.records.open(text, asked.principal)
        except Problem as problem:
            asked.faults.append(problem)
            return None

    async def _tried(self, asked: Asked, opened: Opened | None, note: Note) -> Answer:
        arguments = asked.check()
        if asked.faults:
            raise asked.faults[0]
        if opened is None:
            return await self._start(asked, arguments, note)
        for _ in range(_TRIES):
            try:
                return await self._once(asked, arguments, opened, note)
            except Problem as problem:
                if problem.code is not Code.CONFLICT or problem.details.get("settled"):
                    raise
            opened = await self.records.open(str(arguments["session_token"]), asked.principal)
        raise Problem(
            Code.CONFLICT,
            f"many change session {opened.record.sid} at once",
            hints=("repeat the same call",),
            retryable=True,
        )

    async def _once(self, asked: Asked, arguments: Mapping[str, Any], opened: Opened, note: Note) -> Answer:
        call, around = await self._call(asked, opened, note)
        if asked.name not in _FREE:
            check_gate(call)
        done = await self._done(asked, arguments, call)
        told = [*around, *done.warned, *opened.warned]
        if not call.is_current and asked.name != "start_session" and not done.body.get("replayed"):
            told.append((OWN, f"stale token: the session is in {call.record.act!r} by now"))
        if asked.name == "get_trace":
            told = [one for one in told if one[0] == OWN]
        return await self._kept(asked, call, done, _in_order(told), opened, note)

    async def _call(self, asked: Asked, opened: Opened, note: Note) -> tuple[Call, list[Warned]]:
        snapshot = await self.snapshot(asked.principal)
        record = opened.record
        definition, is_broken = snapshot.running(record.workflow)
        definition = startable(definition, record.workflow, snapshot)
        call = Call(
            rules=self.rules,
            snapshot=snapshot,
            definition=definition,
            record=record,
            token=_settled(opened.token, record),
            now=self.records.now(),
            span=note.span,
        )
        around = list(drifted(definition, record))
        if is_broken:
            around.append((OWN, f"{definition.id} on disk is broken; the session goes on with its last good state"))
        return call, around

    async def _done(self, asked: Asked, arguments: Mapping[str, Any], call: Call) -> Done:
        if asked.name == "get_trace":
            return await self._trace(call, arguments)
        if asked.name == "run_step":
            return await run_step(asked, arguments, call)
        done = _PURE[asked.name](call, arguments)
        if asked.name == "respond_checkpoint" and not asked.agreed:
            point = asks_person(call, arguments)
            if point is not None:
                await agreed(call, point, str(arguments["option_id"]), self._room.approvals, asked.principal)
                asked.agreed.append(point.id)
        if asked.name == "next_activity" and not done.body.get("completed"):
            after = msgspec.structs.replace(call, record=done.record)
            activity = call.activity(done.record.act)
            await steps.with_tools(after, activity, done.body, asked.tools, asked.principal)
        return done

    async def _kept(
        self, asked: Asked, call: Call, done: Done, warned: tuple[str, ...], opened: Opened, note: Note
    ) -> Answer:
        record, token, text = self.records.issued(done.record, done.token)
        if asked.name == "get_trace":
            await self.records.write(opened.session, record, None)
            return Answer(body=done.body | {"session_token": text}, token=text, warnings=warned)
        step = tracing.Step(name=asked.name, token=call.token, seq=token.seq, warnings=warned, decided=done.decided)
        note.add(**step.detail())
        event = note.so_far()
        trace = record.trace_token if done.body.get("replayed") and asked.name == "next_activity" else ""
        if done.enters:
            own = tracing.told(event, record.sid)
            rows = await steps_after(self._room.ledger, record.sid, record.traced_row)
            events = [tracing.told(row.event, record.sid) for row in rows if row.event.span != record.traced_span]
            events.append(own)
            trace = tracing.stretch(self._room.traces, events, token, record.traced, call.record.act)
            record = msgspec.structs.replace(
                record,
                traced=record.traced + len(events),
                traced_row=rows[-1].seq if rows else record.traced_row,
                traced_span=event.span,
                trace_token=trace,
            )
        await self.records.write(opened.session, record, event)
        note.is_written(event)
        return Answer(body=done.body | {"session_token": text}, token=text, warnings=warned, trace_token=trace)

    # --- the start ------------------------------------------------------------------------------------------

    async def _start(self, asked: Asked, arguments: Mapping[str, Any], note: Note) -> Answer:
        if asked.name != "start_session":
            raise unknown()
        snapshot = await self.snapshot(asked.principal)
        wanted = str(arguments["workflow_id"])
        definition = startable(snapshot.find(wanted), wanted, snapshot)
        agent = str(arguments.get("agent_id", ""))
        record, token = begun(definition, agent, self._room.clock.token(16), self.records.now())
        others = [found for _, found in await self.records.recent(asked.principal, 20)]
        said = notice(others, definition.id)
        body = introduction(definition) | ({"notice": said} if said else {}) | load_problems(definition.problems)
        record, token, text = self.records.issued(record, token)
        note.add(**tracing.Step(name=asked.name, token=msgspec.structs.replace(token, aid=""), seq=token.seq).detail())
        note.belongs_to(record.sid)
        event = note.so_far()
        await self.records.write(self.records.new(asked.principal, record), record, event)
        note.is_written(event)
        return Answer(body=body | {"session_token": text}, token=text)

    # --- what needs more than a record ----------------------------------------------------------------------

    async def _trace(self, call: Call, arguments: Mapping[str, Any]) -> Done:
        sid = call.record.sid
        texts: Sequence[str] = arguments.get("trace_tokens") or ()
        if texts:
            check_size_of_traces(texts)
            body = tracing.from_tokens(sid, self._room.traces, texts, _read_trace)
        else:
            body = tracing.listing(sid, await timeline(self._room.ledger, sid))
        return Done(body=body, record=call.record, token=call.token)


def _settled(token: Any, record: Record) -> Any:
    """A token of another server counts its visits by ours."""
    if token.vis is not msgspec.UNSET:
        return token
    vis = record.visit if record.is_current(token) else max(record.visit - 1, 0)
    return msgspec.structs.replace(token, vis=vis)


def _in_order(warned: Sequence[Warned]) -> tuple[str, ...]:
    return tuple(text for _, text in sorted(warned, key=lambda one: one[0]))


def _read_trace(signer: Signer, text: str) -> Any:
    try:
        return trace_token(signer, text)
    except Problem:
        return None


def _outward(problem: Problem) -> Problem:
    if problem.code is not Code.STORE_ERROR:
        return problem
    return Problem(
        Code.UNAVAILABLE,
        f"the session cannot be read or written now: {problem.message}",
        hints=("repeat the same call",),
        retryable=True,
    )
