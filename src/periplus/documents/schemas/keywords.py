"""The keywords of JSON Schema 2020-12: which hold schemas, and what value each may have."""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite
from typing import Any

Test = Callable[[Any], bool]

HOLDS_ONE = frozenset(
    {
        "additionalProperties", "unevaluatedProperties", "unevaluatedItems", "contains", "propertyNames", "not",
        "if", "then", "else", "contentSchema", "items",
    }
)  # fmt: skip
HOLDS_MANY = frozenset({"properties", "patternProperties", "dependentSchemas"})
HOLDS_LIST = frozenset({"allOf", "anyOf", "oneOf", "prefixItems"})
IN_PLACE = frozenset({"allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas"})
"""Keywords whose schemas look at the same value as the schema they stand in."""

DROPPED = frozenset(
    {
        "$schema", "$id", "$anchor", "$dynamicAnchor", "$recursiveAnchor", "$vocabulary", "$comment", "$defs",
        "definitions", "$ref", "$dynamicRef", "$recursiveRef", "nullable", "additionalItems", "dependencies",
        "example",
    }
)  # fmt: skip
"""Said in another way in the normal form, or of no use there."""

ANNOTATIONS = frozenset({"title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly"})

TYPES = {
    "string": "string", "str": "string", "text": "string",
    "integer": "integer", "int": "integer",
    "number": "number", "float": "number", "double": "number",
    "boolean": "boolean", "bool": "boolean",
    "object": "object", "dict": "object",
    "array": "array", "list": "array",
    "null": "null", "none": "null",
}  # fmt: skip
ANY_TYPE = "any"


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and isfinite(value)


def _is_count(value: Any) -> bool:
    return _is_number(value) and value >= 0 and value == int(value)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_flag(value: Any) -> bool:
    return isinstance(value, bool)


def _is_list(value: Any) -> bool:
    return isinstance(value, list)


def _are_names(value: Any) -> bool:
    return isinstance(value, list) and all(map(_is_text, value)) and len(set(value)) == len(value)


def _are_name_lists(value: Any) -> bool:
    return isinstance(value, dict) and all(map(_are_names, value.values()))


ALLOWED: dict[str, Test] = {
    "enum": _is_list,
    "examples": _is_list,
    "multipleOf": lambda value: _is_number(value) and value > 0,
    **dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"), _is_number),
    **dict.fromkeys(
        (
            "minLength", "maxLength", "minItems", "maxItems", "minContains", "maxContains", "minProperties",
            "maxProperties",
        ),
        _is_count,
    ),
    **dict.fromkeys(
        ("title", "description", "pattern", "format", "contentEncoding", "contentMediaType"), _is_text
    ),
    **dict.fromkeys(("uniqueItems", "deprecated", "readOnly", "writeOnly"), _is_flag),
    "required": _are_names,
    "dependentRequired": _are_name_lists,
}  # fmt: skip
