"""What definitions name of the catalog, and whether it is there for somebody."""

from __future__ import annotations

from periplus.core import names
from periplus.core.workflows.definition import Definition, all_steps
from periplus.core.workflows.problems import LoadCode, LoadProblem, Severity
from periplus.model import Code, Problem, Scope
from periplus.ports import Store

_LOST = frozenset({Code.TOOL_NOT_FOUND, Code.AMBIGUOUS_NAME, Code.BAD_INPUT})


async def unresolved_tools(definition: Definition, store: Store, scope: Scope) -> list[LoadProblem]:
    """A warning for each step whose tool is none that can be seen. Sources come and go, so it breaks nothing."""
    found: list[LoadProblem] = []
    for loaded in definition.activities.values():
        for step in all_steps(loaded.part) if loaded.part else ():
            if step.binding is None:
                continue
            try:
                await names.find(store, step.binding.ref, scope)
            except Problem as problem:
                if problem.code not in _LOST:
                    raise
                found.append(
                    LoadProblem(
                        severity=Severity.WARNING,
                        code=LoadCode.UNRESOLVED_TOOL,
                        workflow=definition.folder,
                        file=loaded.file,
                        where=f"{loaded.id}.{step.id}",
                        message=f"{step.binding.ref!r}: {problem.message}",
                    )
                )
    return found
