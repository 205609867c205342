"""next_activity: a new visit, the same one again, or the end (W-53, W-54, W-75)."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import msgspec

from periplus.core.workflows.call import OWN, Call, Done, Warned
from periplus.core.workflows.model import Activity
from periplus.core.workflows.outlook import at_the_end, check_gate, outlook
from periplus.core.workflows.record import Pending, Record, Visit
from periplus.core.workflows.showing import shown_activity
from periplus.core.workflows.transitions import entries_of
from periplus.core.workflows.warnings import on_activities, on_entering
from periplus.documents import canonical
from periplus.model import Code, Problem

END = "__terminal__"
_ASKED = ("activity_id", "transition_condition", "step_manifest", "activity_manifest")


def enter(call: Call, arguments: Mapping[str, Any]) -> Done:
    """Go where the caller wants, if the gate is open."""
    target = str(arguments["activity_id"])
    request = _digest(arguments)
    if not call.is_current:
        return _replayed(call, target, request)
    check_gate(call, target)
    if target not in call.definition.activities and target in call.rules.terminal:
        return _ended(call, target, arguments, request)
    activity = _activity(call, target)
    if target == call.record.act and not _begins_anew(call, activity, arguments):
        return _again(call, activity, arguments)
    return _entered(call, activity, arguments, request)


def _digest(arguments: Mapping[str, Any]) -> str:
    """What a repeated call is recognised by."""
    asked = {name: arguments[name] for name in _ASKED if name in arguments}
    return hashlib.sha256(canonical(asked)).hexdigest()[:16]


def _activity(call: Call, target: str) -> Activity:
    here = call.definition.activities.get(call.record.act)
    named = here.part and target in {entry.to for entry in entries_of(here.part, call.facts.modes)} if here else False
    if target not in call.definition.activities and named:
        known = ", ".join(call.definition.activities)
        raise Problem(
            Code.NOT_FOUND,
            f"Activity not found: {target}; the definition names it as a target of {call.record.act!r}",
            hints=(f"there are {known}", "the definition has to be mended"),
        )
    return call.activity(target)


def _begins_anew(call: Call, activity: Activity, arguments: Mapping[str, Any]) -> bool:
    """Whether the present activity is entered once more rather than looked at again; open questions forbid it."""
    stay = call.record.stay
    if call.record.pending or stay is None:
        return stay is None
    if stay.requested == activity.id:
        return True
    lists_itself = any(entry.to == activity.id for entry in entries_of(activity, call.facts.modes))
    return lists_itself and "step_manifest" in arguments


def _entered(call: Call, activity: Activity, arguments: Mapping[str, Any], request: str) -> Done:
    before, condition = call.record, str(arguments.get("transition_condition", ""))
    warned = [*on_entering(call, activity.id, arguments), *_reopened(before)]
    points = [point for point in call.checkpoints(activity) if point.required]
    stay = Visit(
        number=before.visit + 1,
        activity=activity.id,
        came_from=before.visit,
        first_seq=call.seq,
        at=call.now,
        condition=condition,
        request=request,
        issued=tuple(point.id for point in points),
    )
    record = msgspec.structs.replace(
        before,
        status="running",
        act=activity.id,
        cond=condition,
        visit=stay.number,
        pending=tuple(Pending(id=point.id, issued=call.now) for point in points),
        visits=(*_left(before, arguments), stay),
    )
    return _done(call, activity, record, arguments, warned)


def _again(call: Call, activity: Activity, arguments: Mapping[str, Any]) -> Done:
    """The same visit: answers and timers stay; only checkpoints that are new in the definition are added."""
    before, stay = call.record, call.record.stay
    issued = stay.issued if stay else ()
    new = [point.id for point in call.checkpoints(activity) if point.required and point.id not in issued]
    new = [id_ for id_ in new if before.answer(id_) is None]
    condition = str(arguments.get("transition_condition", before.cond))
    visits = before.visits
    if stay:
        visits = (*visits[:-1], msgspec.structs.replace(stay, issued=(*issued, *new), condition=condition))
    record = msgspec.structs.replace(
        before,
        cond=condition,
        pending=(*before.pending, *(Pending(id=id_, issued=call.now) for id_ in new)),
        visits=visits,
    )
    return _done(call, activity, record, arguments, list(on_activities(call, arguments)))


def _done(call: Call, activity: Activity, record: Record, arguments: Mapping[str, Any], warned: list[Warned]) -> Done:
    after = msgspec.structs.replace(call, record=record)
    body = shown_activity(after, activity)
    body["next"] = outlook(after, activity)
    return Done(
        body=body,
        record=record,
        token=placed(call, record),
        warned=tuple(warned),
        decided=_decided(activity.id, arguments),
        enters=True,
    )


def _decided(target: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    decided: dict[str, Any] = {"to": target}
    if "transition_condition" in arguments:
        decided["cond"] = arguments["transition_condition"]
    manifest = arguments.get("step_manifest")
    if manifest is not None:
        decided["steps"] = [one["step_id"] for one in manifest]
        decided["digest"] = hashlib.sha256(canonical(manifest)).hexdigest()[:16]
    return decided


def placed(call: Call, record: Record) -> Any:
    """The caller's token, moved to where the session is now."""
    return msgspec.structs.replace(
        call.token,
        act=record.act,
        cond=record.cond,
        pcp=record.pending_ids(),
        pcpt=earliest(record),
        vis=record.visit,
    )


