"""A workflow as it was read: its parts, what answers show of them, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Any, Generic, TypeVar

import msgspec

from periplus.core.workflows.model import Activity, Mode, Step, Workflow
from periplus.core.workflows.problems import LoadProblem, errors
from periplus.core.workflows.skill import Skill

T = TypeVar("T")
META = "meta"
SHIPPED = "periplus"
"""What the shipped layer is called where a source or a resource names it."""


class Loaded(msgspec.Struct, Generic[T], frozen=True, kw_only=True):
    """A part from one file: what it is, as answers show it; nothing but problems where it is broken."""

    id: str
    file: str
    number: str = ""
    part: T | None = None
    body: dict[str, Any] = {}
    problems: tuple[LoadProblem, ...] = ()


class Document(msgspec.Struct, frozen=True, kw_only=True):
    """A resource."""

    file: str  # its name without the folder
    number: str
    id: str = ""
    version: str = ""
    content: str = ""


class Definition(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """One folder or file of a directory, whole."""

    folder: str
    layer: int  # which directory it is from; the shipped one is the last
    shipped: bool = False
    id: str
    title: str
    version: str = "0.0.0"
    workflow: Workflow | None = None
    body: dict[str, Any] = {}  # without activities
    activities: dict[str, Loaded[Activity]] = {}
    skills: dict[str, Loaded[Skill]] = {}
    documents: tuple[Document, ...] = ()
    problems: tuple[LoadProblem, ...] = ()
    fatal: bool = False
    digest: str = ""

    @property
    def source(self) -> str:
        """What answers call the place a skill of this came from."""
        return SHIPPED if self.shipped and self.folder == META else self.id

    @cached_property
    def is_whole(self) -> bool:
        """Whether nothing of the workflow and its activities is broken."""
        return not self.fatal and all(one.part for one in self.activities.values())

    @cached_property
    def faults(self) -> list[LoadProblem]:
        """What broke it."""
        return errors(self.problems)

    @cached_property
    def agent_names(self) -> frozenset[str]:
        """Variables that some action of the workflow tells the agent to set: their values are the agent's to know."""
        return frozenset(name for one in self.activities.values() if one.part for name in _set_names(one.body))

    @cached_property
    def defaults(self) -> dict[str, Any]:
        """Declared default values."""
        declared = self.body.get("variables", ())
        return {one["name"]: one["defaultValue"] for one in declared if "defaultValue" in one}

    def valid(self) -> tuple[Activity, ...]:
        """The activities that can be entered, in order."""
        return tuple(one.part for one in self.activities.values() if one.part)

    def modes(self) -> tuple[Mode, ...]:
        """The modes it may be walked in."""
        return self.workflow.modes if self.workflow else ()


def all_steps(activity: Activity) -> tuple[Step, ...]:
    """Its steps, those of its loops and those that modes add."""
    added = tuple(step for mode in activity.mode_overrides.values() for step in mode.steps)
    return (*activity.steps, *activity.loop_steps(), *added)


def _set_names(part: Any) -> Iterator[str]:
    """What `set` actions anywhere in a part name, by `target` or, as definitions in use do too, by `variable`."""
    if isinstance(part, dict):
        if part.get("action") == "set":
            yield from (str(part[key]) for key in ("target", "variable") if part.get(key))
        part = list(part.values())
    if isinstance(part, list):
        for inner in part:
            yield from _set_names(inner)


def binds_tools(definitions: Iterable[Definition]) -> bool:
    """Whether any step of these definitions runs a tool."""
    return any(step.tool for one in definitions for activity in one.valid() for step in all_steps(activity))
