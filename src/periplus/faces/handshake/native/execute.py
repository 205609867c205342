"""`POST /.well-known/elemm/execute`: an action, or several that build on each other, for a machine (H-74)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from periplus.core.mending.lenient import Leniency
from periplus.core.sequence.plan import Bounds
from periplus.faces.handshake import landmarks, sequences, steps
from periplus.faces.handshake.errors import error_object, refusal
from periplus.faces.handshake.faults import in_words
from periplus.faces.handshake.hygiene import split
from periplus.faces.handshake.results import Shown, shown
from periplus.faces.handshake.turn import Turn
from periplus.model import Code, Problem

_WHOLE = 1 << 40  # its caller decides how much of a result a model gets to see
_EXAMPLE = '{"action": "berths:reserve", "parameters": {"berth": "B4"}}'


class Executed(msgspec.Struct, frozen=True, kw_only=True):
    """What came of it, and the HTTP status it would have for those who want one."""

    body: Any
    status: int = 200


async def execute(turn: Turn, body: Any) -> Executed:
    """Run what was asked for; a refusal is an answer like others."""
    try:
        if not isinstance(body, dict):
            raise _bad("the body is no object")
        if "actions" in body:
            return await _several(turn, body)
        return Executed(body=_payload(await _one(turn, body)))
    except Problem as problem:
        return Executed(body=_refused(turn, problem), status=problem.code.status.http)


async def _one(turn: Turn, body: Mapping[str, Any]) -> Shown:
    """An action by itself; a reference in its parameters leads nowhere, since nothing is kept between requests."""
    gateway, who = turn.gateway, turn.principal
    name = body.get("action") or body.get("action_id")
    if not isinstance(name, str) or not name.strip():
        raise _bad("action is required")
    asked = _parameters(body.get("parameters"))
    filled = await gateway.filled(asked, principal=who)
    found = await landmarks.action(turn, await turn.site(), name, asked)
    if found.tool is None:
        raise await landmarks.unknown(turn, found.site, name)
    arguments, part = split(found.tool, filled, body)
    seen = next(iter(await gateway.seen([found.tool.ref], principal=who)), None)
    try:
        result = await gateway.call(
            str(found.tool.ref),
            arguments,
            principal=who,
            approval=str(body.get("approval_id") or ""),
            select=part.select,
            filter=part.filter,
            limit=part.limit,
            offset=part.offset,
            budget=_WHOLE,
            leniency=_leniency(turn),
            presented=turn.request.presented,
            progress=turn.request.progress,
            listener=turn.request.listener,
        )
    except Problem as problem:
        raise in_words(problem, seen, found.id, asked) from problem
    return shown(result, part, "", part.notes, _WHOLE)


async def _several(turn: Turn, body: Mapping[str, Any]) -> Executed:
    """A sequence of its own: what its steps give is known to them and to nobody else."""
    actions = body["actions"]
    if not isinstance(actions, list) or not actions:
        raise _bad("actions is no list of actions")
    course = await steps.read(turn, actions)
    limits = turn.settings
    try:
        ran = await turn.gateway.run(
            course.steps,
            principal=turn.principal,
            approval=str(body.get("approval_id") or ""),
            leniency=_leniency(turn),
            bounds=Bounds(steps=limits.max_steps, calls=limits.max_calls, seconds=limits.sequence_seconds),
            presented=turn.request.presented,
            progress=turn.request.progress,
            listener=turn.request.listener,
        )
    except Problem as problem:
        raise await sequences.refused(turn, problem, course.written, actions) from problem
    turn.settings = msgspec.structs.replace(limits, sequence_chars=_WHOLE)
    made = await sequences.told_rows(turn, course.written, ran)
    return Executed(body=made, status=ran.problem.code.status.http if ran.problem else 200)


def _parameters(given: Any) -> dict[str, Any]:
    if isinstance(given, str) and given.strip():
        try:
            given = msgspec.json.decode(given)
        except msgspec.DecodeError as error:
            raise _bad(f"parameters is a text that is no JSON: {error}") from error
    if given is None or given == "":
        return {}
    if not isinstance(given, dict):
        raise _bad("parameters is no object")
    return given


def _leniency(turn: Turn) -> Leniency:
    said = turn.settings
    return Leniency(unknown=said.unknown_parameters, repair=said.repair == "lossless", placeholders=said.placeholders)


def _payload(made: Shown) -> Any:
    """What is shown, as JSON: a text is the only payload that is not already."""
    return made.data if made.text == made.data else msgspec.Raw(made.text.encode())


def _refused(turn: Turn, problem: Problem) -> dict[str, Any]:
    told = error_object(problem)
    hidden = problem.code in (Code.INTERNAL, Code.STORE_ERROR)
    return told | ({"trace_id": turn.request.trace} if hidden else {})


def _bad(message: str) -> Problem:
    return refusal(Code.BAD_INPUT, message, f"Send {_EXAMPLE}, or several as actions.", example=_EXAMPLE)
