"""run_step: the tool of a step, called once however often its record has to be written anew (W-91)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from periplus.core.workflows import steps
from periplus.core.workflows.asked import Asked
from periplus.core.workflows.call import Call, Done
from periplus.model import Code, Problem


async def run_step(asked: Asked, arguments: Mapping[str, Any], call: Call) -> Done:
    """Call the tool of a step if nothing stands in its way; a retry after a lost race takes the result there is."""
    step = steps.ready(call, arguments)
    if not asked.results:
        try:
            result = await asked.tools.call(
                step.binding.ref,
                step.arguments,
                principal=asked.principal,
                session=call.record.sid,
                approval=str(arguments.get("approval_id", "") or asked.approval),
                presented=asked.presented,
            )
        except Problem as problem:
            raise _final(steps.asked_again(problem, step, arguments)) from problem
        asked.results.append(result)
    return steps.ran(call, step, asked.results[0])


def _final(problem: Problem) -> Problem:
    """A conflict that is the tool's own is no reason to run it again."""
    if problem.code is Code.CONFLICT:
        problem.details["settled"] = True
    return problem
