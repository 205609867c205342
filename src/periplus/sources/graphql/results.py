"""The shape of an answer to the automatic selection, as JSON Schema (S-88)."""

from __future__ import annotations

from collections.abc import Iterable

from graphql import (
    GraphQLEnumType,
    GraphQLList,
    GraphQLNonNull,
    GraphQLOutputType,
    GraphQLScalarType,
    GraphQLUnionType,
)

from periplus.model import Schema
from periplus.selections.picks import Pick, Selection
from periplus.sources.graphql.arguments import Definitions
from periplus.sources.graphql.scalars import or_null, output_scalar


def result_schema(type_: GraphQLOutputType, selection: Selection | None, definitions: Definitions) -> Schema:
    """What a field of this type answers with when this is selected."""
    if isinstance(type_, GraphQLNonNull):
        return _bare(type_.of_type, selection, definitions)
    return or_null(_bare(type_, selection, definitions))


def _bare(type_: GraphQLOutputType, selection: Selection | None, definitions: Definitions) -> Schema:
    if isinstance(type_, GraphQLList):
        return {"type": "array", "items": result_schema(type_.of_type, selection, definitions)}
    if isinstance(type_, GraphQLScalarType):
        known = output_scalar(type_)
        return definitions.named(type_) if known is None else known
    if isinstance(type_, GraphQLEnumType):
        return definitions.named(type_)
    return {"type": "object"} if selection is None else _selected(selection, definitions)


def _selected(selection: Selection, definitions: Definitions) -> Schema:
    """An object of the picks; those of fragments are there only when the member is."""
    properties = _properties(selection.picks, definitions)
    schema: Schema = {
        "type": "object",
        "title": selection.on.name,
        "properties": properties,
        "required": list(properties),
    }
    for fragment in selection.fragments:
        for key, member in _properties(fragment.picks, definitions).items():
            properties[key] = _either(properties[key], member) if key in properties else member
    if isinstance(selection.on, GraphQLUnionType) and len(selection.fragments) == len(selection.on.types):
        members = [fragment.on.name for fragment in selection.fragments]
        properties["__typename"] = {"type": "string", "enum": members}
    return schema


def _properties(picks: Iterable[Pick], definitions: Definitions) -> dict[str, Schema]:
    return {pick.key: result_schema(pick.type, pick.inside, definitions) for pick in picks}


def _either(left: Schema, right: Schema) -> Schema:
    if left == right:
        return left
    known = left["anyOf"] if left.keys() == {"anyOf"} else [left]
    return left if right in known else {"anyOf": [*known, right]}
