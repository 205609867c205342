"""What a running sequence knows by name: values that were there, those of its steps, and why others are not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from periplus.core.conditions.terms import Condition
from periplus.core.conditions.truth import Lack, holds
from periplus.core.sequence.plan import Planned
from periplus.core.sequence.references import Reference, read_path
from periplus.core.sequence.walking import value_at
from periplus.model import Code, Outcome, Problem, StepState


class Memory:
    """Values by name, while a sequence runs."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = dict(values)
        self._gone: dict[str, str] = {}

    def learn(self, planned: Planned, outcome: Outcome) -> None:
        """What a step came to is now what its names mean."""
        for name in planned.names:
            if outcome.state is StepState.OK:
                self._values[name] = outcome.value
            else:
                self._values.pop(name, None)
                self._gone[name] = _why(outcome)

    def value(self, reference: Reference, own: Mapping[str, Any]) -> Any:
        """What a reference means now; `own` are names of one item alone."""
        name = reference.name
        if name in own:
            return value_at(reference, own[name])
        if name in self._values:
            return value_at(reference, self._values[name])
        raise Problem(
            Code.REFERENCE_UNRESOLVED,
            f"{reference.text} has no value: {self._gone.get(name, 'nothing is called so')}",
            hints=("a condition like $name exists skips a step whose values are missing",),
            details={"reference": reference.text},
        )

    def holds(self, condition: Condition, own: Mapping[str, Any]) -> bool:
        """Whether a condition holds; what is missing, or failed, is known to be missing."""

        def lookup(text: str) -> Any:
            reference = read_path(text)
            try:
                return Lack.MISSING if reference is None else self.value(reference, own)
            except Problem:
                return Lack.MISSING

        return holds(condition, lookup) is True


def _why(outcome: Outcome) -> str:
    if outcome.problem is not None:
        said = outcome.problem
        return f"step {outcome.number} ({outcome.tool}) failed: {said.code.value}: {said.message[:300]}"
    if outcome.state is StepState.SKIPPED:
        return f"step {outcome.number} ({outcome.tool}) was skipped: its condition did not hold"
    return f"step {outcome.number} ({outcome.tool}) was not run"
