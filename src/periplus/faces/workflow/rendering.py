"""Answers as this protocol writes them: one compact object, the same for models and for programs (W-9, W-10)."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import Any

import msgspec

from periplus.core.workflows.snapshot import Snapshot
from periplus.core.workflows.workflows import Answer
from periplus.model import Code, Problem
from periplus.ports import Reply

_encode = msgspec.json.Encoder(enc_hook=str).encode


def plain(body: dict[str, Any]) -> Reply:
    """An answer outside a session."""
    return Reply(body=body, text=_encode(body).decode(), structured=body)


def walked(answer: Answer) -> Reply:
    """An answer of a session: its new token stands in the body and beside it."""
    validation = {"status": "warning" if answer.warnings else "valid", "warnings": list(answer.warnings)}
    meta: dict[str, Any] = {"session_token": answer.token, "validation": validation}
    if answer.trace_token:
        meta["trace_token"] = answer.trace_token
    body = answer.body
    return Reply(body=body | {"_meta": meta}, text=_encode(body).decode(), structured=body, meta=meta)


def refused(problem: Problem) -> Reply:
    """What was wrong, a line for each hint, and the call that helps."""
    said = problem.to_json()
    details = {name: value for name, value in said.pop("details", {}).items() if name not in ("retry_after", "settled")}
    if details:
        said["details"] = details
    body = {"error": said}
    lines = [problem.message, *problem.hints]
    if problem.next_action:
        args = _encode(problem.next_action.get("args", {})).decode()
        lines.append(f"next: {problem.next_action.get('op')} {args}")
    return Reply(body=body, text="\n".join(lines), structured=body, problem=problem)


def unknown_tool(name: str, known: Sequence[str]) -> Problem:
    """The refusal of a name that is no operation."""
    near = difflib.get_close_matches(name, known, n=3, cutoff=0.4)
    hint = f"nearest: {', '.join(near)}" if near else f"there are {', '.join(known)}"
    return Problem(Code.NOT_FOUND, f"there is no tool {name[:80]!r}", hints=(hint,))


def discovery(snapshot: Snapshot, server: str, version: str) -> dict[str, Any]:
    """Where to begin."""
    offered = [one for one in snapshot.listed() if not one.fatal]
    broken = [one.id for one in snapshot.listed() if one.fatal]
    body: dict[str, Any] = {
        "server": server,
        "version": version,
        "available_workflows": [{"id": one.id, "title": one.title, "version": one.version} for one in offered],
        "discovery": snapshot.bootstrap(),
    }
    return body | ({"broken_workflows": broken} if broken else {})


def listing(snapshot: Snapshot) -> Reply:
    """Every workflow; as text a list, as structure an object that also has all problems."""
    rows: list[dict[str, Any]] = []
    for one in snapshot.listed():
        row: dict[str, Any] = {"id": one.id, "title": one.title, "version": one.version}
        if "description" in one.body:
            row["description"] = one.body["description"]
        if one.fatal:
            row["status"] = "broken"
            row["problems"] = [problem.to_json() for problem in one.problems]
        rows.append(row)
    body = {"workflows": rows, "problems": [problem.to_json() for problem in snapshot.problems()]}
    return Reply(body=body, text=_encode(rows).decode(), structured=body)


def health(snapshot: Snapshot, server: str, version: str, uptime: int, *, is_degraded: bool) -> dict[str, Any]:
    """How the server is."""
    return {
        "status": "degraded" if is_degraded or snapshot.away else "healthy",
        "server": server,
        "version": version,
        "workflows_available": sum(not one.fatal for one in snapshot.listed()),
        "uptime_seconds": uptime,
        "workflows_broken": sum(one.fatal for one in snapshot.listed()),
        "load_problems": len(snapshot.problems()),
    }
