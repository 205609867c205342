"""Checkpoints that a person has to answer: an agent's choice becomes a question, and only agreement lets it through."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from periplus.core.calls.approvals import Approvals, Bound
from periplus.core.calls.leave import Permitted
from periplus.core.workflows.call import Call
from periplus.core.workflows.model import Checkpoint
from periplus.model import ApprovalState, Code, Principal, Problem

_RULE = "answeredBy: human"


def asks_person(call: Call, arguments: Mapping[str, Any]) -> Checkpoint | None:
    """The checkpoint, if a person's agreement is needed for this answer to it."""
    if not arguments.get("option_id") or not call.is_current:
        return None
    activity = call.definition.activities.get(call.record.act)
    point = call.checkpoint(activity.part, str(arguments["checkpoint_id"])) if activity and activity.part else None
    if point is None or point.answered_by != "human" or call.record.answer(point.id) is not None:
        return None
    return point


async def agreed(call: Call, point: Checkpoint, option: str, approvals: Approvals, who: Principal) -> None:
    """Go on if a person has agreed to this option; otherwise ask, and say that it has been asked."""
    shown = {
        "session": call.record.sid,
        "activity": call.record.act,
        "checkpoint": point.id,
        "question": str(call.facts.filled(point.message).value),
        "option": option,
        "options": {one.id: one.label for one in point.options},
    }
    ref = f"workflow/{call.definition.id}/{call.record.act}/{point.id}"
    bound = {"session": call.record.sid, "visit": call.record.visit, "option": option}
    what = Bound(
        approval="",
        tenant=who.tenant,
        principal=who.id,
        policy=_RULE,
        calls=(Permitted(ref=ref, fingerprint=call.definition.digest, arguments=bound),),
    )
    approval = await approvals.put(what, shown, _RULE, f"{point.name}: {option}")
    if approval.state is not ApprovalState.GRANTED:
        raise Problem(
            Code.APPROVAL_REQUIRED,
            f"{shown['question']} A person has to agree to {option!r} for {point.id!r}.",
            hints=(
                f"periplus approvals grant {approval.id}",
                "then answer with the same option_id; to propose another option, answer with that one",
            ),
            next_action={"op": "respond_checkpoint", "args": {"checkpoint_id": point.id, "option_id": option}},
            retryable=True,
            details={"approval": approval.id, "expires_at": approval.expires_at},
        )
    await approvals.check(approval.id, what)
    await approvals.spend(approval.id, what)
