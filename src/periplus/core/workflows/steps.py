"""Steps that run a tool of the catalog: shown with what they will call, run through the one door (W-90, W-91)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import msgspec

from periplus.core.schema.signature import one_line
from periplus.core.workflows.call import Call, Done
from periplus.core.workflows.conditions import holds
from periplus.core.workflows.definition import all_steps
from periplus.core.workflows.entering import stale
from periplus.core.workflows.model import Activity, Binding, Step
from periplus.core.workflows.record import StepCall, Value
from periplus.model import Code, Principal, Problem, Result, Tool


class Tools(Protocol):
    """The verbs by which steps reach the catalog."""

    async def describe(self, tool: str, *, principal: Principal, session: str) -> Tool: ...

    async def call(
        self,
        tool: str,
        arguments: Mapping[str, Any],
        *,
        principal: Principal,
        session: str,
        approval: str,
        presented: Mapping[str, str],
    ) -> Result: ...


class Ready(msgspec.Struct, frozen=True, kw_only=True):
    """A step that may run now."""

    step: Step
    binding: Binding
    arguments: dict[str, Any]


async def with_tools(call: Call, activity: Activity, body: dict[str, Any], tools: Tools, who: Principal) -> None:
    """Put what each bound step will call into an activity's body."""
    by_id = {step.id: step for step in all_steps(activity)}
    places = [*body.get("steps", ()), *(step for loop in body.get("loops", ()) for step in loop.get("steps", ()))]
    places += [step for one in body.get("modeOverrides", {}).values() for step in one.get("steps", ())]
    for place in places:
        binding = by_id[place["id"]].binding
        if binding is not None:
            place["tool"] = await _resolved(call, place["id"], binding, tools, who)


async def _resolved(call: Call, step: str, binding: Binding, tools: Tools, who: Principal) -> dict[str, Any]:
    tail: dict[str, Any] = {"requires": list(binding.requires)} if binding.requires else {}
    tail |= {"save": binding.save} if binding.save else {}
    try:
        tool = await tools.describe(binding.ref, principal=who, session=call.record.sid)
    except Problem as problem:
        if problem.code is Code.STORE_ERROR:
            raise
        return {"ref": binding.ref, "available": False, **tail}
    filled = call.facts.filled(binding.arguments)
    rendered: dict[str, Any] = filled.value
    required = tool.args_schema.get("required", ())
    open_ = [name for name in required if name not in rendered or call.facts.filled(binding.arguments[name]).unresolved]
    return {
        "ref": str(tool.ref),
        "available": True,
        "signature": one_line(tool),
        "effects": tool.effect.word,
        "arguments": rendered,
        "missing": open_,
        **tail,
        "call": {"tool": "run_step", "arguments": {"step_id": step}},
    }


def ready(call: Call, arguments: Mapping[str, Any]) -> Ready:
    """The step that is to run, if nothing stands in its way."""
    if not call.is_current:
        raise stale(call)
    id_ = str(arguments["step_id"])
    if not call.record.act or call.record.act in call.rules.terminal:
        raise Problem(Code.NOT_FOUND, f"No current activity, so there is no step {id_!r}")
    activity = call.activity(call.record.act)
    step = next((one for one in all_steps(activity) if one.id == id_), None)
    if step is None:
        known = ", ".join(one.id for one in all_steps(activity)) or "none"
        raise Problem(
            Code.NOT_FOUND, f"{id_!r} not found in activity {activity.id!r}", hints=(f"Available steps: {known}",)
        )
    binding = step.binding
    if binding is None:
        raise Problem(Code.NOT_FOUND, f"step {id_!r} has no tool", hints=("do it as its description says",))
    _check_requires(call, step, binding)
    if step.condition is not None and holds(step.condition, call.facts.known) is False:
        raise Problem(Code.NOT_ALLOWED, f"step {id_!r} does not apply: its condition does not hold")
    template: dict[str, Any] = call.facts.filled(binding.arguments).value
    return Ready(step=step, binding=binding, arguments=template | dict(arguments.get("arguments", {})))


def _check_requires(call: Call, step: Step, binding: Binding) -> None:
    record = call.record
    answered = {one.checkpoint for one in record.answers}
    open_ = [id_ for id_ in binding.requires if record.waiting(id_) or id_ not in answered]
    if open_:
        raise Problem(
            Code.GATE_CLOSED,
            f"step {step.id!r} waits for unresolved checkpoint{'s' if len(open_) > 1 else ''} {', '.join(open_)}. "
            "Answer with respond_checkpoint.",
            hints=tuple(f"{id_}: answer it with respond_checkpoint" for id_ in open_),
            next_action={"op": "respond_checkpoint", "args": {"checkpoint_id": open_[0]}},
        )


def ran(call: Call, step: Ready, result: Result) -> Done:
    """What a session knows after a step has run."""
    saved = step.binding.save
    variables = dict(call.record.variables)
    if saved:
        variables.pop(saved, None)
        variables[saved] = Value(value=result.value, source="tool", at=call.now)
    made = StepCall(visit=call.record.visit, step=step.step.id, tool=str(result.tool), call=result.trace, at=call.now)
    record = msgspec.structs.replace(call.record, variables=variables, calls=(*call.record.calls, made))
    body: dict[str, Any] = {"step_id": step.step.id, "tool": str(result.tool), "result": result.value}
    body |= {"saved": saved} if saved else {}
    body |= {"handle": result.handle} if result.handle else {}
    body |= {"truncated": True} if result.truncated else {}
    body |= {"notes": list(result.notes)} if result.notes else {}
    decided = {"step": step.step.id, "tool": str(result.tool), "call": result.trace}
    return Done(body=body, record=record, token=call.token, decided=decided)


def asked_again(problem: Problem, step: Ready, arguments: Mapping[str, Any]) -> Problem:
    """A refusal of the tool's call with the way to make it again here."""
    approval = str(problem.details.get("approval", ""))
    if problem.code is not Code.APPROVAL_REQUIRED or not approval:
        return problem
    args: dict[str, Any] = {"step_id": step.step.id}
    args |= {"arguments": arguments["arguments"]} if "arguments" in arguments else {}
    return Problem(
        problem.code,
        problem.message,
        hints=(f"periplus approvals grant {approval}", f"then the same run_step with approval_id {approval!r}, once"),
        next_action={"op": "run_step", "args": args | {"approval_id": approval}},
        retryable=True,
        details=problem.details,
    )
