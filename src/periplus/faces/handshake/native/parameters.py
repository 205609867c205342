"""An input schema as the list of parameters that native sites have for one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from periplus.faces.handshake.types import Types

_POINTER = "#/$defs/"
_DEEP = 4
_SAID = frozenset({"type", "description", "title", "default", "enum", "const"})


def listed_parameters(schema: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Every parameter, required ones first; nothing in one is null where a text is expected."""
    definitions = schema.get("$defs", {})
    whole = Types(dict(definitions)).merged(schema)
    required = set(whole.get("required") or ())
    listed = [
        _parameter(name, _expanded(member, definitions, ()), required=name in required)
        for name, member in (whole.get("properties") or {}).items()
    ]
    return sorted(listed, key=lambda one: not one["required"])


def _parameter(name: str, member: Any, *, required: bool) -> dict[str, Any]:
    member = _without_null(member)
    described = member.get("description") or member.get("title")
    return {
        "name": name,
        "type": _type(member),
        "description": described if isinstance(described, str) else "",
        "required": required,
        "default": member.get("default"),
        "options": _options(member),
        "aliases": [],
        "location": "body",
        "meta": {},
    }


def _without_null(schema: Any) -> Mapping[str, Any]:
    """What may also be null is told as what it is otherwise: leaving it out says the same."""
    if not isinstance(schema, dict):
        return {}
    for key in ("anyOf", "oneOf"):
        branches = schema.get(key)
        kept = [one for one in branches if one != {"type": "null"}] if isinstance(branches, list) else []
        if len(kept) == 1 and isinstance(kept[0], dict):
            return {**{name: value for name, value in schema.items() if name != key}, **kept[0]}
    return schema


def _type(member: Mapping[str, Any]) -> str:
    kind = member.get("type")
    kinds = [kind] if isinstance(kind, str) else [one for one in kind or () if one != "null"]
    if len(kinds) == 1:
        return str(kinds[0])
    values = [member["const"]] if "const" in member else member.get("enum") or ()
    return "string" if values and all(isinstance(value, str) for value in values) else "any"


def _options(member: Mapping[str, Any]) -> Any:
    """Its values where they are few, else what its type leaves open: items, members, bounds."""
    if "const" in member:
        return [member["const"]]
    if isinstance(values := member.get("enum"), list):
        return values
    if member.get("type") == "array":
        return member.get("items") or None
    rest = {key: value for key, value in member.items() if key not in _SAID}
    return rest or None


def _expanded(schema: Any, definitions: Mapping[str, Any], inside: tuple[str, ...]) -> Any:
    """The schema without references, since a parameter stands alone; what would never end is anything."""
    if isinstance(schema, list):
        return [_expanded(item, definitions, inside) for item in schema]
    if not isinstance(schema, dict):
        return schema
    target = schema.get("$ref")
    if isinstance(target, str):
        if target in inside or len(inside) >= _DEEP:
            return {}
        rest = {key: value for key, value in schema.items() if key != "$ref"}
        behind = {**definitions.get(target.removeprefix(_POINTER), {}), **rest}
        return _expanded(behind, definitions, (*inside, target))
    return {key: _expanded(value, definitions, inside) for key, value in schema.items()}
