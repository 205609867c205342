"""What each keyword of a schema may be and what becomes of it: one table, looked up once per keyword.

A rule is a type (a value of it stays as it is), a function `(walk, value, schema) -> value`, or absent (the
keyword is no part of what is kept). Keywords that concern others set `walk.turn`: see `schema_turns`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from periplus.documents.schemas.patterns import runs

if TYPE_CHECKING:
    from periplus.sources.openapi.schema_walk import Walk

type_names: Final = frozenset({"string", "integer", "number", "boolean", "object", "array", "null"})


class _Mark:
    """A word of this table that no document can contain."""


DROP: Final = _Mark()  # the value is wrong: the keyword goes, with a finding
QUIETLY: Final = _Mark()  # the keyword goes, without one

Rule = Callable[["Walk", Any, dict[str, Any]], Any]


def _type(walk: Walk, value: Any, schema: dict[str, Any]) -> Any:
    if value.__class__ is str:
        if value in type_names:
            return value
        if value == "file":
            walk.turn = True
            return value
        return _or_drop(value.lower())
    return _types(walk, value, schema) if value.__class__ is list else DROP


def _or_drop(kind: str) -> Any:
    return kind if kind in type_names else DROP


def _types(walk: Walk, value: list[Any], schema: dict[str, Any]) -> Any:
    kept = list(dict.fromkeys(name for name in value if isinstance(name, str) and name in type_names))
    if not kept:
        return DROP
    if kept == value:
        return value
    walk.complain(schema, "type", value)
    return kept


def _format(walk: Walk, value: Any, _schema: dict[str, Any]) -> Any:
    if value.__class__ is not str:
        return DROP
    if value in {"int32", "int64", "byte"}:
        walk.turn = True
    return value


def _whole(most: str = "") -> Rule:
    """A count; `most` is the keyword that must not be smaller."""

    def rule(walk: Walk, value: Any, schema: dict[str, Any]) -> Any:
        if value.__class__ is float and value.is_integer():
            value = int(value)
        if value.__class__ is not int or value < 0:
            return DROP
        limit = schema.get(most)
        if limit.__class__ is int and limit < value:
            walk.unsatisfiable(schema, f"{most} {limit} is below {value}")
        return value

    return rule


def _number(value: Any) -> bool:
    return value.__class__ is int or value.__class__ is float


def _bound(_walk: Walk, value: Any, _schema: dict[str, Any]) -> Any:
    return value if _number(value) else DROP


def _minimum(walk: Walk, value: Any, schema: dict[str, Any]) -> Any:
    limit = schema.get("maximum")
    if _number(limit) and _number(value) and limit < value:
        walk.unsatisfiable(schema, f"maximum {limit} is below minimum {value}")
    return _bound(walk, value, schema)


def _exclusive(walk: Walk, value: Any, _schema: dict[str, Any]) -> Any:
    if value.__class__ is bool:
        walk.turn = True
        return value
    return value if _number(value) else DROP


def _multiple(_walk: Walk, value: Any, _schema: dict[str, Any]) -> Any:
    return value if _number(value) and value > 0 else DROP


def _pattern(walk: Walk, value: Any, _schema: dict[str, Any]) -> Any:
    if value.__class__ is not str:
        return DROP
    if not runs(value):
        walk.turn = True
    return value


def _enum(walk: Walk, value: Any, schema: dict[str, Any]) -> Any:
    if value.__class__ is not list:
        return DROP
    kinds = schema.get("type")
    if not value or (kinds.__class__ is str and kinds in type_names and not any(is_a(v, kinds) for v in value)):
        walk.unsatisfiable(schema, f"no value of enum is a {kinds}" if value else "enum is empty")
    return value


def is_a(value: Any, kind: str) -> bool:
    """Whether a JSON value is of this JSON Schema type."""
    if kind == "integer":
        return value.__class__ is int or (value.__class__ is float and value.is_integer())
    return value.__class__ in _CLASSES[kind]


_CLASSES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "number": (int, float),
    "boolean": (bool,),
    "object": (dict,),
    "array": (list,),
    "null": (type(None),),
}


def _required(walk: Walk, value: Any, schema: dict[str, Any]) -> Any:
    if value.__class__ is list:
        kept = list(dict.fromkeys(name for name in value if isinstance(name, str)))
        if len(kept) == len(value):
            return value
        if any(not isinstance(name, str) for name in value):
            walk.complain(schema, "required", value)
        return kept or QUIETLY
    if value.__class__ is bool:
        if value:
            walk.old_required.add(id(schema))
        return QUIETLY
    return DROP


def _properties(walk: Walk, value: Any, schema: dict[str, Any]) -> Any:
    if value.__class__ is not dict:
        return DROP
    out = value
    node = walk.node
    for name, child in value.items():
        new = node(child)
        if new is not child:
            if out is value:
                out = dict(value)
            out[name] = new
    if walk.old_required:
        walk.move_required(schema, value)
    return out


def _mapping(walk: Walk, value: Any, _schema: dict[str, Any]) -> Any:
    if value.__class__ is not dict:
        return DROP
    out = {name: walk.node(child) for name, child in value.items()}
    return value if all(out[name] is value[name] for name in out) else out


def _by_pattern(walk: Walk, value: Any, schema: dict[str, Any]) -> Any:
    out = _mapping(walk, value, schema)
    if out.__class__ is dict and not all(runs(pattern) for pattern in out):
        walk.complain(schema, "patternProperties", [pattern for pattern in out if not runs(pattern)])
        out = {pattern: child for pattern, child in out.items() if runs(pattern)}
    return out


def _single(walk: Walk, value: Any, _schema: dict[str, Any]) -> Any:
    if value.__class__ is dict or value.__class__ is bool:
        return walk.node(value)
    return DROP


def _items(walk: Walk, value: Any, schema: dict[str, Any]) -> Any:
    if value.__class__ is list:
        walk.turn = True
        return [walk.node(child) for child in value] if value else QUIETLY
    return _single(walk, value, schema)


def _branches(walk: Walk, value: Any, _schema: dict[str, Any]) -> Any:
    if value.__class__ is not list or not value:
        return DROP
    out = [walk.node(child) for child in value]
    return value if all(new is old for new, old in zip(out, value, strict=True)) else out


def _names_by_name(_walk: Walk, value: Any, _schema: dict[str, Any]) -> Any:
    if value.__class__ is not dict:
        return DROP
    good = {
        name: list(dict.fromkeys(names))
        for name, names in value.items()
        if isinstance(names, list) and all(isinstance(item, str) for item in names)
    }
    return value if good == value else good


def _examples(_walk: Walk, value: Any, _schema: dict[str, Any]) -> Any:
    if value.__class__ is list:
        return value
    if value.__class__ is dict:  # named Example objects, where a schema takes a list
        return [item["value"] for item in value.values() if isinstance(item, dict) and "value" in item] or DROP
    return DROP


def _marked(walk: Walk, value: Any, _schema: dict[str, Any]) -> Any:
    if value is True:
        walk.marked = True
    return value if value.__class__ is bool else DROP


def _anything(_walk: Walk, value: Any, _schema: dict[str, Any]) -> Any:
    return value


def _later(walk: Walk, value: Any, _schema: dict[str, Any]) -> Any:
    walk.turn = True
    return value


RULES: Final[dict[str, type | Rule]] = {
    "type": _type,
    "format": _format,
    "description": str,
    "title": str,
    "default": _anything,
    "const": _anything,
    "enum": _enum,
    "properties": _properties,
    "required": _required,
    "items": _items,
    "additionalProperties": _single,
    "allOf": _branches,
    "oneOf": _branches,
    "anyOf": _branches,
    "not": _single,
    "if": _single,
    "then": _single,
    "else": _single,
    "prefixItems": _branches,
    "contains": _single,
    "propertyNames": _single,
    "unevaluatedItems": _single,
    "unevaluatedProperties": _single,
    "additionalItems": _later,
    "patternProperties": _by_pattern,
    "dependentSchemas": _mapping,
    "dependentRequired": _names_by_name,
    "dependencies": _later,
    "minLength": _whole("maxLength"),
    "maxLength": _whole(),
    "minItems": _whole("maxItems"),
    "maxItems": _whole(),
    "minProperties": _whole("maxProperties"),
    "maxProperties": _whole(),
    "minContains": _whole("maxContains"),
    "maxContains": _whole(),
    "minimum": _minimum,
    "maximum": _bound,
    "exclusiveMinimum": _exclusive,
    "exclusiveMaximum": _exclusive,
    "multipleOf": _multiple,
    "pattern": _pattern,
    "uniqueItems": bool,
    "deprecated": bool,
    "readOnly": _marked,
    "writeOnly": _marked,
    "contentEncoding": str,
    "contentMediaType": str,
    "contentSchema": _single,
    "examples": _examples,
    "example": _later,
    "nullable": _later,
    "x-nullable": _later,
    "discriminator": _later,
    "$dynamicRef": _later,
    "$recursiveRef": _later,
    "x-enum-varnames": _later,
    "x-enumNames": _later,
    "x-enum-descriptions": _later,
    "x-semantic-type": str,
}
