"""Schemas with what they refer to: gathered from shared definitions, and cut where that grows too large."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from periplus.model import Schema, Tool
from periplus.ports import Shape

SCHEMA_MAX = 1 << 20
_POINTER = "#/$defs/"


def references(schema: Any) -> list[str]:
    """The names of definitions a schema names anywhere, in order of first mention."""
    found: dict[str, None] = {}
    todo = [schema]
    while todo:
        value = todo.pop()
        if isinstance(value, dict):
            target = value.get("$ref")
            if isinstance(target, str) and target.startswith(_POINTER):
                found[target.removeprefix(_POINTER)] = None
            todo.extend(reversed(list(value.values())))
        elif isinstance(value, list):
            todo.extend(reversed(value))
    return list(found)


def with_definitions(tool: Tool, shapes: Mapping[str, Shape]) -> Tool:
    """The tool with self-contained schemas, from the definitions of its source."""
    return msgspec.structs.replace(
        tool,
        args_schema=_gathered(tool.args_schema, shapes),
        result_schema=None if tool.result_schema is None else _gathered(tool.result_schema, shapes),
    )


def _gathered(schema: Schema, shapes: Mapping[str, Shape]) -> Schema:
    names: dict[str, None] = {}
    todo = references(schema)
    while todo:
        name = todo.pop()
        if name in names or name not in shapes:
            continue
        names[name] = None
        todo.extend(shapes[name].refers)
    if not names:
        return schema
    return schema | {"$defs": {name: msgspec.json.decode(shapes[name].schema) for name in names}}


def bounded(schema: Schema | None, limit: int = SCHEMA_MAX) -> tuple[Schema | None, bool]:
    """The schema within its size: definitions farthest from the root become anything. And whether it was cut."""
    if schema is None or "$defs" not in schema:
        return schema, False
    definitions: dict[str, Schema] = schema["$defs"]
    sizes = {name: len(msgspec.json.encode(body)) for name, body in definitions.items()}
    root = {key: value for key, value in schema.items() if key != "$defs"}
    left = limit - len(msgspec.json.encode(root))
    if sum(sizes.values()) <= left:
        return schema, False
    kept: dict[str, Schema] = {}
    level = [name for name in references(root) if name in definitions]
    seen = set(level)
    while level:
        following: list[str] = []
        for name in level:
            fits = sizes[name] <= left
            left -= sizes[name] if fits else 0
            kept[name] = definitions[name] if fits else {}
            inner = references(definitions[name]) if fits else []
            following += [other for other in inner if other in definitions and other not in seen]
            seen.update(inner)
        level = list(dict.fromkeys(following))
    return root | {"$defs": kept}, True
