"""respond_checkpoint: the three ways to resolve a question, each with its own conditions (W-56, W-62 to W-67)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec

from periplus.core.conditions.truth import Lack
from periplus.core.workflows.call import OWN, Call, Done, Warned
from periplus.core.workflows.condition_text import text_of
from periplus.core.workflows.conditions import holds, resolve, variables_of
from periplus.core.workflows.entering import earliest, stale
from periplus.core.workflows.model import Activity, Checkpoint, Option
from periplus.core.workflows.outlook import outlook
from periplus.core.workflows.record import Answer, Mode, Pending, Record, Value
from periplus.core.workflows.showing import authored_checkpoint
from periplus.model import Code, Problem

MODES: tuple[Mode, ...] = ("option_id", "auto_advance", "condition_not_met")


class Choice(NamedTuple):
    """How a checkpoint is to be resolved; the option is empty when it is dismissed."""

    mode: Mode
    option: str


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
    choice, warned = _accepted(call, point, waiting, mode, arguments)
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


def chosen_mode(arguments: Mapping[str, Any]) -> Mode:
    """The one way that was chosen; `false`, an empty text and null choose nothing (W-63)."""
    chosen: list[Mode] = [mode for mode in MODES if arguments.get(mode) not in (None, False, "")]
    if len(chosen) != 1:
        came = ", ".join(chosen) or "none"
        raise Problem(
            Code.BAD_INPUT,
            f"Exactly one of option_id, auto_advance and condition_not_met is needed; {came} came",
            hints=('send option_id with the option, or "auto_advance": true, or "condition_not_met": true',),
        )
    return chosen[0]


# --- the three ways ---------------------------------------------------------------------------------------------


def _accepted(
    call: Call, point: Checkpoint, waiting: Pending | None, mode: Mode, arguments: Mapping[str, Any]
) -> tuple[Choice, list[Warned]]:
    if waiting is None and mode != "option_id":
        raise Problem(Code.NOT_ALLOWED, f"{point.id!r} is optional: it takes option_id only", hints=(_valid(point),))
    if mode == "condition_not_met":
        return Choice(mode, ""), _dismissable(call, point)
    option = str(arguments["option_id"]) if mode == "option_id" else _advancing(point)
    if mode == "option_id":
        check_option(point, option)
    if waiting is not None:
        _check_time(call, point, waiting, mode)
    return Choice(mode, option), []


def check_option(point: Checkpoint, option: str) -> Option:
    """The option of this id, else a problem with those there are."""
    found = point.option(option)
    if found is None:
        raise Problem(Code.BAD_INPUT, f"Invalid option {option!r} for {point.id!r}", hints=(_valid(point),))
    return found


def _valid(point: Checkpoint) -> str:
    return f"Valid options: {', '.join(one.id for one in point.options)}"


def _advancing(point: Checkpoint) -> str:
    """The option that time chooses, where time may choose at all."""
    if point.answered_by == "human":
        raise Problem(Code.NOT_ALLOWED, f"{point.id!r} is answered by a person, not by time", hints=(_valid(point),))
    if point.blocking:
        raise Problem(Code.NOT_ALLOWED, f"{point.id!r} is blocking: it waits for an answer", hints=(_valid(point),))
    if not point.default_option or not point.auto_advance_ms:
        said = f"{point.id!r} cannot advance by itself: missing defaultOption or autoAdvanceMs"
        raise Problem(Code.NOT_ALLOWED, said, hints=(_valid(point),))
    if point.option(point.default_option) is None:
        said = f"Default option {point.default_option!r} of {point.id!r} is none of its options"
        raise Problem(Code.NOT_ALLOWED, said, hints=(_valid(point),))
    return point.default_option


def _check_time(call: Call, point: Checkpoint, waiting: Pending, mode: Mode) -> None:
    """Milliseconds since the question was asked, against those it takes (W-64)."""
    by_time = mode == "auto_advance"
    needed = float(point.auto_advance_ms or 0) if by_time else call.rules.min_response_ms
    elapsed = max(0, call.now - waiting.issued)
    if elapsed >= needed:
        return
    left = math.ceil(needed - elapsed)
    if by_time:
        said = f"auto-advance of {point.id!r}: timer not elapsed, {elapsed} ms of {needed:.12g} ms."
        options = " or ".join(f'"{one.id}"' for one in point.options)
        hints = (f"retry after {left} ms", f"or answer with option_id {options}")
        args: dict[str, Any] = {"checkpoint_id": point.id, "auto_advance": True}
    else:
        said = f"{point.id!r} was answered too fast: {elapsed} ms of {needed:.12g} ms."
        hints = (f"retry after {left} ms", "show it to the person and take the time to read the answer")
        args = {"checkpoint_id": point.id, "option_id": "<the person's choice>"}
    raise Problem(
        Code.TOO_EARLY,
        said,
        hints=hints,
        next_action={"op": "respond_checkpoint", "args": args},
        retryable=True,
        details={"retry_after": math.ceil(left / 1000)},
    )


def _dismissable(call: Call, point: Checkpoint) -> list[Warned]:
    """A question that does not arise may be dismissed; not one that is known to (W-66)."""
    if point.condition is None:
        raise Problem(
            Code.NOT_ALLOWED,
            f"{point.id!r} has no condition: it cannot be dismissed as not met",
            hints=(_valid(point),),
        )
    surely = holds(point.condition, call.facts.known)
    if surely is False or call.rules.verify == "off":
        return []
    if surely and call.rules.verify == "refuse":
        raise Problem(
            Code.NOT_ALLOWED,
            f"the condition of {point.id!r} is met: {text_of(point.condition)}, with {_values(call, point)}",
            hints=(_valid(point),),
        )
    # The word these warnings may not use belongs to those about transitions.
    return [(OWN, f"the dismissal of {point.id!r} is not verified: {_values(call, point)}")]


def _values(call: Call, point: Checkpoint) -> str:
    names = variables_of(point.condition) if point.condition else ()
    told: list[str] = []
    for name in names:
        value = resolve(name, call.facts.assumed)
        shown = "?" if isinstance(value, Lack) else msgspec.json.encode(value).decode()
        told.append(f"{name} = {shown} ({call.facts.source(name.partition('.')[0])})")
    return ", ".join(told)


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
