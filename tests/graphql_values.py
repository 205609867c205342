"""Values for schemas: arguments from JSON Schema, inputs from GraphQL types, answers from resolvers."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from graphql import (
    GraphQLAbstractType,
    GraphQLEnumType,
    GraphQLInputObjectType,
    GraphQLInputType,
    GraphQLList,
    GraphQLNonNull,
    GraphQLObjectType,
    GraphQLOutputType,
    GraphQLSchema,
    is_abstract_type,
)

_FORMATS = {
    "date-time": "2031-05-02T10:00:00Z",
    "date": "2031-05-02",
    "time": "10:00:00Z",
    "uuid": "6f1f0b0e-0f0a-4b3a-9d1d-0a1b2c3d4e5f",
    "uri": "https://example.com/a",
    "email": "a@example.com",
}
_LEAVES = {"Upload": "text", "Int": 7, "Float": 1.5, "String": "text", "ID": "id-1", "Boolean": True, "BigInt": 12, "Decimal": "1.5", "UUID": _FORMATS["uuid"], "DateTime": _FORMATS["date-time"], "Date": _FORMATS["date"], "Time": _FORMATS["time"], "URI": _FORMATS["uri"], "URL": _FORMATS["uri"]}  # fmt: skip


def from_json_schema(  # noqa: PLR0911 - a case for each kind
    schema: Mapping[str, Any], defs: Mapping[str, Any], draw: random.Random, *, full: int
) -> Any:
    """A value a JSON Schema accepts; `full` is how many levels get their optional members too."""
    if "$ref" in schema:
        return from_json_schema(defs[schema["$ref"].removeprefix("#/$defs/")], defs, draw, full=full)
    if "anyOf" in schema:
        branches = [each for each in schema["anyOf"] if full > 0 or each != {"type": "null"}]
        return from_json_schema(draw.choice(branches), defs, draw, full=full)
    if "enum" in schema:
        return draw.choice(schema["enum"])
    kinds = schema.get("type", "string")
    kind = draw.choice(kinds) if isinstance(kinds, list) else kinds
    if kind == "object":
        members = schema.get("properties", {})
        if "oneOf" in schema:
            return {"text": "chart"}
        wanted = set(schema.get("required", ()))
        if schema.get("maxProperties") == 1:
            wanted = {draw.choice(list(members))}
        elif full > 0:
            wanted |= {name for name in members if draw.random() < 0.6}
        return {name: from_json_schema(members[name], defs, draw, full=full - 1) for name in members if name in wanted}
    if kind == "array":
        size = max(schema.get("minItems", 0), draw.randint(0, 2) if full > 0 else 0)
        return [from_json_schema(schema["items"], defs, draw, full=full - 1) for _ in range(size)]
    plain: dict[str, Any] = {"integer": draw.randint(-(2**31), 2**31 - 1), "number": 1.5, "boolean": True, "null": None}
    if kind == "string":
        return _FORMATS.get(schema.get("format", ""), "12" if "pattern" in schema else "text")
    return plain[kind]


def from_input_type(type_: GraphQLInputType, draw: random.Random, *, deep: int = 4) -> Any:
    """A value GraphQL accepts for a type, by GraphQL's own rules."""
    if isinstance(type_, GraphQLNonNull):
        return from_input_type(type_.of_type, draw, deep=deep)
    if isinstance(type_, GraphQLList):
        size = draw.randint(0, 2) if deep > 0 else 0
        return [_maybe(type_.of_type, draw, deep) for _ in range(size)]
    if isinstance(type_, GraphQLEnumType):
        return draw.choice(list(type_.values))
    if isinstance(type_, GraphQLInputObjectType):
        if type_.is_one_of:
            name = draw.choice(list(type_.fields))
            return {name: from_input_type(type_.fields[name].type, draw, deep=deep - 1)}
        needed = {name for name, field in type_.fields.items() if isinstance(field.type, GraphQLNonNull)}
        more = {name for name in type_.fields if deep > 0 and draw.random() < 0.5}
        return {name: _maybe(type_.fields[name].type, draw, deep - 1) for name in type_.fields if name in needed | more}
    return _LEAVES.get(type_.name, {"any": ["thing"]})


def _maybe(type_: GraphQLInputType, draw: random.Random, deep: int) -> Any:
    if not isinstance(type_, GraphQLNonNull) and draw.random() < 0.2:
        return None
    return from_input_type(type_, draw, deep=deep)


def answering(schema: GraphQLSchema, draw: random.Random) -> None:
    """Give every field a resolver that makes up an answer."""
    for type_ in schema.type_map.values():
        if is_abstract_type(type_):
            assert isinstance(type_, GraphQLAbstractType)
            possible = schema.get_possible_types(type_)
            type_.resolve_type = lambda *_, possible=possible: draw.choice(possible).name
        if isinstance(type_, GraphQLObjectType) and not type_.name.startswith("__"):
            for field in type_.fields.values():
                field.resolve = lambda *_, field=field, **__: _answer(field.type, draw)


def _answer(type_: GraphQLOutputType, draw: random.Random) -> Any:
    if isinstance(type_, GraphQLNonNull):
        return _told(type_.of_type, draw)
    return None if draw.random() < 0.3 else _told(type_, draw)


def _told(type_: GraphQLOutputType, draw: random.Random) -> Any:
    if isinstance(type_, GraphQLList):
        return [_answer(type_.of_type, draw) for _ in range(draw.randint(0, 2))]
    if isinstance(type_, GraphQLEnumType):
        return draw.choice(list(type_.values))
    return _LEAVES.get(getattr(type_, "name", ""), {"any": 1})
