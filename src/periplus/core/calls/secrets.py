"""Arguments as a person who is asked may see them."""

from __future__ import annotations

from typing import Any

from periplus.core.redaction import HIDDEN, redacted
from periplus.model import Tool

_LONG = 2000
_MANY = 100


def without_secrets(tool: Tool, arguments: dict[str, Any]) -> dict[str, Any]:
    """The arguments without secrets: by their names, their form, and what the schema calls a password. Texts cut."""
    return {name: redacted({name: value})[name] for name, value in _told(arguments, tool.args_schema).items()}


def _told(arguments: dict[str, Any], schema: Any) -> dict[str, Any]:
    properties = schema.get("properties") if isinstance(schema, dict) else None
    known: dict[str, Any] = properties if isinstance(properties, dict) else {}
    return {name: _shown(value, known.get(name)) for name, value in arguments.items()}


def _shown(value: Any, schema: Any) -> Any:
    said: dict[str, Any] = schema if isinstance(schema, dict) else {}
    if said.get("format") == "password" or said.get("writeOnly") is True:
        return HIDDEN
    if isinstance(value, dict):
        return _told(value, said)
    if isinstance(value, list):
        return [_shown(item, said.get("items")) for item in value[:_MANY]]
    if isinstance(value, str) and len(value) > _LONG:
        return f"{value[:_LONG]}… ({len(value):,} characters)"
    return value
