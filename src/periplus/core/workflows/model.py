"""What a workflow is: the parts of a definition as its author writes them.

A default that is a flag or a number is written into answers; an optional text or list that is absent stays absent.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec

from periplus.core.workflows.conditions import Condition

ID_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$"
Id = Annotated[str, msgspec.Meta(pattern=ID_PATTERN)]
Name = Annotated[str, msgspec.Meta(min_length=1)]
Semver = Annotated[str, msgspec.Meta(pattern=r"^\d+\.\d+\.\d+$")]
Estimate = Annotated[
    str,
    msgspec.Meta(
        pattern=r"^\d+(-\d+)?\s*([mM]|[mM][iI][nN]|[hH]|[hH][rR]|[hH][oO][uU][rR][sS]?|[dD]|[dD][aA][yY][sS]?)?$"
    ),
]
Texts = tuple[str, ...]


class Part(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A part of a definition. Unknown keys are kept beside it and returned as they were written."""


class Variable(Part, frozen=True, kw_only=True):
    """A value the workflow knows by name."""

    name: Name
    type: Literal["string", "number", "boolean", "array", "object"]
    description: str = ""
    default_value: Any = None
    required: bool = False


class Mode(Part, frozen=True, kw_only=True):
    """A way to walk the same workflow differently."""

    id: Name
    name: str
    description: str = ""
    activation_variable: Name
    recognition: Texts = ()
    skip_activities: Texts = ()
    defaults: dict[str, Any] = {}
    resource: str = ""


class Location(Part, frozen=True, kw_only=True):
    """Where artifacts of a kind lie."""

    path: str
    description: str = ""
    gitignored: bool = False


class Role(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Somebody who takes part."""

    id: Name
    description: str


class ExecutionModel(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Who takes part."""

    roles: Annotated[tuple[Role, ...], msgspec.Meta(min_length=1)]


class Act(Part, frozen=True, kw_only=True):
    """Something the agent is to do at a border; the server runs none."""

    action: Literal["log", "validate", "set", "emit", "message"]
    target: str = ""
    message: str = ""
    value: Any = None


class Binding(Part, frozen=True, kw_only=True):
    """A tool of the catalog that a step runs."""

    ref: Name
    arguments: dict[str, Any] = {}
    save: str = ""
    requires: Texts = ()


class Step(Part, frozen=True, kw_only=True):
    """One thing to do."""

    id: Name
    name: str
    description: str = ""
    skill: str = ""
    tool: str | Binding | None = msgspec.field(default=None)
    required: bool = True
    condition: Condition | None = None
    actions: tuple[Act, ...] = ()

    @property
    def binding(self) -> Binding | None:
        """The tool it runs, if any."""
        return Binding(ref=self.tool) if isinstance(self.tool, str) else self.tool


class Effect(Part, frozen=True, kw_only=True):
    """What choosing an option brings about."""

    set_variable: dict[str, Any] = {}
    transition_to: str = ""
    skip_activities: Texts = ()


class Option(Part, frozen=True, kw_only=True):
    """One answer to a checkpoint."""

    id: Name
    label: str
    description: str = ""
    effect: Effect | None = None


class Checkpoint(Part, frozen=True, kw_only=True):
    """A question that has to be answered before the workflow goes on."""

    id: Name
    name: str
    message: str
    condition: Condition | None = None
    options: Annotated[tuple[Option, ...], msgspec.Meta(min_length=1)]
    required: bool = True
    blocking: bool = True
    default_option: str = ""
    auto_advance_ms: Annotated[int, msgspec.Meta(gt=0)] | None = None
    answered_by: Literal["agent", "human"] | None = None

    def option(self, id_: str) -> Option | None:
        """The option of this id."""
        return next((option for option in self.options if option.id == id_), None)


class Branch(Part, frozen=True, kw_only=True):
    """One way on from a decision; without a target the workflow ends."""

    id: Name
    label: str
    condition: Condition | None = None
    transition_to: str = ""
    is_default: bool = False


class Decision(Part, frozen=True, kw_only=True):
    """A fork in the way."""

    id: Name
    name: str
    description: str = ""
    branches: Annotated[tuple[Branch, ...], msgspec.Meta(min_length=2)]


class Loop(Part, frozen=True, kw_only=True):
    """Steps that are done several times."""

    id: Name
    name: str
    type: Literal["forEach", "while", "doWhile"]
    variable: str = ""
    over: str = ""
    condition: Condition | None = None
    max_iterations: int = 100
    break_condition: Condition | None = None
    steps: tuple[Step, ...] = ()
    activities: Texts = ()


class Transition(Part, frozen=True, kw_only=True):
    """A way to another activity."""

    to: Name
    condition: Condition | None = None
    is_default: bool = False


class Trigger(Part, frozen=True, kw_only=True):
    """Another workflow that is started from here."""

    workflow: Name
    description: str = ""
    pass_context: Texts = ()


class Artifact(Part, frozen=True, kw_only=True):
    """Something the activity leaves behind."""

    id: Name
    name: str
    location: str = ""
    description: str = ""
    action: Literal["create", "update"] | None = None


class ActivitySkills(Part, frozen=True, kw_only=True):
    """What an activity wants known."""

    primary: str = ""
    supporting: Texts = ()


class ModeOverride(Part, frozen=True, kw_only=True):
    """How an activity differs in a mode."""

    description: str = ""
    rules: Texts = ()
    steps: tuple[Step, ...] = ()
    skip_steps: Texts = ()
    skip_checkpoints: Texts = ()
    checkpoints: tuple[Checkpoint, ...] = ()
    transition_override: str = ""
    context_to_preserve: Texts = msgspec.field(default=(), name="context_to_preserve")


class Activity(Part, frozen=True, kw_only=True):
    """A stretch of the way."""

    id: Id
    version: Semver
    name: str
    description: str = ""
    problem: str = ""
    recognition: Texts = ()
    skills: ActivitySkills = ActivitySkills()
    steps: tuple[Step, ...] = ()
    checkpoints: tuple[Checkpoint, ...] = ()
    decisions: tuple[Decision, ...] = ()
    loops: tuple[Loop, ...] = ()
    transitions: tuple[Transition, ...] = ()
    triggers: tuple[Trigger, ...] = ()
    entry_actions: tuple[Act, ...] = ()
    exit_actions: tuple[Act, ...] = ()
    outcome: Texts = ()
    context_to_preserve: Texts = msgspec.field(default=(), name="context_to_preserve")
    required: bool = True
    estimated_time: Estimate | None = None
    rules: Texts = ()
    artifacts: tuple[Artifact, ...] = ()
    mode_overrides: dict[str, ModeOverride] = {}

    def loop_steps(self) -> tuple[Step, ...]:
        """The steps of its loops, in order."""
        return tuple(step for loop in self.loops for step in loop.steps)


class Workflow(Part, frozen=True, kw_only=True):
    """A whole workflow, with the activities that stand in its own file."""

    schema_: str = msgspec.field(default="", name="$schema")
    id: Id
    version: Semver
    title: str
    description: str = ""
    author: str = ""
    tags: Texts = ()
    rules: Texts = ()
    variables: tuple[Variable, ...] = ()
    modes: tuple[Mode, ...] = ()
    artifact_locations: dict[str, str | Location] = {}
    execution_model: ExecutionModel
    skills: Texts = ()
    initial_activity: str = ""
    activities_dir: str = "activities"
    activities: tuple[dict[str, Any], ...] = ()
