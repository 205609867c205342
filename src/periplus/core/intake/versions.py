"""How a tool changed between two reads: its text, additively, or so that a caller may break (M-27)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Literal

from periplus.model import Tool

Kind = Literal["text", "additive", "breaking"]

_WORDING = frozenset(
    {"title", "description", "examples", "example", "default", "deprecated", "$comment", "externalDocs"}
)
_NAMED = frozenset({"properties", "$defs", "patternProperties", "dependentSchemas"})
_DEPTH = 60


def classify(old: Tool, new: Tool) -> Kind:
    """The strongest kind of change; what cannot be shown to be safe counts as breaking."""
    if old.schema_hash == new.schema_hash:
        return "text"
    args = _compare(_wordless(old.args_schema), _wordless(new.args_schema), accepts_more=True)
    result = _compare_result(old.result_schema, new.result_schema)
    if "breaking" in (args, result):
        return "breaking"
    return "additive" if "additive" in (args, result) else "text"


def next_version(version: str, kind: Kind) -> str:
    """`1.4.2` after a text change is `1.4.3`, after an addition `1.5.0`, after a break `2.0.0`."""
    found = re.fullmatch(r"(\d+)\.(\d+)\.(\d+)", version)
    major, minor, patch = (int(group) for group in found.groups()) if found else (1, 0, 0)
    if kind == "breaking":
        return f"{major + 1}.0.0"
    return f"{major}.{minor + 1}.0" if kind == "additive" else f"{major}.{minor}.{patch + 1}"


def _compare_result(old: dict[str, Any] | None, new: dict[str, Any] | None) -> Kind:
    if old is None or new is None:
        return "text" if old is new else "additive" if old is None else "breaking"
    return _compare(_wordless(old), _wordless(new), accepts_more=False)


def _wordless(schema: Any, *, named: bool = False) -> Any:
    """The schema without what only people read."""
    if isinstance(schema, dict):
        return {
            key: _wordless(value, named=key in _NAMED and not named)
            for key, value in schema.items()
            if named or key not in _WORDING
        }
    return [_wordless(item) for item in schema] if isinstance(schema, list) else schema


def _compare(old: Any, new: Any, *, accepts_more: bool, depth: int = 0) -> Kind:
    """Compare two schemas. `accepts_more`: an input may widen; otherwise an output may gain members."""
    if old == new:
        return "text"
    if not isinstance(old, Mapping) or not isinstance(new, Mapping) or depth > _DEPTH:
        return "breaking"
    kinds: set[Kind] = set()
    for key in old.keys() | new.keys():
        if old.get(key) != new.get(key):
            kinds.add(_keyword(key, old, new, accepts_more=accepts_more, depth=depth))
    return "breaking" if "breaking" in kinds else "additive" if "additive" in kinds else "text"


def _keyword(key: str, old: Mapping[str, Any], new: Mapping[str, Any], *, accepts_more: bool, depth: int) -> Kind:
    before, after = old.get(key), new.get(key)
    if key in {"properties", "$defs"}:
        return _members(before or {}, after or {}, accepts_more=accepts_more, depth=depth, removable=key == "$defs")
    if key == "items" and before is not None and after is not None:
        return _compare(before, after, accepts_more=accepts_more, depth=depth + 1)
    if key == "required":
        smaller, larger = (after or [], before or []) if accepts_more else (before or [], after or [])
        return "additive" if set(smaller) <= set(larger) else "breaking"
    if key == "enum" and isinstance(before, list) and isinstance(after, list) and accepts_more:
        return "additive" if all(value in after for value in before) else "breaking"
    if accepts_more and after is None and key in _BOUNDS:
        return "additive"
    return "breaking"


_BOUNDS = frozenset(
    {
        "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minLength", "maxLength", "pattern", "format",
        "minItems", "maxItems", "uniqueItems", "multipleOf", "minProperties", "maxProperties",
    }
)  # fmt: skip


def _members(
    old: Mapping[str, Any], new: Mapping[str, Any], *, accepts_more: bool, depth: int, removable: bool
) -> Kind:
    if not removable and old.keys() - new.keys():
        return "breaking"
    kinds: set[Kind] = {"additive"} if new.keys() - old.keys() else set()
    for name in old.keys() & new.keys():
        kinds.add(_compare(old[name], new[name], accepts_more=accepts_more, depth=depth + 1))
    return "breaking" if "breaking" in kinds else "additive" if "additive" in kinds else "text"
