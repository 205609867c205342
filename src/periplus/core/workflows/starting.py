"""start_session: a fresh session, or a place in one that runs (W-51)."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from periplus.core.workflows.call import Call, Done, broken
from periplus.core.workflows.definition import Definition
from periplus.core.workflows.entering import earliest
from periplus.core.workflows.record import Record
from periplus.core.workflows.showing import load_problems
from periplus.core.workflows.snapshot import Snapshot
from periplus.core.workflows.tokens import Token
from periplus.model import Code, Problem


def startable(definition: Definition | None, id_: str, snapshot: Snapshot) -> Definition:
    """A definition that a session can begin with, else a problem that says why it cannot."""
    if definition is None:
        near = ", ".join(snapshot.near(id_))
        hints = (f"nearest: {near}", "list_workflows has all") if near else ("there are none",)
        raise Problem(Code.NOT_FOUND, f"Workflow not found: {id_}", hints=hints)
    if definition.fatal or definition.workflow is None:
        raise broken(definition.id, definition.faults)
    return definition


def begun(definition: Definition, agent: str, randomness: bytes, now: int) -> tuple[Record, Token]:
    """A fresh session, before its first token is issued."""
    sid = str(uuid.UUID(bytes=randomness, version=4))
    record = Record(
        sid=sid,
        workflow=definition.id,
        version=definition.version,
        digest=definition.digest,
        started=now,
        agents=(agent,) if agent else (),
    )
    token = Token(
        wf=definition.id,
        act="",
        skill="",
        cond="",
        v=definition.version,
        seq=-1,
        ts=0,
        sid=sid,
        aid=agent,
        pcp=(),
        pcpt=0,
        vis=0,
    )
    return record, token


def introduction(definition: Definition) -> dict[str, Any]:
    """What a start says of the workflow."""
    workflow = {"id": definition.id, "version": definition.version, "title": definition.title}
    if "description" in definition.body:
        workflow["description"] = definition.body["description"]
    return {"workflow": workflow}


def notice(records: Sequence[Record], workflow: str) -> str:
    """A word to a worker that should have passed a token on."""
    running = [one for one in records if one.workflow == workflow and one.status == "running"]
    if not running:
        return ""
    at = running[0].act or "its start"
    others = f", and {len(running) - 1} more" if len(running) > 1 else ""
    return (
        f"You have a running session of {workflow!r} at {at}{others}. To go on in it, or to work for its orchestrator, "
        "call start_session with its session_token; this one is fresh and shares nothing with it."
    )


def inherit(call: Call, arguments: Mapping[str, Any]) -> Done:
    """A current token of a running session, for the agent that asks for it."""
    wanted = str(arguments["workflow_id"])
    if wanted not in (call.record.workflow, call.definition.id, call.definition.folder):
        raise Problem(
            Code.WORKFLOW_MISMATCH,
            f"Workflow mismatch: the token is of {call.record.workflow!r}, not {wanted!r}",
            hints=(f"pass workflow_id {call.record.workflow!r}", "or leave session_token out for a fresh session"),
        )
    record = call.record
    agent = str(arguments.get("agent_id", call.token.aid))
    record = msgspec.structs.replace(record, agents=tuple(dict.fromkeys((*record.agents, *filter(None, (agent,))))))
    token = msgspec.structs.replace(
        call.token,
        act=record.act,
        skill=record.skill,
        cond=record.cond,
        pcp=record.pending_ids(),
        pcpt=earliest(record),
        aid=agent,
        vis=record.visit,
    )
    body = introduction(call.definition) | {"inherited": True}
    if not call.is_current:
        body["resumed_from"] = {"seq": call.token.seq, "act": call.token.act}
    return Done(body=body | load_problems(call.definition.problems), record=record, token=token)
