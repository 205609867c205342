"""respond_checkpoint: a question is resolved, and what comes of it (W-56, W-62 to W-67)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from periplus.core.workflows.call import OWN, Call, Done, Warned
from periplus.core.workflows.choosing import Choice, accepted, chosen_mode
from periplus.core.workflows.entering import earliest, stale
from periplus.core.workflows.model import Activity, Checkpoint, Option
from periplus.core.workflows.outlook import outlook
from periplus.core.workflows.record import Answer, Pending, Record, Value
from periplus.core.workflows.showing import authored_checkpoint
from periplus.model import Code, Problem


def respond(call: Call, arguments: Mapping[str, Any]) -> Done:
    """Resolve one checkpoint of the present activity."""
    id_ = str(arguments["checkpoint_id"])
    if (done := repeated(call, id_, arguments)) is not None:
        return done
    if not call.is_current:
        raise stale(call)
    activity, point, waiting = asked(call, id_)
    mode = chosen_mode(arguments)
    if point is None:
        return _dropped(call, id_)
    choice, warned = accepted(call, point, waiting, mode, arguments)
    return _resolved(call, activity, point, choice, warned, optional=waiting is None)


def asked(call: Call, id_: str) -> tuple[Activity, Checkpoint | None, Pending | None]:
    """The question an answer is for: one that waits, else an optional one of the present activity."""
    record = call.record
    waiting = record.waiting(id_)
    if not record.act or record.act in call.rules.terminal:
        raise _not_pending(call, id_)
    activity = call.activity(record.act)
    active = next((point for point in call.checkpoints(activity) if point.id == id_), None)
    point = call.checkpoint(activity, id_) if waiting else active
    if waiting is None and (point is None or point.required):
        raise _not_pending(call, id_)
    return activity, point, waiting


# --- what comes of it -------------------------------------------------------------------------------------------


def _resolved(
    call: Call, activity: Activity, point: Checkpoint, choice: Choice, warned: list[Warned], *, optional: bool
) -> Done:
    option = point.option(choice.option)
    left = tuple(one for one in call.record.pending if one.id != point.id)
    answer = Answer(
        visit=call.record.visit,
        activity=activity.id,
        checkpoint=point.id,
        mode=choice.mode,
        option=choice.option,
        effect=_authored(call, activity, point, choice.option),
        remaining=tuple(one.id for one in left),
        optional=optional,
        at=call.now,
    )
    record = _effected(call, option, msgspec.structs.replace(call.record, pending=left))
    record = msgspec.structs.replace(record, answers=(*call.record.answers, answer))
    after = msgspec.structs.replace(call, record=record)
    decided: dict[str, Any] = {"mode": choice.mode}
    decided |= {"option": choice.option} if choice.option else {}
    decided |= {"effect": answer.effect} if answer.effect is not None else {}
    return Done(
        body=_told(after, activity, answer),
        record=record,
        token=_updated(call, record),
        warned=tuple(warned),
        decided=decided,
    )


def _authored(call: Call, activity: Activity, point: Checkpoint, option: str) -> dict[str, Any] | None:
    written = authored_checkpoint(call, activity.id, point.id)["options"]
    return next((one.get("effect") for one in written if one["id"] == option), None)


def _told(call: Call, activity: Activity, answer: Answer) -> dict[str, Any]:
    body: dict[str, Any] = {
        "checkpoint_id": answer.checkpoint,
        "resolved": True,
        "remaining_checkpoints": list(answer.remaining),
    }
    body |= {"resolved_option": answer.option} if answer.option else {}
    body |= {"effect": answer.effect} if answer.effect is not None else {}
    body |= {} if answer.option else {"dismissed": True}
    body |= {"optional": True} if answer.optional else {}
    if not answer.remaining and answer.visit == call.record.visit:
        body["next"] = outlook(call, activity)
    return body


def _effected(call: Call, option: Option | None, record: Record) -> Record:
    """What choosing the option changes: variables, skipped activities, where to go."""
    effect = option.effect if option else None
    if effect is None:
        return record
    variables = dict(record.variables)
    for name, raw in effect.set_variable.items():
        filled = call.facts.filled(raw)
        value = Value(value=filled.value, source="effect", at=call.now, resolved=not filled.unresolved)
        variables.pop(name, None)
        variables[name] = value
    visits = record.visits
    if effect.transition_to and record.stay:
        visits = (*visits[:-1], msgspec.structs.replace(record.stay, requested=effect.transition_to))
    return msgspec.structs.replace(
        record,
        variables=variables,
        skipped=tuple(dict.fromkeys((*record.skipped, *effect.skip_activities))),
        visits=visits,
    )


def _updated(call: Call, record: Record) -> Any:
    return msgspec.structs.replace(call.token, pcp=record.pending_ids(), pcpt=earliest(record))


def _dropped(call: Call, id_: str) -> Done:
    """An edit of the definition never strands a session."""
    record = msgspec.structs.replace(call.record, pending=tuple(one for one in call.record.pending if one.id != id_))
    after = msgspec.structs.replace(call, record=record)
    body: dict[str, Any] = {
        "checkpoint_id": id_,
        "resolved": True,
        "remaining_checkpoints": list(record.pending_ids()),
        "dismissed": True,
    }
    if not record.pending:
        body["next"] = outlook(after, call.activity(record.act))
    warned = ((OWN, f"checkpoint {id_!r} no longer exists; it was let go"),)
    decided = {"mode": "condition_not_met", "dropped": True}
    return Done(body=body, record=record, token=_updated(call, record), warned=warned, decided=decided)


# --- the same once more -----------------------------------------------------------------------------------------


def repeated(call: Call, id_: str, arguments: Mapping[str, Any]) -> Done | None:
    """The first result again when the same answer comes again; another answer to it is refused (W-65)."""
    record = call.record
    vis = call.token.vis if isinstance(call.token.vis, int) else record.visit
    answer = record.answer(id_, vis)
    if answer is None or (record.waiting(id_) and vis == record.visit):
        return None
    mode = chosen_mode(arguments)
    option = str(arguments["option_id"]) if mode == "option_id" else answer.option
    if (answer.mode, answer.option) != (mode, option):
        raise _not_pending(call, id_)
    activity = call.activity(answer.activity)
    return Done(body={**_told(call, activity, answer), "replayed": True}, record=record, token=call.token)


def _not_pending(call: Call, id_: str) -> Problem:
    record = call.record
    pending = ", ".join(record.pending_ids()) or "none"
    vis = call.token.vis if isinstance(call.token.vis, int) else record.visit
    answer = record.answer(id_, vis)
    hints: tuple[str, ...] = (f"pending: {pending}",)
    if answer is not None:
        given = f"option {answer.option!r}" if answer.option else "a dismissal"
        hints = (f"it was answered with {given} already", *hints)
    return Problem(Code.NOT_PENDING, f"{id_!r} is not pending in {record.act or 'no activity'!r}", hints=hints)
