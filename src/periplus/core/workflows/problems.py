"""What is wrong with definitions on disk, said once and kept with them (W-24)."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Any

import msgspec


class Severity(StrEnum):
    """How much a problem spoils."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class LoadCode(StrEnum):
    """What can be wrong with a definition."""

    PARSE_ERROR = "parse_error"
    PARSE_LENIENT = "parse_lenient"
    SCHEMA = "schema"
    UNKNOWN_KEY = "unknown_key"
    ID_DIFFERS = "id_differs"
    DUPLICATE_ID = "duplicate_id"
    SHADOWED = "shadowed"
    DANGLING_TARGET = "dangling_target"
    INITIAL_ACTIVITY_MISSING = "initial_activity_missing"
    UNRESOLVED_SKILL = "unresolved_skill"
    UNRESOLVED_RESOURCE = "unresolved_resource"
    UNRESOLVED_WORKFLOW = "unresolved_workflow"
    UNRESOLVED_TOOL = "unresolved_tool"
    OUTSIDE_ROOT = "outside_root"
    TOO_LARGE = "too_large"
    UNREADABLE = "unreadable"


class LoadProblem(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One thing wrong in one file; `file` is relative to the directory of definitions."""

    severity: Severity
    code: LoadCode
    workflow: str
    file: str
    line: int | None = None
    where: str = ""
    message: str

    def to_json(self) -> dict[str, Any]:
        """Without what is not known."""
        said: dict[str, Any] = msgspec.to_builtins(self)
        return said

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where else ""
        return f"{place}{self.message}"


def errors(problems: Iterable[LoadProblem]) -> list[LoadProblem]:
    """Those that break what they are about."""
    return [one for one in problems if one.severity is Severity.ERROR]
