"""A session as its operator sees it (W-96)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from periplus.core.redaction import redacted
from periplus.core.workflows.definition import Definition
from periplus.core.workflows.facts import Facts
from periplus.core.workflows.record import Record
from periplus.model import Session


def in_short(session: Session, record: Record) -> dict[str, Any]:
    """One line of a list."""
    return {
        "sid": record.sid,
        "workflow": record.workflow,
        "version": record.version,
        "status": record.status,
        "activity": record.act,
        "pending": list(record.pending_ids()),
        "seq": record.seq,
        "started": when(record.started),
        "principal": session.principal,
        "agents": [agent for agent in record.agents if agent],
    }


def whole(session: Session, record: Record, definition: Definition | None) -> dict[str, Any]:
    """Everything that is remembered, secrets redacted."""
    facts = Facts(definition, record) if definition else None
    variables = {
        name: {"value": value.value, "source": facts.source(name) if facts else value.source, "at": when(value.at)}
        for name, value in record.variables.items()
    }
    return in_short(session, record) | {
        "skipped": list(facts.skipped() if facts else record.skipped),
        "modes": [mode.id for mode in facts.modes] if facts else [],
        "waiting": [
            {"id": one.id, "issued": when(one.issued), "presented": when(one.presented)} for one in record.pending
        ],
        "answers": [
            {
                "activity": one.activity,
                "visit": one.visit,
                "checkpoint": one.checkpoint,
                "how": one.mode,
                "option": one.option or None,
                "at": when(one.at),
            }
            for one in record.answers
        ],
        "variables": redacted(variables),
        "visits": [
            {
                "number": one.number,
                "activity": one.activity,
                "condition": one.condition or None,
                "at": when(one.at),
                "steps": list(one.steps),
            }
            for one in record.visits
        ],
        "calls": [{"step": one.step, "tool": one.tool, "trace": one.call, "at": when(one.at)} for one in record.calls],
    }


def when(ms: int) -> str | None:
    """A moment as people read it."""
    return (
        datetime.fromtimestamp(ms / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z") if ms else None
    )
