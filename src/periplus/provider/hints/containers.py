"""Lists, sets, tuples and maps."""

from __future__ import annotations

from collections import abc
from collections.abc import Callable
from typing import Any

from periplus.model import Schema

Of = Callable[[Any], Schema]
_ARRAYS = (
    list,
    abc.Sequence,
    abc.Set,
    abc.MutableSequence,
    abc.Collection,
    abc.Iterable,
    abc.AsyncIterable,
)
_WHOLE = "^[+-]?[0-9]+$"


def container(kind: type, args: tuple[Any, ...], of: Of) -> Schema | None:
    """The schema of a class that holds others; None where it is none of these."""
    if issubclass(kind, tuple):
        return _tuple(args, of)
    if issubclass(kind, abc.Mapping):
        return _map(kind, args, of)
    if not issubclass(kind, _ARRAYS):
        return None
    schema = array(of(args[0]) if args else {})
    return schema | {"uniqueItems": True} if issubclass(kind, abc.Set) else schema


def array(items: Schema) -> Schema:
    return {"type": "array", "items": items} if items else {"type": "array"}


def row(items: list[Schema], least: int) -> Schema:
    """An array whose places each have their own meaning."""
    if not items:
        return {"type": "array", "maxItems": 0}
    return {"type": "array", "prefixItems": items, "items": False, "minItems": least}


def _tuple(args: tuple[Any, ...], of: Of) -> Schema:
    if not args or args == ((),):
        return {"type": "array", "maxItems": 0} if args else {"type": "array"}
    if len(args) == 2 and args[1] is Ellipsis:
        return array(of(args[0]))
    return row([of(arg) for arg in args], len(args))


def _map(kind: type, args: tuple[Any, ...], of: Of) -> Schema:
    schema: Schema = {"type": "object"}
    if kind.__name__ == "Counter":
        args = (*args[:1], int)
    if len(args) == 2 and (values := of(args[1])):
        schema["additionalProperties"] = values
    names = of(args[0]) if args else {}
    if names.get("type") == "integer" and "enum" not in names:
        schema["propertyNames"] = {"pattern": _WHOLE}
    elif "enum" in names:
        schema["propertyNames"] = {"enum": [name if isinstance(name, str) else str(name) for name in names["enum"]]}
    elif names.get("type") == "string" and len(names) > 1:
        schema["propertyNames"] = {key: value for key, value in names.items() if key != "type"}
    return schema
