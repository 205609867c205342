"""A tool in the form model APIs take: a function with a name they accept and the whole schema."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from periplus.model import Schema, Tool, short_hash

_NOT_ALLOWED = re.compile(r"[^a-zA-Z0-9_-]+")
_NAME_MAX = 64


def function_name(text: str) -> str:
    """`^[a-zA-Z0-9_-]{1,64}$`; a longer one is cut and marked with its hash, so that two stay two."""
    name = _NOT_ALLOWED.sub("_", text).strip("_") or "tool"
    return name if len(name) <= _NAME_MAX else f"{name[: _NAME_MAX - 9]}_{short_hash(text, 8)}"


def argument_names(schema: Mapping[str, Any]) -> dict[str, str]:
    """Printed name -> real name of each argument; two that print alike are numbered (S-41)."""
    names: dict[str, str] = {}
    for real in schema.get("properties", {}):
        wish = _NOT_ALLOWED.sub("_", real).strip("_")[:_NAME_MAX] or "argument"
        number = 1
        printed = wish
        while printed in names:
            number += 1
            printed = f"{wish[: _NAME_MAX - 4]}_{number}"
        names[printed] = real
    return names


def openai_function(tool: Tool) -> dict[str, Any]:
    """The function-calling form of OpenAI-style APIs, with the complete schema."""
    return {
        "type": "function",
        "function": {
            "name": function_name(str(tool.ref).replace("/", "__")),
            "description": tool.description or tool.summary,
            "parameters": _parameters(tool.args_schema),
        },
    }


def _parameters(schema: Schema) -> Schema:
    printed = {real: name for name, real in argument_names(schema).items()}
    if all(real == name for real, name in printed.items()):
        return schema if "properties" in schema else schema | {"type": "object", "properties": {}}
    renamed = dict(schema)
    renamed["properties"] = {printed[real]: value for real, value in schema["properties"].items()}
    if "required" in schema:
        renamed["required"] = [printed.get(real, real) for real in schema["required"]]
    return renamed


def reduced(schema: Any, depth: int = 2) -> Any:
    """The schema to that depth of objects, without long texts: what fits where the whole does not."""
    if not isinstance(schema, Mapping):
        return schema
    kept = {key: schema[key] for key in ("type", "enum", "const", "format", "default", "$ref") if key in schema}
    if isinstance(text := schema.get("description"), str):
        kept["description"] = text[:120]
    if isinstance(kept.get("enum"), list):
        kept["enum"] = kept["enum"][:24]
    if depth > 0:
        if isinstance(properties := schema.get("properties"), Mapping):
            kept["properties"] = {name: reduced(value, depth - 1) for name, value in properties.items()}
            kept["required"] = schema.get("required", [])
        if "items" in schema:
            kept["items"] = reduced(schema["items"], depth - 1)
        for key in ("oneOf", "anyOf", "allOf"):
            if isinstance(schema.get(key), list):
                kept[key] = [reduced(branch, depth - 1) for branch in schema[key]]
    return kept
