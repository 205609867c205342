"""What each operation takes, and the words a model reads about it (W-2 to W-5)."""

from __future__ import annotations

from typing import Any

import msgspec

Schema = dict[str, Any]


class Described(msgspec.Struct, frozen=True, kw_only=True):
    """One operation without what it does."""

    name: str
    title: str
    description: str
    properties: Schema = {}
    required: tuple[str, ...] = ()
    reads: bool = True
    idempotent: bool = False

    @property
    def input(self) -> Schema:
        """The JSON Schema of its arguments."""
        schema: Schema = {"type": "object", "properties": self.properties, "additionalProperties": False}
        return schema | ({"required": list(self.required)} if self.required else {})


def _text(description: str = "", **more: Any) -> Schema:
    return {"type": "string"} | more | ({"description": description} if description else {})


def _list(description: str, members: Schema, required: tuple[str, ...]) -> Schema:
    item = {"type": "object", "properties": members, "required": list(required), "additionalProperties": False}
    return {"type": "array", "items": item, "description": description}


_TOKEN = _text("The newest token of your session.", minLength=1)
_ACTIVITY = _text("Id of an activity of the workflow.", minLength=1)
_CHECKPOINT = _text("Id of the checkpoint.", minLength=1)
_STEPS = _list(
    "What was done in the activity you leave, step by step.",
    {"step_id": _text(), "output": _text()},
    ("step_id", "output"),
)
_ACTIVITIES = _list(
    "What became of the activities so far.",
    {"activity_id": _text(), "outcome": _text(), "transition_condition": _text()},
    ("activity_id", "outcome"),
)

DESCRIBED = (
    Described(
        name="discover",
        title="How to begin",
        description="Start here: the server, the workflows it offers, and how a session is begun and walked.",
    ),
    Described(
        name="list_workflows",
        title="List workflows",
        description="Every workflow with title and description, to match against the person's goal.",
    ),
    Described(
        name="get_workflow",
        title="Read the workflow",
        description="The session's workflow: rules, variables, first activity, and where the session stands.",
        properties={
            "session_token": _TOKEN,
            "summary": {"type": "boolean", "default": True, "description": "false: all activities in full."},
        },
        required=("session_token",),
    ),
    Described(
        name="next_activity",
        title="Enter an activity",
        description=(
            "Enter an activity and get it complete: steps, checkpoints, and in `next` where it may lead. Refused while "
            "checkpoints of the present activity are open. A terminal target ends the workflow."
        ),
        properties={
            "session_token": _TOKEN,
            "activity_id": _ACTIVITY,
            "transition_condition": _text("Why: the text of the transition you follow, or `default`."),
            "step_manifest": _STEPS,
            "activity_manifest": _ACTIVITIES,
        },
        required=("session_token", "activity_id"),
        reads=False,
        idempotent=True,
    ),
    Described(
        name="get_checkpoint",
        title="Read a checkpoint",
        description="One checkpoint, ready to be shown to the person who decides.",
        properties={"session_token": _TOKEN, "activity_id": _ACTIVITY, "checkpoint_id": _CHECKPOINT},
        required=("session_token", "activity_id", "checkpoint_id"),
    ),
    Described(
        name="respond_checkpoint",
        title="Answer a checkpoint",
        description="Resolve an open checkpoint in exactly one way: the option chosen, its timer, or its condition.",
        properties={
            "session_token": _TOKEN,
            "checkpoint_id": _CHECKPOINT,
            "option_id": _text("The option the person chose."),
            "auto_advance": {"type": "boolean", "description": "true: its timer has run out; takes the default."},
            "condition_not_met": {"type": "boolean", "description": "true: its condition does not hold."},
        },
        required=("session_token", "checkpoint_id"),
        reads=False,
        idempotent=True,
    ),
    Described(
        name="get_trace",
        title="Read the trace",
        description="What happened in the session, or what trace tokens of it prove.",
        properties={
            "session_token": _TOKEN,
            "trace_tokens": {"type": "array", "items": _text(), "description": "As next_activity gave them."},
        },
        required=("session_token",),
    ),
    Described(name="health_check", title="Health", description="Status, version, counts and uptime."),
    Described(
        name="start_session",
        title="Start or join a session",
        description=(
            "Begin a session of a workflow. With `session_token`, join that session instead: a worker passes the token "
            "it was handed, and its own agent_id."
        ),
        properties={
            "workflow_id": _text("Id of the workflow.", minLength=1),
            "session_token": _text("Of the session to join.", minLength=1),
            "agent_id": _text("Who you are in the session, as `worker-1`."),
        },
        required=("workflow_id",),
        reads=False,
    ),
    Described(
        name="get_skills",
        title="Read the workflow's skills",
        description="The skills that hold for the whole workflow; read them before the first activity.",
        properties={"session_token": _TOKEN},
        required=("session_token",),
    ),
    Described(
        name="get_skill",
        title="Read a step's skill",
        description="How one step of the current activity is done; `_resources` names what to read with it.",
        properties={"session_token": _TOKEN, "step_id": _text("Id of the step.", minLength=1)},
        required=("session_token", "step_id"),
    ),
    Described(
        name="get_resource",
        title="Read a resource",
        description="One resource with its content.",
        properties={
            "session_token": _TOKEN,
            "resource_index": _text("As `_resources` gives it: `07`, `meta/00`.", minLength=1),
        },
        required=("session_token", "resource_index"),
    ),
)

RUN_STEP = Described(
    name="run_step",
    title="Run a step's tool",
    description="Run the tool that a step of the current activity is bound to; arguments go over those of the step.",
    properties={
        "session_token": _TOKEN,
        "step_id": _text("Id of the step.", minLength=1),
        "arguments": {"type": "object", "description": "Arguments of the tool."},
        "approval_id": _text("Of the approval a person has granted."),
    },
    required=("session_token", "step_id"),
    reads=False,
)

INSTRUCTIONS = (
    "Workflows are walked here step by step, and the server keeps the session.\n"
    "Call discover first; then start_session, get_skills, get_workflow, and next_activity with the initial activity.\n"
    "Every answer brings a new session_token: always send the newest. A worker joins its orchestrator's session with "
    "start_session and the token it was handed; it never begins its own.\n"
    "Checkpoints are questions to a person: show them (get_checkpoint), answer them (respond_checkpoint) with what "
    "the person chose. Until then the next activity stays closed.\n"
    "`next` in answers says which transitions hold; warnings in _meta.validation say what looks wrong."
)
