"""Whether what definitions point to is there: activities, skills, resources, workflows (W-24)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from periplus.core.workflows.definition import Definition, Loaded, all_steps
from periplus.core.workflows.model import Activity
from periplus.core.workflows.problems import LoadCode, LoadProblem, Severity
from periplus.core.workflows.transitions import entries_of


def checked(definition: Definition, snapshot: Any, terminal: frozenset[str]) -> Definition:
    """The definition with a warning for each reference that leads nowhere."""
    if definition.workflow is None:
        return definition
    found = list(_found(definition, snapshot, terminal))
    return msgspec.structs.replace(definition, problems=(*definition.problems, *found)) if found else definition


def _found(definition: Definition, snapshot: Any, terminal: frozenset[str]) -> Iterator[LoadProblem]:
    workflow = definition.workflow
    file = definition.folder
    if workflow and workflow.initial_activity and workflow.initial_activity not in definition.activities:
        said = f"there is no activity {workflow.initial_activity!r}"
        yield _warning(definition, LoadCode.INITIAL_ACTIVITY_MISSING, file, "initialActivity", said)
    for ref in workflow.skills if workflow else ():
        yield from _skill(definition, snapshot, file, "skills", ref)
    for loaded in definition.activities.values():
        if loaded.part:
            yield from _activity(definition, loaded.part, loaded.file, snapshot, terminal)
    for skill in definition.skills.values():
        yield from _resources(definition, skill, snapshot)


def _activity(
    definition: Definition, activity: Activity, file: str, snapshot: Any, terminal: frozenset[str]
) -> Iterator[LoadProblem]:
    for target in dict.fromkeys(entry.to for entry in entries_of(activity, definition.modes())):
        if target not in definition.activities and target not in terminal:
            said = f"{activity.id!r} leads to {target!r}, which is no activity"
            yield _warning(definition, LoadCode.DANGLING_TARGET, file, activity.id, said)
    wanted = (activity.skills.primary, *activity.skills.supporting, *(step.skill for step in all_steps(activity)))
    for ref in dict.fromkeys(filter(None, wanted)):
        yield from _skill(definition, snapshot, file, activity.id, ref)
    for trigger in activity.triggers:
        if snapshot.find(trigger.workflow) is None:
            said = f"{activity.id!r} triggers {trigger.workflow!r}, which is no workflow here"
            yield _warning(definition, LoadCode.UNRESOLVED_WORKFLOW, file, activity.id, said)


def _skill(definition: Definition, snapshot: Any, file: str, where: str, ref: str) -> Iterator[LoadProblem]:
    if snapshot.skill(definition, ref) is None:
        yield _warning(definition, LoadCode.UNRESOLVED_SKILL, file, where, f"there is no skill {ref!r}")


def _resources(definition: Definition, skill: Loaded[Any], snapshot: Any) -> Iterator[LoadProblem]:
    for index in skill.part.resources if skill.part else ():
        if snapshot.document(definition, index) is None:
            said = f"skill {skill.id!r} names resource {index!r}, which is not there"
            yield _warning(definition, LoadCode.UNRESOLVED_RESOURCE, skill.file, skill.id, said)


def _warning(definition: Definition, code: LoadCode, file: str, where: str, message: str) -> LoadProblem:
    return LoadProblem(
        severity=Severity.WARNING, code=code, workflow=definition.folder, file=file, where=where, message=message
    )
