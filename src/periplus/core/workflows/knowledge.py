"""get_skills, get_skill and get_resource: what a session may read of how things are done (W-87 to W-89)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from periplus.core.workflows.call import Call, Done, broken
from periplus.core.workflows.definition import META, Definition, all_steps
from periplus.core.workflows.model import Activity
from periplus.core.workflows.snapshot import FoundSkill
from periplus.model import Code, Problem


def show_skills(call: Call, _arguments: Mapping[str, Any]) -> Done:
    """The skills of the workflow itself, wherever in it the session is."""
    workflow = call.definition.workflow
    shown: dict[str, Any] = {}
    failed: list[str] = []
    for ref in workflow.skills if workflow else ():
        found = call.snapshot.skill(call.definition, ref)
        if found is None or found.skill.part is None:
            failed.append(ref)
        else:
            shown[ref] = _shown(call, found)
    body: dict[str, Any] = {"scope": "workflow", "skills": shown}
    return Done(body=body | ({"failed_skills": failed} if failed else {}), record=call.record, token=call.token)


def show_skill(call: Call, arguments: Mapping[str, Any]) -> Done:
    """The skill of one step of the activity the token stands in."""
    step_id = str(arguments["step_id"])
    activity = _current(call, step_id)
    ref, by_activity = _ref(activity, step_id)
    found = call.snapshot.skill(call.definition, ref)
    if found is None:
        raise Problem(Code.NOT_FOUND, f"Skill not found: {ref}", hints=("`get_skills` lists those of the workflow",))
    if found.skill.part is None:
        raise broken(ref, found.skill.problems)
    body: dict[str, Any] = {"skill": _shown(call, found), "source": found.source}
    return Done(
        body=body | ({"via": "activity"} if by_activity else {}),
        record=msgspec.structs.replace(call.record, skill=ref) if call.is_current else call.record,
        token=msgspec.structs.replace(call.token, skill=ref),
    )


def show_resource(call: Call, arguments: Mapping[str, Any]) -> Done:
    """One resource with its content."""
    index = str(arguments["resource_index"])
    found = call.snapshot.document(call.definition, index.strip())
    if found is None:
        numbers = ", ".join(one.number or one.file for one in call.definition.documents) or "none of its own"
        raise Problem(
            Code.NOT_FOUND,
            f"Resource not found: {index[:100]} in workflow {call.definition.id}",
            hints=(f"there are {numbers}", "meta/00 is how to begin"),
        )
    said = {name: value for name, value in (("id", found.id), ("version", found.version)) if value}
    body = {"resource": {"index": index, **said, "content": found.content}}
    return Done(body=body, record=call.record, token=call.token)


def _current(call: Call, step_id: str) -> Activity:
    act = call.token.act
    if not act or act in call.rules.terminal:
        raise Problem(
            Code.NOT_FOUND,
            f"No current activity, so there is no step {step_id!r}",
            hints=("enter one with next_activity first",),
        )
    return call.activity(act)


def _ref(activity: Activity, step_id: str) -> tuple[str, bool]:
    """The skill of a step, else its activity's; a skill that the activity names may be asked for by itself."""
    steps = [step for step in all_steps(activity) if step.id == step_id]
    named = (activity.skills.primary, *activity.skills.supporting)
    if not steps and step_id in named:
        return step_id, True
    if not steps:
        known = ", ".join(dict.fromkeys(step.id for step in all_steps(activity))) or "none"
        raise Problem(
            Code.NOT_FOUND, f"{step_id!r} not found in activity {activity.id!r}", hints=(f"Available steps: {known}",)
        )
    if steps[0].skill:
        return steps[0].skill, False
    if activity.skills.primary:
        return activity.skills.primary, True
    raise Problem(
        Code.NOT_FOUND,
        f"step {step_id!r} of {activity.id!r} has no associated skill",
        hints=("its name and description say what to do",),
    )


def _shown(call: Call, found: FoundSkill) -> dict[str, Any]:
    """A skill with references to its resources, never their content."""
    body = {name: value for name, value in found.skill.body.items() if name != "resources"}
    references = [_reference(call, found.home, index) for index in found.skill.body.get("resources", ())]
    return body | ({"_resources": references} if references else {})


def _reference(call: Call, home: Definition, index: str) -> dict[str, Any]:
    """A resource as a skill names it; what a skill of another workflow means there is asked for by `ref`."""
    is_lent = home.folder != META and home is not call.definition and "/" not in index
    found = call.snapshot.document(home if is_lent else call.definition, index)
    if found is None:
        return {"index": index, "missing": True}
    said = {"id": found.id, "version": found.version, "ref": f"{home.id}/{index}" if is_lent else ""}
    return {"index": index} | {name: value for name, value in said.items() if value}
