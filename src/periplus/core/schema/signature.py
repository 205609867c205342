"""A tool as something to read: a TypeScript function with its types, or one line."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping
from typing import Any

from periplus.core.schema.types import Types, facts, member, or_null, type_name
from periplus.model import Schema, Tool

_TAG = re.compile(r"</?[A-Za-z][^<>\n]{0,200}>")
_LINK = re.compile(r"!?\[([^\]\n]*)\]\([^)\s]*\)")
_WIDTH = 100
_COMMENT = 300
_MEMBERS = 60
_ARGUMENT_TYPES, _RESULT_TYPES = 60, 8  # what is given is written by hand; what comes back is looked at


def one_line(tool: Tool) -> str:
    """`harbour/berths/reserve(berth: string, date: string, side?: "port" | "starboard") -> Reservation`."""
    types = Types(_definitions(tool))
    required = tool.args_schema.get("required", [])
    arguments = [
        f"{member(name)}{'' if name in required else '?'}: {types.of(schema, 2)}"
        for name, schema in _ordered(tool.args_schema)
    ]
    return f"{tool.ref}({', '.join(arguments)}) -> {_result(tool, types)}"


def signature(tool: Tool) -> str:
    """The tool to read: what it does, a function, the types of its arguments, and the nearest of its result."""
    types = Types(_definitions(tool))
    name = member(tool.ref.leaf.replace("-", "_").replace(".", "_").replace("@", "_"))
    body = _members(tool.args_schema, types, indent="  ")
    arguments = f"args: {{\n{body}\n}}" if body else ""
    declared: dict[str, str] = {}
    _declare(declared, types, _ARGUMENT_TYPES)
    result = _result(tool, types)
    _declare(declared, types, len(declared) + _RESULT_TYPES)
    lines = [*_header(tool), f"function {name}({arguments}): {result}", *declared.values()]
    if further := [name for name in types.named if name not in declared]:
        lines.append(f"\n// and {', '.join(further)}: see the JSON Schema")
    return "\n".join(lines)


def _declare(declared: dict[str, str], types: Types, most: int) -> None:
    """Declarations of named types, those named first before those that they name."""
    while left := [name for name in types.named if name not in declared][: most - len(declared)]:
        for name in left:
            declared[name] = _declaration(name, types.named[name], types)


def _header(tool: Tool) -> list[str]:
    summary, text = tool.summary, _readable(tool.description)
    lines = _wrapped(text or summary)
    if text and not _begins(text, summary):
        lines = [*_wrapped(summary), "", *lines]
    marks = [tool.effect.word, *(["idempotent"] if tool.idempotent else []), *([tool.origin] if tool.origin else [])]
    lines += ["", f"@effect {' · '.join(marks)}"]
    if tool.requires_approval:
        lines.append("@approval A person must approve this call.")
    if tool.deprecated:
        lines.append(f"@deprecated {tool.deprecated if isinstance(tool.deprecated, str) else ''}".rstrip())
    return ["/**", *(f" * {line}".rstrip() for line in lines), " */"]


def _readable(text: str) -> str:
    """The text without HTML tags and link targets, which a terminal cannot follow."""
    return _LINK.sub(r"\1", _TAG.sub("", text)).strip()


def _begins(text: str, summary: str) -> bool:
    return " ".join(text.split()).startswith(summary.rstrip("….").strip())


def _wrapped(text: str) -> list[str]:
    short = text if len(text) <= _COMMENT * 4 else text[: _COMMENT * 4].rsplit(" ", 1)[0] + " …"
    safe = short.replace("*/", "* /")
    return [line for part in safe.splitlines() for line in (textwrap.wrap(part, _WIDTH - 3) or [""])]


def _ordered(schema: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Required first, then as declared."""
    properties = schema.get("properties")
    if not isinstance(properties, Mapping):
        return []
    required = schema.get("required", [])
    return sorted(properties.items(), key=lambda item: item[0] not in required)


def _members(schema: Mapping[str, Any], types: Types, indent: str) -> str:
    required = schema.get("required", [])
    lines: list[str] = []
    members = _ordered(schema)
    for name, value in members[:_MEMBERS]:
        lines += [f"{indent}/** {text} */" for text in _remark(value)]
        note = facts(value)
        optional = "" if name in required else "?"
        lines.append(f"{indent}{member(name)}{optional}: {types.of(value)};{f'  // {note}' if note else ''}")
    if len(members) > _MEMBERS:
        lines.append(f"{indent}// and {len(members) - _MEMBERS} more: see the JSON Schema")
    more = schema.get("additionalProperties")
    if isinstance(more, Mapping) and more and members:
        lines.append(f"{indent}[name: string]: {types.of(more)};")
    return "\n".join(lines)


def _remark(schema: Any) -> list[str]:
    text = schema.get("description") if isinstance(schema, Mapping) else None
    if not isinstance(text, str) or not text.strip():
        return []
    flat = " ".join(_readable(text).replace("*/", "* /").split())
    return [flat if len(flat) <= _COMMENT else flat[:_COMMENT].rsplit(" ", 1)[0] + " …"]


def _declaration(name: str, schema: Mapping[str, Any], types: Types) -> str:
    comment = "".join(f"/** {text} */\n" for text in _remark(schema))
    if schema.get("properties") and not schema.keys() & {"allOf", "oneOf", "anyOf"}:
        return f"\n{comment}interface {name} {{\n{_members(schema, types, indent='  ')}\n}}"
    return f"\n{comment}type {name} = {types.of(schema)}"


def _result(tool: Tool, types: Types) -> str:
    schema = tool.result_schema
    if schema is None:
        return "any"
    if schema.get("properties") and "$ref" not in schema:
        title = schema.get("title")
        name = type_name(title if isinstance(title, str) and title else f"{tool.ref.leaf} response")
        types.named.setdefault(name, schema)
        return or_null(name, schema)
    return types.of(schema)


def _definitions(tool: Tool) -> Schema:
    result: Schema = tool.result_schema or {}
    return {**result.get("$defs", {}), **tool.args_schema.get("$defs", {})}
