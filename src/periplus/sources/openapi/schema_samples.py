"""Whether an example is what its schema allows: a walk along the example, so nothing large is compiled."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, Final

import jsonschema_rs
import msgspec

from periplus.sources.openapi.schema_keywords import is_a

_DEEPEST: Final = 60
_ENGINE: Final = jsonschema_rs.RegexOptions()
_ASSERTED: Final = frozenset(
    {"date", "date-time", "time", "duration", "uuid", "email", "uri", "ipv4", "ipv6", "hostname"}
)
_MOST_STEPS: Final = 20_000  # nested unions can ask without end about one value


class _Ground:
    """The definitions, and how many more questions may be asked."""

    def __init__(self, definitions: Mapping[str, Any]) -> None:
        self.definitions = definitions
        self.left = _MOST_STEPS


Check = Callable[[Any, Any, dict[str, Any], _Ground, int], bool]


def fits(value: Any, schema: Any, definitions: Mapping[str, Any]) -> bool:
    """Whether a normalised schema accepts a value; False also where that cannot be told cheaply."""
    return _fits(value, schema, _Ground(definitions), 0)


def _fits(value: Any, schema: Any, ground: _Ground, depth: int) -> bool:
    if schema.__class__ is not dict:
        return schema is True
    ground.left -= 1
    if depth > _DEEPEST or ground.left < 0:
        return False
    for key, wanted in schema.items():
        check = _CHECKS.get(key)
        if check is not None and not check(value, wanted, schema, ground, depth + 1):
            return False
    return True


def _type(value: Any, wanted: Any, *_: Any) -> bool:
    kinds = wanted if wanted.__class__ is list else (wanted,)
    return any(is_a(value, kind) for kind in kinds)


def _same(value: Any, other: Any) -> bool:
    return value == other and (value.__class__ is bool) == (other.__class__ is bool)


def _enum(value: Any, wanted: Any, *_: Any) -> bool:
    return any(_same(value, one) for one in wanted)


def _const(value: Any, wanted: Any, *_: Any) -> bool:
    return _same(value, wanted)


def _ref(value: Any, wanted: Any, _schema: Any, ground: _Ground, depth: int) -> bool:
    return _fits(value, ground.definitions.get(wanted[8:], True), ground, depth)


def _properties(value: Any, wanted: Any, _schema: Any, ground: _Ground, depth: int) -> bool:
    if value.__class__ is not dict:
        return True
    return all(_fits(value[name], wanted[name], ground, depth) for name in value if name in wanted)


def _required(value: Any, wanted: Any, *_: Any) -> bool:
    return value.__class__ is not dict or all(name in value for name in wanted)


def _additional(value: Any, wanted: Any, schema: Any, ground: _Ground, depth: int) -> bool:
    if value.__class__ is not dict or wanted is True:
        return True
    if "patternProperties" in schema:
        return False
    known = schema.get("properties", {})
    return all(_fits(value[name], wanted, ground, depth) for name in value if name not in known)


def _names(value: Any, wanted: Any, _schema: Any, ground: _Ground, depth: int) -> bool:
    return value.__class__ is not dict or all(_fits(name, wanted, ground, depth) for name in value)


def _items(value: Any, wanted: Any, schema: Any, ground: _Ground, depth: int) -> bool:
    if value.__class__ is not list:
        return True
    skipped = len(schema.get("prefixItems", ()))
    return all(_fits(item, wanted, ground, depth) for item in value[skipped:])


def _prefix(value: Any, wanted: Any, _schema: Any, ground: _Ground, depth: int) -> bool:
    if value.__class__ is not list:
        return True
    return all(_fits(item, part, ground, depth) for item, part in zip(value, wanted, strict=False))


def _all(value: Any, wanted: Any, _schema: Any, ground: _Ground, depth: int) -> bool:
    return all(_fits(value, branch, ground, depth) for branch in wanted)


def _any(value: Any, wanted: Any, _schema: Any, ground: _Ground, depth: int) -> bool:
    return any(_fits(value, branch, ground, depth) for branch in wanted)


def _one(value: Any, wanted: Any, _schema: Any, ground: _Ground, depth: int) -> bool:
    return sum(_fits(value, branch, ground, depth) for branch in wanted) == 1


def _dependent(value: Any, wanted: Any, *_: Any) -> bool:
    if value.__class__ is not dict:
        return True
    return all(name in value for key, names in wanted.items() if key in value for name in names)


def _size(kind: type[str | list[Any] | dict[str, Any]], *, least: bool) -> Check:
    def check(value: Any, wanted: Any, *_: Any) -> bool:
        if value.__class__ is not kind:
            return True
        size: int = len(value)
        return bool(size >= wanted if least else size <= wanted)

    return check


def _leaf(key: str) -> Check:
    """What the validator itself decides, a keyword at a time."""

    def check(value: Any, wanted: Any, *_: Any) -> bool:
        if value.__class__ is dict or value.__class__ is list:
            return True
        if key == "format" and wanted not in _ASSERTED:
            return True
        return bool(_compiled(msgspec.json.encode({key: wanted})).is_valid(value))

    return check


def _unknown(value: Any, *_: Any) -> bool:
    return value.__class__ is not dict and value.__class__ is not list


@lru_cache(maxsize=1024)
def _compiled(text: bytes) -> Any:
    return jsonschema_rs.validator_for(msgspec.json.decode(text), validate_formats=True, pattern_options=_ENGINE)


_CHECKS: Final[dict[str, Check]] = {
    "type": _type,
    "enum": _enum,
    "const": _const,
    "$ref": _ref,
    "properties": _properties,
    "required": _required,
    "additionalProperties": _additional,
    "propertyNames": _names,
    "items": _items,
    "prefixItems": _prefix,
    "allOf": _all,
    "anyOf": _any,
    "oneOf": _one,
    "dependentRequired": _dependent,
    "minLength": _size(str, least=True),
    "maxLength": _size(str, least=False),
    "minItems": _size(list, least=True),
    "maxItems": _size(list, least=False),
    "minProperties": _size(dict, least=True),
    "maxProperties": _size(dict, least=False),
    "pattern": _leaf("pattern"),
    "format": _leaf("format"),
    "minimum": _leaf("minimum"),
    "maximum": _leaf("maximum"),
    "exclusiveMinimum": _leaf("exclusiveMinimum"),
    "exclusiveMaximum": _leaf("exclusiveMaximum"),
    "multipleOf": _leaf("multipleOf"),
    "not": lambda value, wanted, _schema, ground, depth: not _fits(value, wanted, ground, depth),
    "if": lambda value, wanted, schema, ground, depth: _fits(
        value,
        schema.get("then" if _fits(value, wanted, ground, depth) else "else", True),
        ground,
        depth,
    ),
    "patternProperties": _unknown,
    "dependentSchemas": _unknown,
    "unevaluatedProperties": _unknown,
    "unevaluatedItems": _unknown,
    "contains": _unknown,
    "uniqueItems": lambda value, wanted, *_: (
        not wanted or value.__class__ is not list or all(item not in value[:at] for at, item in enumerate(value))
    ),
}
