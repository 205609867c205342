"""Where a session may go next, and what the gate says to it (W-60, W-61, W-72). Advice never blocks; the gate does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from periplus.core.workflows.call import Call
from periplus.core.workflows.model import Activity, Checkpoint
from periplus.core.workflows.transitions import Way, entries_of, may_end, ways
from periplus.model import Code, Problem

_json = msgspec.json.encode


def ways_of(call: Call, activity: Activity) -> tuple[Way, ...]:
    """The ways out of an activity as they stand for this session."""

    def answered(checkpoint: str) -> str | None:
        answer = call.record.answer(checkpoint)
        return answer.option if answer else None

    entries = entries_of(activity, call.facts.modes)
    return ways(entries, call.facts.known, call.facts.assumed, answered)


def outlook(call: Call, activity: Activity) -> dict[str, Any]:
    """The field `next`."""
    found = ways_of(call, activity)
    skipped = call.facts.skipped()
    stay = call.record.stay
    requested = stay.requested if stay else ""
    suggested = _suggested(found, requested, skipped)
    ends = any(way.entry.to in call.rules.terminal and way.holds is not False for way in found)
    return {
        "pending": list(call.record.pending_ids()),
        "transitions": [way.to_json() for way in found],
        **({"requested": requested} if requested else {}),
        **({"suggested": suggested} if suggested else {}),
        "skipped": list(skipped),
        "modes": [mode.id for mode in call.facts.modes],
        "terminal": not found or ends or may_end(activity),
    }


def at_the_end(call: Call) -> dict[str, Any]:
    """`next` of a workflow that is over."""
    skipped, modes = list(call.facts.skipped()), [mode.id for mode in call.facts.modes]
    return {"pending": [], "transitions": [], "skipped": skipped, "modes": modes, "terminal": True}


def _suggested(found: Sequence[Way], requested: str, skipped: Sequence[str]) -> str:
    conditional = [way.entry.to for way in found if way.entry.text and way.holds]
    plain = [way.entry.to for way in found if not way.entry.text and not way.entry.is_default]
    by_mode = [way.entry.to for way in found if way.entry.mode]
    default = [way.entry.to for way in found if way.entry.is_default and not way.entry.mode]
    wanted = [requested, *conditional, *(by_mode or (*default, *plain))]
    return next((to for to in wanted if to and to not in skipped), "")


def check_gate(call: Call, target: str | None = None) -> None:
    """Refuse what has to wait for answers: with `target`, to enter that activity."""
    pending = call.record.pending
    if len(pending) == 0 or target == call.record.act:
        return
    if target is None and (call.rules.gate != "all" or not call.is_current):
        return
    count = f"{len(pending)} unresolved checkpoint{'s' if len(pending) > 1 else ''} on {call.record.act!r}"
    said = f"Cannot enter {target!r}: {count}." if target is not None else f"{count[:1].upper()}{count[1:]}."
    loaded = call.definition.activities.get(call.record.act)
    points = [call.checkpoint(loaded.part, one.id) if loaded and loaded.part else None for one in pending]
    hints = tuple(_how(call, point, one.id, one.issued) for point, one in zip(points, pending, strict=True))
    raise Problem(
        Code.GATE_CLOSED,
        f"{said} Answer each with respond_checkpoint.",
        hints=hints,
        next_action={"op": "respond_checkpoint", "args": _first_answer(points[0], pending[0].id)},
    )


def _first_answer(point: Checkpoint | None, id_: str) -> dict[str, Any]:
    if point is None:  # the definition has lost it: any answer lets go of it
        return {"checkpoint_id": id_, "condition_not_met": True}
    return {"checkpoint_id": id_, "option_id": "<the person's choice>"}


def _how(call: Call, point: Checkpoint | None, id_: str, issued: int) -> str:
    """A complete call for each way to answer a checkpoint."""
    if point is None:
        return f"{id_}: {_shown(checkpoint_id=id_, condition_not_met=True)}: the definition no longer has it"
    first, *others = [option.id for option in point.options]
    ways_ = [_shown(checkpoint_id=id_, option_id=first), *(_json(one).decode() for one in others)]
    if is_timed(point):
        left = max(0, issued + (point.auto_advance_ms or 0) - call.now)
        ways_.append(f"{_shown(checkpoint_id=id_, auto_advance=True)}{f' in {left} ms' if left else ''}")
    if point.condition is not None:
        ways_.append(_shown(checkpoint_id=id_, condition_not_met=True))
    return f"{id_}: {', or '.join(ways_)}"


def is_timed(point: Checkpoint) -> bool:
    """Whether a checkpoint answers itself after a while."""
    if point.answered_by == "human":
        return False
    return not point.blocking and bool(point.default_option and point.auto_advance_ms)


def _shown(**arguments: Any) -> str:
    return _json(arguments).decode()
