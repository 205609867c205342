"""Unions, in the shortest schema that says the same."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from periplus.model import Schema

_NULL = {"type": "null"}
_STRUCTURE = frozenset({"$ref", "anyOf", "oneOf", "allOf", "not", "const", "if"})


def union(branches: Sequence[Schema]) -> Schema:
    """What any of the branches takes."""
    flat = _flat(branches)
    if any(not branch for branch in flat):
        return {}
    values = [branch for branch in flat if branch != _NULL]
    nullable = len(values) < len(flat)
    merged = _merged(values)
    if not nullable:
        return merged[0] if len(merged) == 1 else {"anyOf": merged}
    if not merged:
        return dict(_NULL)
    return or_null(merged[0]) if len(merged) == 1 else {"anyOf": [*merged, dict(_NULL)]}


def or_null(schema: Schema) -> Schema:
    """The schema, and null."""
    kinds = _kinds(schema)
    if not schema or "null" in kinds or _NULL in schema.get("anyOf", ()):
        return schema
    if not kinds or schema.keys() & _STRUCTURE:
        only_branches = schema.keys() == {"anyOf"}
        return {"anyOf": [*(schema["anyOf"] if only_branches else [schema]), dict(_NULL)]}
    more: dict[str, Any] = {"enum": [*schema["enum"], None]} if "enum" in schema else {}
    return schema | {"type": [*kinds, "null"]} | more


def _flat(branches: Sequence[Schema]) -> list[Schema]:
    found: list[Schema] = []
    for branch in branches:
        inner = branch["anyOf"] if branch.keys() == {"anyOf"} else [branch]
        found += [each for each in inner if each not in found]
    return found


def _merged(values: Sequence[Schema]) -> list[Schema]:
    """Plain types as one list of types, plain enumerations as one."""
    plain = [kind for schema in values if schema.keys() == {"type"} for kind in _kinds(schema)]
    if "number" in plain:
        plain = [kind for kind in plain if kind != "integer"]
    plain = list(dict.fromkeys(plain))
    result = [schema for schema in values if schema.keys() != {"type"}]
    if len(result) > 1 and all(schema.keys() == {"type", "enum"} for schema in result):
        kinds = list(dict.fromkeys(kind for schema in result for kind in _kinds(schema)))
        enum = [value for schema in result for value in schema["enum"]]
        result = [{"type": kinds[0] if len(kinds) == 1 else kinds, "enum": enum}]
    if plain:
        result.append({"type": plain[0] if len(plain) == 1 else plain})
    return result


def _kinds(schema: Schema) -> list[str]:
    kinds = schema.get("type", [])
    return list(kinds) if isinstance(kinds, list) else [kinds]
