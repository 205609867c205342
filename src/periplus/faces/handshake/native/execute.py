"""`POST /.well-known/elemm/execute`: an action, or several that build on each other, for a machine (H-74)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import msgspec

from periplus.core.mending.lenient import Leniency
from periplus.core.sequence.plan import Bounds
from periplus.faces.handshake import landmarks
from periplus.faces.handshake.errors import error_object, refusal
from periplus.faces.handshake.sites import Site
from periplus.faces.handshake.turn import Turn
from periplus.model import Code, Outcome, Problem, Result, Step, StepState

_WHOLE = 1 << 62
_HYGIENE = {"_select": "select", "_filter": "filter", "_limit": "limit", "_offset": "offset"}
_REFERENCE = re.compile(r"\$(?:step\d|[A-Za-z_][\w-]*(?:[.\[]|$))")
_EXAMPLE = '{"action": "berths:reserve", "parameters": {"berth": "B4"}}'


class Executed(msgspec.Struct, frozen=True, kw_only=True):
    """What came of it, and the HTTP status it would have for those who want one."""

    body: Any
    status: int = 200


async def execute(turn: Turn, site: Site, body: Any) -> Executed:
    """Run what was asked for; a refusal is an answer like others."""
    try:
        if not isinstance(body, dict):
            raise _bad("the body is no object")
        if "actions" in body:
            return await _several(turn, site, body)
        return await _one(turn, site, body)
    except Problem as problem:
        return Executed(body=_refused(turn, problem), status=problem.code.status.http)


async def _one(turn: Turn, site: Site, body: Mapping[str, Any]) -> Executed:
    parameters = _parameters(body)
    tool = await _tool(turn, site, body, parameters)
    _refuse_references(parameters, "")
    result = await turn.gateway.call(
        tool,
        _without_hygiene(parameters),
        principal=turn.principal,
        approval=str(body.get("approval_id") or ""),
        budget=_WHOLE,
        leniency=_leniency(turn),
        progress=turn.request.progress,
        **_hygiene(body, parameters),
    )
    return Executed(body=_given(result))


async def _several(turn: Turn, site: Site, body: Mapping[str, Any]) -> Executed:
    """A sequence of its own: what its steps give is known to them and to nobody else."""
    rows = body["actions"]
    if not isinstance(rows, list) or not rows:
        raise _bad("actions is no list of actions")
    steps = [await _step(turn, site, number, row) for number, row in enumerate(rows)]
    limits = turn.settings
    ran = await turn.gateway.run(
        steps,
        principal=turn.principal,
        approval=str(body.get("approval_id") or ""),
        leniency=_leniency(turn),
        bounds=Bounds(steps=limits.max_steps, calls=limits.max_calls, seconds=limits.sequence_seconds),
        progress=turn.request.progress,
    )
    made = [_outcome(turn, site, one) for one in ran.steps]
    status = ran.problem.code.status.http if ran.problem else 200
    return Executed(body=made, status=status)


async def _step(turn: Turn, site: Site, number: int, row: Any) -> Step:
    if not isinstance(row, dict):
        raise _bad(f"step {number} is no object")
    parameters = _parameters(row)
    return Step(
        tool=await _tool(turn, site, row, parameters),
        arguments=_without_hygiene(parameters),
        name=str(row.get("alias") or ""),
        condition=str(row.get("condition") or ""),
        goes_on=row.get("on_error") == "continue",
        **_hygiene(row, parameters),
    )


async def _tool(turn: Turn, site: Site, row: Mapping[str, Any], parameters: dict[str, Any]) -> str:
    name = row.get("action") or row.get("action_id")
    if not isinstance(name, str) or not name.strip():
        raise _bad("action is required")
    found = await landmarks.action(turn, site, name, dict(parameters))
    if found.tool is None:
        raise _bad(f"{name[:120]!r} is no action")
    return str(found.tool.ref)


def _parameters(row: Mapping[str, Any]) -> dict[str, Any]:
    given = row.get("parameters")
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


def _refuse_references(value: Any, pointer: str) -> None:
    """One action has no earlier ones: what would refer to them was never filled in (H-56, H-74)."""
    if isinstance(value, dict):
        for name, inner in value.items():
            _refuse_references(inner, f"{pointer}/{name}")
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            _refuse_references(inner, f"{pointer}/{place}")
    elif isinstance(value, str) and _REFERENCE.match(value.strip()):
        raise refusal(
            Code.PLACEHOLDER,
            f"{pointer}: {value[:80]!r} refers to a result that is not known here",
            "Send the value itself, or the actions it comes from in one request.",
        )


def _without_hygiene(parameters: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in parameters.items() if name not in _HYGIENE}


def _hygiene(row: Mapping[str, Any], parameters: Mapping[str, Any]) -> dict[str, Any]:
    """How much of the result is wanted, beside the parameters or among them."""
    said = {ours: row.get(name, parameters.get(name)) for name, ours in _HYGIENE.items()}
    return {name: value for name, value in said.items() if value is not None}


def _leniency(turn: Turn) -> Leniency:
    said = turn.settings
    return Leniency(unknown=said.unknown_parameters, repair=said.repair == "lossless", placeholders=said.placeholders)


def _given(result: Result) -> Any:
    """The payload as it is; with what there is to say beside it, inside the object of H-59."""
    page = result.meta.get("page")
    if not result.notes and not result.truncated and not page:
        if result.value is None:
            return {"status": "success", "data": None, "_INFO": "204 No Content"}
        return result.value
    made: dict[str, Any] = {"status": "success", "data": result.value}
    if result.truncated or page:
        start = page.get("offset", 0) if page else 0
        made["_HYGIENE_NOTICE"] = (
            f"{page['what']} {start + 1}-{start + page['shown']} of {page['total']}" if page else "cut"
        )
    return made | ({"_NOTES": list(result.notes)} if result.notes else {})


def _outcome(turn: Turn, site: Site, one: Outcome) -> dict[str, Any]:
    state = one.state
    made: dict[str, Any] = {
        "step": one.number,
        "action": one.tool,
        "alias": one.name or f"step{one.number}",
        "status": state.value,
        "duration_ms": round(one.ms),
        "result": _refused(turn, one.problem) if one.problem else one.value,
        "_truncated": bool(one.result and one.result.truncated),
    }
    if state in (StepState.OK, StepState.ERROR) and one.attempts > 1:
        made["attempts"] = one.attempts
    source = site.sources[0] if not site.is_catalog else ""
    made["action"] = one.tool.removeprefix(f"{source}/").replace("/", ":") if source else one.tool.replace("/", ":")
    return made


def _refused(turn: Turn, problem: Problem) -> dict[str, Any]:
    shown = error_object(problem)
    hidden = problem.code in (Code.INTERNAL, Code.STORE_ERROR)
    return shown | ({"trace_id": turn.request.trace} if hidden else {})


def _bad(message: str) -> Problem:
    return refusal(Code.BAD_INPUT, message, f"Send {_EXAMPLE}, or several as actions.", example=_EXAMPLE)
