"""Arguments as JSON Schema: exact lists and nulls, input types shared by name, recursion kept as references (S-83)."""

from __future__ import annotations

import math
from typing import Any

from graphql import (
    GraphQLArgument,
    GraphQLEnumType,
    GraphQLField,
    GraphQLInputField,
    GraphQLInputObjectType,
    GraphQLInputType,
    GraphQLList,
    GraphQLNamedInputType,
    GraphQLNonNull,
    GraphQLScalarType,
    value_from_ast_untyped,
)

from periplus.model import Schema
from periplus.sources.graphql.scalars import input_scalar, opaque_scalar, or_null

_SELECT: Schema = {
    "anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}, "minItems": 1}],
    "description": 'Fields to return, not the usual: "id, owner.email", a list of paths, "{ id owner { email } }"',
}


class Definitions:
    """The `$defs` of a source, filled with what has been referred to so far and all that this needs."""

    def __init__(self) -> None:
        self.schemas: dict[str, Schema] = {}
        self._waiting: list[GraphQLNamedInputType] = []

    def arguments(self, field: GraphQLField, select: str) -> Schema:
        """The argument object of a field; `select` names the argument for the selection, empty for none."""
        properties = {name: self._member(arg) for name, arg in field.args.items()}
        if select:
            properties[select] = _SELECT
        schema: Schema = {"type": "object", "properties": properties, "additionalProperties": False}
        if needed := [name for name, arg in field.args.items() if is_needed(arg)]:
            schema["required"] = needed
        self._fill()
        return schema

    def named(self, type_: GraphQLEnumType | GraphQLScalarType) -> Schema:
        """A reference to an enum or a scalar of the server's own, as results use them."""
        schema = self._refer(type_)
        self._fill()
        return schema

    def _member(self, item: GraphQLArgument | GraphQLInputField, *, one_of: bool = False) -> Schema:
        type_ = GraphQLNonNull(item.type) if one_of and not isinstance(item.type, GraphQLNonNull) else item.type
        schema = dict(self._use(type_))
        if text := _text(item.description, item.deprecation_reason):
            schema["description"] = text
        if item.deprecation_reason is not None:
            schema["deprecated"] = True
        literal = item.default.literal if item.default is not None else None
        default = value_from_ast_untyped(literal) if literal is not None else None
        if default is not None and _is_json(default):
            schema["default"] = default
        return schema

    def _use(self, type_: GraphQLInputType) -> Schema:
        if isinstance(type_, GraphQLNonNull):
            return self._bare(type_.of_type)
        return or_null(self._bare(type_))

    def _bare(self, type_: GraphQLInputType) -> Schema:
        if isinstance(type_, GraphQLList):
            return {"type": "array", "items": self._use(type_.of_type)}
        if isinstance(type_, GraphQLScalarType) and (known := input_scalar(type_)) is not None:
            return known
        if isinstance(type_, GraphQLScalarType | GraphQLEnumType | GraphQLInputObjectType):
            return self._refer(type_)
        raise TypeError(str(type_))

    def _refer(self, type_: GraphQLNamedInputType) -> Schema:
        if type_.name not in self.schemas:
            self.schemas[type_.name] = {}
            self._waiting.append(type_)
        return {"$ref": f"#/$defs/{type_.name}"}

    def _fill(self) -> None:
        """Write what was referred to. A loop and not a recursion, because chains of inputs can be long."""
        while self._waiting:
            type_ = self._waiting.pop()
            self.schemas[type_.name] = self._definition(type_)

    def _definition(self, type_: GraphQLNamedInputType) -> Schema:
        if isinstance(type_, GraphQLEnumType):
            return enum_schema(type_)
        if isinstance(type_, GraphQLScalarType):
            return opaque_scalar(type_)
        one_of = type_.is_one_of
        schema: Schema = {
            "type": "object",
            "title": type_.name,
            "properties": {name: self._member(field, one_of=one_of) for name, field in type_.fields.items()},
            "additionalProperties": False,
        }
        if type_.description:
            schema["description"] = type_.description
        if one_of:
            return schema | {"minProperties": 1, "maxProperties": 1}
        if needed := [name for name, field in type_.fields.items() if is_needed(field)]:
            schema["required"] = needed
        return schema


def enum_schema(type_: GraphQLEnumType) -> Schema:
    """An enum, with what is said of its values in the description."""
    said = [type_.description or ""]
    for name, value in type_.values.items():
        if text := _text(value.description, value.deprecation_reason):
            said.append(f"- {name}: {text}")
    schema: Schema = {"title": type_.name, "type": "string"}
    if type_.values:
        schema["enum"] = list(type_.values)
    if description := "\n".join(filter(None, said)):
        schema["description"] = description
    return schema


def is_needed(item: GraphQLArgument | GraphQLInputField) -> bool:
    """Whether a value must be given: non-null and without a default."""
    return isinstance(item.type, GraphQLNonNull) and item.default is None


def _text(description: str | None, deprecation: str | None) -> str:
    gone = f"Deprecated: {deprecation}" if deprecation is not None else ""
    return " ".join(filter(None, (description or "", gone)))


def _is_json(value: Any) -> bool:
    """Whether a default can be shown: no infinities, no integers beyond what JSON readers take."""
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, int):
        return abs(value) < 2**63
    if isinstance(value, list):
        return all(map(_is_json, value))
    if isinstance(value, dict):
        return all(map(_is_json, value.values()))
    return value is None or isinstance(value, str)