def earliest(record: Record) -> int:
    """When the oldest open question was asked, in seconds; 0 when none is open."""
    return min((one.issued for one in record.pending), default=0) // 1000


def _left(record: Record, arguments: Mapping[str, Any]) -> tuple[Visit, ...]:
    """The visits so far, the last one with what was reported of it."""
    manifest = arguments.get("step_manifest")
    if not record.stay or manifest is None:
        return record.visits
    steps = tuple(str(one["step_id"]) for one in manifest)
    return (*record.visits[:-1], msgspec.structs.replace(record.stay, steps=steps))


def _reopened(record: Record) -> list[Warned]:
    return [(OWN, f"the workflow was complete; {record.sid} goes on")] if record.status == "completed" else []


def _ended(call: Call, target: str, arguments: Mapping[str, Any], request: str) -> Done:
    before = call.record
    if before.act in call.rules.terminal:
        return _over(call, before, [])
    warned = list(on_entering(call, target, arguments))
    stay = Visit(
        number=before.visit + 1,
        activity=END,
        came_from=before.visit,
        first_seq=call.seq,
        at=call.now,
        request=request,
    )
    record = msgspec.structs.replace(
        before,
        status="completed",
        act=END,
        cond=str(arguments.get("transition_condition", "")),
        visit=stay.number,
        pending=(),
        visits=(*_left(before, arguments), stay),
    )
    done = _over(call, record, warned)
    return msgspec.structs.replace(done, decided=_decided(END, arguments), enters=True)


def _over(call: Call, record: Record, warned: list[Warned]) -> Done:
    after = msgspec.structs.replace(call, record=record)
    answers = {
        f"{one.activity}/{one.checkpoint}": {"option": one.option} if one.option else {"dismissed": True}
        for one in record.answers
    }
    body = {
        "id": END,
        "name": "Workflow complete",
        "completed": True,
        "visited": list(dict.fromkeys(visit.activity for visit in record.visits if visit.activity != END)),
        "answers": answers,
        "variables": {name: value.value for name, value in record.variables.items()},
        "next": at_the_end(after),
    }
    return Done(body=body, record=record, token=placed(call, record), warned=tuple(warned))


def _replayed(call: Call, target: str, request: str) -> Done:
    """The same call once more from the place it left, after its answer was lost; anything else is too late."""
    record, stay = call.record, call.record.stay
    asked = END if target in call.rules.terminal and target not in call.definition.activities else target
    if stay is None or stay.request != request or stay.activity != asked or call.token.vis != stay.came_from:
        raise stale(call)
    if stay.activity == END:
        done = _over(call, record, [])
    else:
        activity = call.activity(stay.activity)
        body = shown_activity(call, activity)
        body["next"] = outlook(call, activity)
        done = Done(body=body, record=record, token=placed(call, record))
    return msgspec.structs.replace(done, body={**done.body, "replayed": True})


def stale(call: Call) -> Problem:
    """The refusal of a change from a place the session has left."""
    record = call.record
    said = f"{record.act!r}" if record.act else "before the first activity"
    return Problem(
        Code.TOKEN_STALE,
        f"the session has gone on since this token (it was in {call.token.act or 'no activity'}): it is at {said} now",
        hints=("start_session with this token gives a current one",),
        next_action={"op": "start_session", "args": {"workflow_id": record.workflow}},
    )
