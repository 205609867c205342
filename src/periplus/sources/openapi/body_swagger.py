"""The body of a Swagger 2.0 operation in the form of 3.x: from `in: body`, or from `in: formData`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from periplus.model import Finding, FindingCode, Severity
from periplus.sources.openapi import media

_FORM: Final = "application/x-www-form-urlencoded"
_MULTIPART: Final = "multipart/form-data"
_NOT_SCHEMA: Final = frozenset({"name", "in", "required", "allowEmptyValue", "collectionFormat"})
Written = tuple[Mapping[str, Any], str]


def request_body(
    parameters: Sequence[Written], consumes: Sequence[str], where: str, operation: str
) -> tuple[dict[str, Any] | None, str, list[Finding]]:
    """The body, the base of its references, and what was wrong with it."""
    bodies = [one for one in parameters if one[0].get("in") == "body"]
    fields = [one for one in parameters if one[0].get("in") == "formData"]
    findings: list[Finding] = []
    if len(bodies) > 1 or (bodies and fields):
        finding = Finding(
            severity=Severity.WARNING,
            code=FindingCode.BAD_PARAMETER,
            where=where,
            message=f"{len(bodies) + len(fields)} parameters share the one body; the first body parameter is sent",
            operation=operation,
        )
        findings.append(finding)
    if bodies:
        return _whole(bodies[0][0], consumes), bodies[0][1], findings
    if fields:
        return _form(fields, consumes), fields[0][1], findings
    return None, "", findings


def _whole(written: Mapping[str, Any], consumes: Sequence[str]) -> dict[str, Any]:
    kinds = [name for name in consumes if media.read(name).kind not in {"form", "multipart"}]
    schema = written.get("schema", {})
    return {
        "required": written.get("required") is True,
        "description": written.get("description"),
        "content": {name: {"schema": schema} for name in kinds or ["application/json"]},
    }


def _form(fields: Sequence[Written], consumes: Sequence[str]) -> dict[str, Any]:
    properties: dict[str, Any] = {}
    encoding: dict[str, Any] = {}
    for written, _ in fields:
        name = str(written.get("name"))
        properties[name] = {key: value for key, value in written.items() if key not in _NOT_SCHEMA}
        if written.get("type") == "array":
            declared = written.get("collectionFormat")
            known = declared in ("csv", "ssv", "tsv", "pipes", "multi")
            encoding[name] = {"collection": declared if known else "csv"}
    required = [str(written.get("name")) for written, _ in fields if written.get("required") is True]
    has_file = any(written.get("type") == "file" for written, _ in fields)
    kinds = {media.read(name).kind for name in consumes}
    declared_type = _MULTIPART if has_file or ("multipart" in kinds and "form" not in kinds) else _FORM
    schema: dict[str, Any] = {"type": "object", "properties": properties}
    if required:
        schema["required"] = required
    return {
        "required": bool(required),
        "content": {declared_type: {"schema": schema, "encoding": encoding}},
    }
