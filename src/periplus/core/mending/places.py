"""What a schema says of a place inside a value: all the schemas one of which has to hold there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from periplus.model import Schema

_DEEPEST = 16
_TYPES = {str: "string", bool: "boolean", int: "integer", float: "number", dict: "object", list: "array"}


def branches(schema: Any, root: Schema, depth: int = 0) -> Iterator[Schema]:
    """A schema without references and unions: each alternative by itself."""
    if not isinstance(schema, dict) or depth > _DEEPEST:
        return
    target = schema.get("$ref")
    if isinstance(target, str):
        yield from branches(_resolved(target, root), root, depth + 1)
        return
    unions = [one for word in ("anyOf", "oneOf", "allOf") for one in schema.get(word, ()) if isinstance(one, dict)]
    if not unions or "type" in schema or "properties" in schema:
        yield schema
    for one in unions:
        yield from branches(one, root, depth + 1)


def _resolved(target: str, root: Any) -> Any:
    found = root
    for piece in target.removeprefix("#").strip("/").split("/"):
        name = piece.replace("~1", "/").replace("~0", "~")
        found = found.get(name) if isinstance(found, dict) else None
    return found


def member(schemas: list[Schema], name: str, root: Schema) -> list[Schema]:
    """The schemas of a member of an object."""
    found: list[Schema] = []
    for schema in schemas:
        properties = schema.get("properties")
        inner = properties.get(name) if isinstance(properties, dict) else None
        found += branches(schema.get("additionalProperties") if inner is None else inner, root)
    return found


def item(schemas: list[Schema], place: int, root: Schema) -> list[Schema]:
    """The schemas of an item of a list."""
    found: list[Schema] = []
    for schema in schemas:
        first = schema.get("prefixItems")
        inner = first[place] if isinstance(first, list) and place < len(first) else schema.get("items")
        found += branches(inner, root)
    return found


def types(schemas: list[Schema]) -> frozenset[str]:
    """The types that may stand there; empty: nothing says."""
    said: set[str] = set()
    for schema in schemas:
        told = _types_of(schema)
        if not told:
            return frozenset()
        said |= told
    return frozenset(said)


def _types_of(schema: Schema) -> set[str]:
    told = schema.get("type")
    if isinstance(told, str):
        return {told}
    if isinstance(told, list):
        return {one for one in told if isinstance(one, str)}
    return {type_of(value) for value in allowed([schema])}


def allowed(schemas: list[Schema]) -> list[Any]:
    """The values that enums and constants name."""
    found: list[Any] = []
    for schema in schemas:
        found += schema["enum"] if isinstance(schema.get("enum"), list) else []
        found += [schema["const"]] if "const" in schema else []
    return found


def type_of(value: Any) -> str:
    """The JSON type of a value; empty where it is none, as of something still open."""
    return "null" if value is None else _TYPES.get(type(value), "")
