"""One call of a session while it is worked on: what it stands on, and what it comes to."""

from __future__ import annotations

from functools import cached_property
from typing import Any, Literal

import msgspec

from periplus.core.workflows.definition import Definition
from periplus.core.workflows.facts import Facts
from periplus.core.workflows.model import Activity, Checkpoint
from periplus.core.workflows.record import Record
from periplus.core.workflows.snapshot import Snapshot
from periplus.core.workflows.tokens import Token
from periplus.model import Code, Problem

TRANSITION, VERSION, CLAIM, STEPS, ACTIVITIES, OWN = range(1, 7)
"""Groups of warnings, in the order in which they are told (W-80)."""

Warned = tuple[int, str]


class Rules(msgspec.Struct, frozen=True, kw_only=True):
    """What an operator has set for workflows."""

    server_name: str = "periplus"
    server_version: str = ""
    gate: Literal["activity", "all"] = "activity"
    min_response_ms: float = 3000.0
    verify: Literal["refuse", "warn", "off"] = "refuse"
    terminal: tuple[str, ...] = ("__terminal__", "workflow-end")
    ttl_s: float = 0.0  # idle seconds until a session expires; 0: never
    restore: bool = True
    bound: bool = True  # a token works only for who started its session
    short: bool = False
    step_tools: Literal["auto", "on", "off"] = "auto"


class Call(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """What a call of a session stands on. A retry after a lost race makes a new one."""

    rules: Rules
    snapshot: Snapshot
    definition: Definition
    record: Record
    token: Token
    now: int  # ms
    span: str = ""  # its place in the trail
    warned: tuple[Warned, ...] = ()

    @cached_property
    def facts(self) -> Facts:
        """What the session knows."""
        return Facts(self.definition, self.record)

    @cached_property
    def is_current(self) -> bool:
        """Whether its token is of the present visit."""
        return self.record.is_current(self.token)

    @property
    def seq(self) -> int:
        """The number of the token it will issue."""
        return self.record.seq + 1

    def activity(self, id_: str) -> Activity:
        """An activity of the workflow, else a problem with those there are."""
        loaded = self.definition.activities.get(id_)
        if loaded is None:
            known = ", ".join(self.definition.activities)
            raise Problem(Code.NOT_FOUND, f"Activity not found: {id_}", hints=(f"there are {known}",))
        if loaded.part is None:
            raise broken(self.definition.id, loaded.problems)
        return loaded.part

    def checkpoints(self, activity: Activity) -> tuple[Checkpoint, ...]:
        """Its checkpoints as the active modes have them."""
        overrides = self._overrides(activity)
        skipped = {id_ for one in overrides for id_ in one.skip_checkpoints}
        added = tuple(point for one in overrides for point in one.checkpoints)
        return tuple(point for point in (*activity.checkpoints, *added) if point.id not in skipped)

    def checkpoint(self, activity: Activity, id_: str) -> Checkpoint | None:
        """One checkpoint as it is authored, in whatever mode."""
        added = (point for one in activity.mode_overrides.values() for point in one.checkpoints)
        return next((point for point in (*activity.checkpoints, *added) if point.id == id_), None)

    def skipped_steps(self, activity: Activity) -> frozenset[str]:
        """Steps that the active modes leave out."""
        return frozenset(id_ for one in self._overrides(activity) for id_ in one.skip_steps)

    def added_steps(self, activity: Activity) -> tuple[Any, ...]:
        """Steps that the active modes add."""
        return tuple(step for one in self._overrides(activity) for step in one.steps)

    def _overrides(self, activity: Activity) -> list[Any]:
        modes = (mode.id for mode in self.facts.modes)
        return [activity.mode_overrides[id_] for id_ in modes if id_ in activity.mode_overrides]


class Done(msgspec.Struct, frozen=True, kw_only=True):
    """What a call came to: what its caller reads, what is written, and what the trace says was decided."""

    body: dict[str, Any]
    record: Record
    token: Token
    warned: tuple[Warned, ...] = ()
    decided: dict[str, Any] | None = None
    enters: bool = False  # it issues a trace token


def broken(id_: str, problems: Any) -> Problem:
    """The refusal of what cannot be used as it is on disk."""
    lines = [str(one) for one in problems if one.severity == "error"] or [str(one) for one in problems]
    places = tuple(f"{one.file}:{one.line}" if one.line else one.file for one in problems if one.severity == "error")
    return Problem(
        Code.DEFINITION_BROKEN,
        f"Workflow validation failed for {id_}: {'; '.join(lines[:10]) or 'nothing of it can be used'}",
        hints=(f"mend {', '.join(dict.fromkeys(places[:5]))}",) if places else ("mend the definition",),
        where=places[0] if places else None,
    )
