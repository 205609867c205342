"""Values in another spelling of the type that is wanted: `"5"` for an integer, one value for a list (H-57)."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from periplus.core.mending.places import allowed, branches, item, member, type_of, types
from periplus.model import Schema, Tool

_INTEGER = re.compile(r"-?(?:0|[1-9]\d{0,300})")
_NUMBER = re.compile(r"-?(?:0|[1-9]\d{0,300})(?:\.\d{1,300})?(?:[eE][+-]?\d{1,2})?")
_SEPARATORS = re.compile(r"[\s_.-]+")
_SHOWN = 60
_NONE = object()


def repaired(tool: Tool, arguments: dict[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The arguments with what can be read in one way only read so, and a note on each."""
    root = tool.args_schema
    notes: list[str] = []
    made = _members(arguments, list(branches(root, root)), root, "", notes)
    return made, tuple(notes)


def _members(value: dict[str, Any], schemas: list[Schema], root: Schema, at: str, notes: list[str]) -> dict[str, Any]:
    return {name: _value(one, member(schemas, name, root), root, f"{at}/{name}", notes) for name, one in value.items()}


def _value(value: Any, schemas: list[Schema], root: Schema, at: str, notes: list[str]) -> Any:
    read = _read(value, schemas, root)
    if read is not _NONE:
        notes.append(f"repaired: {at}: {_shown(value)} taken as {_shown(read)}")
        value = read
    if isinstance(value, dict):
        return _members(value, schemas, root, at, notes)
    if isinstance(value, list):
        return [_value(one, item(schemas, n, root), root, f"{at}/{n}", notes) for n, one in enumerate(value)]
    return value


def _read(value: Any, schemas: list[Schema], root: Schema) -> Any:
    """The value in the form that is wanted; `_NONE` where it has it, or cannot be said in it."""
    kind, wanted = type_of(value), types(schemas)
    if not kind or not wanted:
        return _NONE
    if kind in wanted or (kind == "integer" and "number" in wanted) or (kind == "number" and wanted & {"integer"}):
        return _member_of(value, schemas) if kind == "string" else _NONE
    if isinstance(value, str) and (read := _from_text(value.strip(), wanted)) is not _NONE:
        return read
    if "array" in wanted and value is not None:
        inner = _read(value, item(schemas, 0, root), root)
        return [value if inner is _NONE else inner]
    return _NONE


def _from_text(text: str, wanted: frozenset[str]) -> Any:
    if "integer" in wanted and _INTEGER.fullmatch(text):
        return int(text)
    if "number" in wanted and _NUMBER.fullmatch(text):
        return msgspec.json.decode(text)
    if "boolean" in wanted and text.lower() in ("true", "false"):
        return text.lower() == "true"
    if text[:1] in "{[" and text:
        try:
            read = msgspec.json.decode(text)
        except msgspec.DecodeError:
            return _NONE
        return read if type_of(read) in wanted else _NONE
    return _NONE


def _member_of(value: str, schemas: list[Schema]) -> Any:
    """The one member of an enum that differs only in case and separators."""
    if any("enum" not in schema and "const" not in schema for schema in schemas if _may_be_text(schema)):
        return _NONE
    members = [one for one in allowed(schemas) if isinstance(one, str)]
    if not members or value in members:
        return _NONE
    near = [one for one in members if _folded(one) == _folded(value)]
    return near[0] if len(near) == 1 else _NONE


def _may_be_text(schema: Schema) -> bool:
    return "string" in types([schema]) or not types([schema])


def _folded(text: str) -> str:
    return _SEPARATORS.sub("", text).casefold()


def _shown(value: Any) -> str:
    text = msgspec.json.encode(value).decode()
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"
