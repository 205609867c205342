"""What a skill is: knowledge of how something is done, as its author writes it."""

from __future__ import annotations

from typing import Any

import msgspec

from periplus.core.workflows.model import Id, Name, Semver, Texts


class ToolUse(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """How a skill uses one tool."""

    when: str = ""
    params: Any = None
    returns: Any = None
    next: str = ""
    action: Any = None
    usage: Any = None
    preserve: Texts = ()


class SkillError(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What can go wrong, and what then."""

    cause: str = ""
    recovery: str = ""
    detection: str = ""
    resolution: Texts = ()
    note: str = ""


class Input(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What a skill needs."""

    id: Name
    description: str = ""
    required: bool = True
    default: Any = None


class Output(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What a skill gives."""

    id: Name
    description: str = ""
    components: dict[str, Any] = {}
    artifact: dict[str, Any] = {}


class Skill(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Knowledge of how to do something."""

    id: Id
    version: Semver
    capability: str
    description: str = ""
    architecture: dict[str, Any] = {}
    tools: dict[str, ToolUse] = {}
    flow: Texts = ()
    matching: dict[str, Any] = {}
    state: Any = None
    state_structure: Any = msgspec.field(default=None, name="state_structure")
    numeric_format: Any = msgspec.field(default=None, name="numeric_format")
    initialization: Any = None
    update_patterns: Any = msgspec.field(default=None, name="update_patterns")
    checkpoint_response_format: Any = msgspec.field(default=None, name="checkpoint_response_format")
    decision_outcome_format: Any = msgspec.field(default=None, name="decision_outcome_format")
    history_event_types: Any = msgspec.field(default=None, name="history_event_types")
    history_entry_format: Any = msgspec.field(default=None, name="history_entry_format")
    status_values: Any = msgspec.field(default=None, name="status_values")
    interpretation: Any = None
    resumption: Any = None
    rules: dict[str, str | Texts] = {}
    errors: dict[str, SkillError] = {}
    inputs: tuple[Input, ...] = ()
    protocol: dict[str, Texts] = {}
    output: tuple[Output, ...] = ()
    resources: Texts = ()
