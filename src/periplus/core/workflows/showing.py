"""Parts of definitions as answers show them to a session: texts filled in, checkpoints with how they stand."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

import msgspec

from periplus.core.workflows.call import Call, Done
from periplus.core.workflows.model import Activity, Checkpoint
from periplus.core.workflows.outlook import is_timed
from periplus.model import Code, Problem

_PROBLEMS = 20
_SUMMARY = (
    "id",
    "version",
    "title",
    "description",
    "rules",
    "variables",
    "executionModel",
    "initialActivity",
    "modes",
    "artifactLocations",
)


def shown_activity(call: Call, activity: Activity) -> dict[str, Any]:
    """An activity complete, with the texts that placeholders make of its messages and names."""
    body = copy.deepcopy(call.definition.activities[activity.id].body)
    for point in body.get("checkpoints", ()):
        _fill(call, point, "message")
    for step in body.get("steps", ()):
        for act in step.get("actions", ()):
            _fill(call, act, "message")
    for name in ("entryActions", "exitActions"):
        for act in body.get(name, ()):
            _fill(call, act, "message")
    for artifact in body.get("artifacts", ()):
        _fill(call, artifact, "name")
    return body


def _fill(call: Call, part: dict[str, Any], name: str) -> None:
    text = part.get(name)
    if isinstance(text, str) and (filled := call.facts.filled(text).value) != text:
        part[f"{name}_text"] = str(filled)


def show_workflow(call: Call, arguments: Mapping[str, Any]) -> Done:
    """get_workflow: short or whole, with the place of the session in it."""
    definition = call.definition
    if arguments.get("summary", True):
        body = {name: definition.body[name] for name in _SUMMARY if name in definition.body}
        body["activities"] = [{"id": one.id, "name": one.name, "required": one.required} for one in definition.valid()]
    else:
        body = dict(definition.body)
        body["activities"] = [loaded.body for loaded in definition.activities.values() if loaded.part]
    body["position"] = _position(call)
    return Done(body=body | load_problems(definition.problems), record=call.record, token=call.token)


def _position(call: Call) -> dict[str, Any]:
    current = call.is_current
    return {
        "activity": call.record.act if current else call.token.act,
        "pending": list(call.record.pending_ids() if current else ()),
        "completed": call.record.status == "completed",
    }


def load_problems(problems: Any) -> dict[str, Any]:
    """The first problems of a definition, and how many there are; nothing where there are none."""
    if not problems:
        return {}
    return {"load_problems": {"count": len(problems), "problems": [one.to_json() for one in problems[:_PROBLEMS]]}}


# --- checkpoints ------------------------------------------------------------------------------------------------


def find_checkpoint(call: Call, activity: Activity, id_: str) -> Checkpoint:
    """A checkpoint of an activity, else a problem with those it has."""
    point = call.checkpoint(activity, id_)
    if point is None:
        known = ", ".join(one.id for one in activity.checkpoints) or "none"
        raise Problem(Code.NOT_FOUND, f"Checkpoint not found: {id_} in {activity.id!r}", hints=(f"there are {known}",))
    return point


def show_checkpoint(call: Call, arguments: Mapping[str, Any]) -> Done:
    """get_checkpoint: one question ready to be shown; showing an open one is remembered."""
    activity = call.activity(str(arguments["activity_id"]))
    point = find_checkpoint(call, activity, str(arguments["checkpoint_id"]))
    filled = call.facts.filled(point.message)
    body = dict(authored_checkpoint(call, activity.id, point.id))
    body["message_text"] = str(filled.value)
    if filled.unresolved:
        body["unresolved"] = list(filled.unresolved)
    record, said = _standing(call, activity, point)
    return Done(body=body | said, record=record, token=call.token)


def authored_checkpoint(call: Call, activity: str, id_: str) -> Mapping[str, Any]:
    """A checkpoint as it is written, with defaults."""
    body = call.definition.activities[activity].body
    overrides = body.get("modeOverrides", {}).values()
    written = [*body.get("checkpoints", ()), *(point for one in overrides for point in one.get("checkpoints", ()))]
    return next(point for point in written if point["id"] == id_)


def _standing(call: Call, activity: Activity, point: Checkpoint) -> tuple[Any, dict[str, Any]]:
    """How a checkpoint stands in this session, and the record after it was shown."""
    record = call.record
    here = activity.id == record.act
    waiting = record.waiting(point.id) if here else None
    if waiting is None:
        return record, _settled(call, activity, point, here=here)
    said: dict[str, Any] = {
        "status": "pending",
        "answerable_in_ms": max(0, round(waiting.issued + call.rules.min_response_ms - call.now)),
    }
    if is_timed(point):
        said["auto_advance_in_ms"] = max(0, waiting.issued + (point.auto_advance_ms or 0) - call.now)
    if waiting.presented or not call.is_current:
        return record, said
    seen = msgspec.structs.replace(waiting, presented=call.now)
    pending = tuple(seen if one.id == point.id else one for one in record.pending)
    return msgspec.structs.replace(record, pending=pending), said


def _settled(call: Call, activity: Activity, point: Checkpoint, *, here: bool) -> dict[str, Any]:
    answers = [one for one in call.record.answers if one.activity == activity.id and one.checkpoint == point.id]
    if here:
        answers = [one for one in answers if one.visit == call.record.visit]
    if answers:
        last = answers[-1]
        return {"status": "answered", "answer": {"option": last.option} if last.option else {"dismissed": True}}
    return {"status": "not_issued" if point.required or not here else "optional"}
