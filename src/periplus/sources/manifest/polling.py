"""How a long-running tool is followed, believed only as far as the same manifest has what it names (M-35)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from periplus.documents.schemas import Findings, shown
from periplus.model import FindingCode
from periplus.sources.manifest.members import number, snaked

SECTIONS = ("status_polling", "completion_conditions", "progress_tracking", "cancellation")


def polling(
    written: Any, where: str, name: str, parameters: Mapping[str, frozenset[str]], findings: Findings
) -> dict[str, Any]:
    """The behaviour in snake_case, or nothing and a finding; `parameters` are those of every tool by name."""
    told = snaked(written)
    found = told if isinstance(told, dict) else {}
    sections = {name: _numbers(found[name]) for name in SECTIONS if isinstance(found.get(name), dict)}
    fault = _fault(sections, parameters)
    if not fault:
        return sections
    findings.lost(
        FindingCode.ASYNC_UNPOLLABLE,
        f"{where}/metadata/async_behavior",
        name,
        f"its runs cannot be followed: {fault}; it is taken without that",
    )
    return {}


def _fault(sections: Mapping[str, dict[str, Any]], parameters: Mapping[str, frozenset[str]]) -> str:
    if "status_polling" not in sections:
        return "it has no status_polling"
    return _missing(sections["status_polling"], "status", parameters) or (
        _missing(sections["cancellation"], "cancel", parameters) if "cancellation" in sections else ""
    )


def _missing(section: Mapping[str, Any], role: str, parameters: Mapping[str, frozenset[str]]) -> str:
    tool, parameter = section.get(f"{role}_tool"), section.get(f"{role}_tool_id_param")
    if not isinstance(tool, str) or tool not in parameters:
        return f"{role}_tool {shown(tool)} is not in this manifest"
    if not isinstance(parameter, str) or parameter not in parameters[tool]:
        return f"{role}_tool {tool!r} has no parameter {shown(parameter)}"
    return ""


def _numbers(section: Any) -> Any:
    """Durations that came as text as numbers."""
    if not isinstance(section, dict):
        return section
    return {
        name: found
        if name.endswith(("_seconds", "multiplier")) and (found := number(value)) is not None
        else _numbers(value)
        for name, value in section.items()
    }
