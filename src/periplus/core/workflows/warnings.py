"""What is told of a transition and of the reports that come with it; none of it blocks (W-80, W-81)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from periplus.core.workflows.call import ACTIVITIES, CLAIM, OWN, STEPS, TRANSITION, VERSION, Call, Warned
from periplus.core.workflows.conditions import holds
from periplus.core.workflows.definition import Definition
from periplus.core.workflows.model import Activity, Step
from periplus.core.workflows.record import Record
from periplus.core.workflows.transitions import Entry, entries_of

DEFAULT = "default"


def drifted(definition: Definition, record: Record) -> Iterator[Warned]:
    """The definition is another one than at the start."""
    if record.version != definition.version:
        said = f"version drift: the session began with {record.version}, the definition is {definition.version} now"
        yield VERSION, said
    elif record.digest and record.digest != definition.digest:
        yield VERSION, f"definition changed: {definition.id} {record.version} is not what it was at the start"


def on_entering(call: Call, target: str, arguments: Mapping[str, Any]) -> Iterator[Warned]:
    """Everything to be told of going to another activity, or to the end."""
    record, definition = call.record, call.definition
    left = definition.activities.get(record.act)
    activity = left.part if left else None
    entries = entries_of(activity, call.facts.modes) if activity else ()
    yield from _transition(call, target, entries)
    if "transition_condition" in arguments and record.act:
        yield from _claim(call, target, entries, arguments["transition_condition"])
    if activity:
        yield from _steps(call, activity, arguments.get("step_manifest"))
    yield from on_activities(call, arguments)
    stay = record.stay
    if stay and stay.requested and stay.requested != target:
        yield OWN, f"the answer given last asks for activity {stay.requested!r}, not {target!r}"
    if target in call.facts.skipped():
        yield OWN, f"{target!r} is skipped in this session"


def _transition(call: Call, target: str, entries: Sequence[Entry]) -> Iterator[Warned]:
    act, workflow = call.record.act, call.definition.workflow
    initial = workflow.initial_activity if workflow else ""
    if not act:
        if initial and target != initial:
            yield TRANSITION, f"First activity must be {initial!r} (initialActivity), not {target!r}"
        return
    known = list(dict.fromkeys(entry.to for entry in entries))
    if entries and target != act and target not in known:
        said = f"{target!r} is not a direct transition from {act!r}. Valid transitions: {', '.join(known)}"
        yield TRANSITION, said


def _claim(call: Call, target: str, entries: Sequence[Entry], claimed: str) -> Iterator[Warned]:
    """What the client says made it go there, against all ways that lead there (W-34)."""
    there = [entry for entry in entries if entry.to == target]
    if not there:
        return
    texts = [entry.text for entry in there if entry.text]
    way = f"{call.record.act} -> {target}"
    if claimed.strip() in ("", DEFAULT):
        if all(entry.text and not entry.is_default for entry in there):
            yield CLAIM, f"{way} requires condition: {' or '.join(texts)}"
        return
    matching = [entry for entry in there if entry.is_claimed_by(claimed)]
    if not texts:
        yield CLAIM, f"{way} is the default; it has no condition such as {claimed!r}"
    elif not matching:
        yield CLAIM, f"Condition mismatch on {way}: {claimed!r} is not {' or '.join(texts)}"
    elif all(_is_answered_otherwise(call, entry) for entry in matching):
        answer = call.record.answer(matching[0].checkpoint)
        given = (answer.option or "dismissed") if answer else ""
        yield CLAIM, f"Condition mismatch on {way}: {claimed!r}, but {matching[0].checkpoint!r} was answered {given!r}"


def _is_answered_otherwise(call: Call, entry: Entry) -> bool:
    answer = call.record.answer(entry.checkpoint) if entry.checkpoint else None
    return answer is not None and answer.option != entry.option


# --- reported steps ---------------------------------------------------------------------------------------------


def _steps(call: Call, activity: Activity, manifest: Sequence[Mapping[str, Any]] | None) -> Iterator[Warned]:
    skipped = call.skipped_steps(activity)
    own = [step for step in (*activity.steps, *call.added_steps(activity)) if step.id not in skipped]
    if manifest is None:
        if own:
            yield STEPS, f"No step_manifest for {activity.id!r}, which has {len(own)} steps"
        return
    listed = [str(one["step_id"]) for one in manifest]
    yield from _against(call, activity, own, listed)
    yield from _each(call, activity, own, manifest)


def _against(call: Call, activity: Activity, own: Sequence[Step], listed: Sequence[str]) -> Iterator[Warned]:
    missing = [step.id for step in own if _is_expected(call, step) and step.id not in listed]
    if missing:
        yield STEPS, f"Missing steps in the manifest of {activity.id!r}: {', '.join(missing)}"
    free = {step.id for step in activity.loop_steps()}
    known = {step.id for step in (*own, *activity.steps)} | free
    known |= {step.id for override in activity.mode_overrides.values() for step in override.steps}
    unexpected = [id_ for id_ in dict.fromkeys(listed) if id_ not in known]
    if unexpected:
        yield STEPS, f"Unexpected steps in the manifest of {activity.id!r}: {', '.join(unexpected)}"
    order = [step.id for step in own if step.id not in free]
    told = [id_ for id_ in dict.fromkeys(listed) if id_ in order]
    if told != [id_ for id_ in order if id_ in told]:
        yield STEPS, f"Step order mismatch in the manifest of {activity.id!r}: {', '.join(told)}"


def _is_expected(call: Call, step: Step) -> bool:
    """Optional steps, and those whose condition is not known to hold, may be left out."""
    return step.required and (step.condition is None or holds(step.condition, call.facts.known) is True)


def _each(
    call: Call, activity: Activity, own: Sequence[Step], manifest: Sequence[Mapping[str, Any]]
) -> Iterator[Warned]:
    free = {step.id for step in activity.loop_steps()}
    counts = Counter(str(one["step_id"]) for one in manifest)
    for id_, count in counts.items():
        if count > 1 and id_ not in free:
            yield STEPS, f"step {id_!r} is reported twice"
    for id_ in dict.fromkeys(str(one["step_id"]) for one in manifest if not str(one["output"]).strip()):
        yield STEPS, f"step {id_!r} has empty output"
    bound = {step.id for step in (*own, *activity.loop_steps()) if step.tool}
    ran = {one.step for one in call.record.calls if one.visit == call.record.visit}
    for id_ in counts:
        if id_ in bound and id_ not in ran:
            yield STEPS, f"step {id_!r} has no recorded call of its tool"


# --- reported activities ----------------------------------------------------------------------------------------


def on_activities(call: Call, arguments: Mapping[str, Any]) -> Iterator[Warned]:
    """What a client says of the activities behind it."""
    manifest = arguments.get("activity_manifest")
    if manifest is None:
        return
    if not manifest:
        yield ACTIVITIES, "Empty activity_manifest"
    for one in manifest:
        id_ = str(one["activity_id"])
        loaded = call.definition.activities.get(id_)
        if loaded is None:
            yield ACTIVITIES, f"unknown activity {id_!r} in activity_manifest"
            continue
        if not str(one["outcome"]).strip():
            yield ACTIVITIES, f"activity {id_!r} has empty outcome"
        claimed = str(one.get("transition_condition") or "")
        if claimed and loaded.part and not _leads(call, loaded.part, claimed):
            yield ACTIVITIES, f"condition {claimed!r} of {id_!r} is not found in workflow transitions"


def _leads(call: Call, activity: Activity, claimed: str) -> bool:
    entries = entries_of(activity, call.definition.modes())
    if claimed.strip() == DEFAULT:
        return any(entry.is_default for entry in entries)
    return any(entry.is_claimed_by(claimed) for entry in entries)
