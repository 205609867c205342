"""Schemas of either dialect as plain JSON Schema; what is wrong in them is left to the normaliser."""

from __future__ import annotations

from typing import Any

from periplus.documents.schemas.keywords import HOLDS_LIST, HOLDS_MANY, HOLDS_ONE
from periplus.sources.manifest.members import camel, number, plain

_COUNTS = frozenset({"minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"})
_BOUNDS = frozenset({"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"})
_MANY = HOLDS_MANY | {"$defs", "definitions"}
_KNOWN = _COUNTS | _BOUNDS | HOLDS_ONE | HOLDS_LIST | _MANY | {"uniqueItems", "readOnly", "writeOnly"}


def adapted(schema: Any) -> Any:
    """A schema with typed unions unwrapped and numbers that came as text made numbers again."""
    if not isinstance(schema, dict):
        return schema
    return {_keyword(name): _value(_keyword(name), value, schema) for name, value in schema.items()}


def _keyword(name: str) -> str:
    """`min_length` is `minLength`; what is no keyword in that style keeps its name."""
    return styled if "_" in name and (styled := camel(name)) in _KNOWN else name


def _value(name: str, value: Any, schema: dict[str, Any]) -> Any:
    if name == "default":
        return plain(value)
    if name == "enum" and isinstance(value, list):
        return [_of_type(each, schema.get("type")) for each in value]
    if name in _COUNTS | _BOUNDS:
        found = number(value)
        return value if found is None else found
    if name in _MANY and isinstance(value, dict):
        return {key: adapted(each) for key, each in value.items()}
    if name in HOLDS_LIST and isinstance(value, list):
        return [adapted(each) for each in value]
    return adapted(value) if name in HOLDS_ONE else value


def _of_type(value: Any, type_: Any) -> Any:
    """A member of an enumeration of numbers, which the other dialect can only write as text."""
    if not isinstance(value, str) or type_ not in ("integer", "number"):
        return value
    try:
        found = int(value) if type_ == "integer" else float(value)
    except ValueError:
        return value
    return int(found) if found == int(found) else found
