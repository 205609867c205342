"""The fields that are called: those of the root types, and those behind namespaces (S-81)."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec
from graphql import GraphQLField, GraphQLNonNull, GraphQLObjectType, GraphQLSchema

from periplus.sources.graphql.shapes import IDS

NAMESPACE_LEVELS = 2
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


class Operation(msgspec.Struct, frozen=True, kw_only=True):
    """One field to call: `role` is `Query` or `Mutation` whatever the root type's name, `path` leads to the field."""

    role: str
    path: tuple[str, ...]
    field: GraphQLField

    @property
    def key(self) -> str:
        return f"{self.role}.{'.'.join(self.path)}"

    @property
    def type_word(self) -> str:
        """`query` or `mutation`, as it stands in a document."""
        return self.role.lower()

    @property
    def field_words(self) -> list[str]:
        """The words of the field's name, lower case."""
        return split_words(self.path[-1])


def split_words(name: str) -> list[str]:
    """The words in a name written in any case."""
    return [word.lower() for word in _WORD.findall(name)]


def operations(schema: GraphQLSchema) -> Iterator[Operation]:
    """All of them, queries first."""
    for role, root in (("Query", schema.query_type), ("Mutation", schema.mutation_type)):
        if root is not None:
            yield from _below(role, root, (), NAMESPACE_LEVELS)


def _below(role: str, type_: GraphQLObjectType, at: tuple[str, ...], levels: int) -> Iterator[Operation]:
    for name, field in type_.fields.items():
        yield Operation(role=role, path=(*at, name), field=field)
        inner = namespace_of(field, levels)
        if inner is not None:
            yield from _below(role, inner, (*at, name), levels - 1)


def namespace_of(field: GraphQLField, levels: int) -> GraphQLObjectType | None:
    """The type a field only groups others in: all of them take arguments or are such groups, none is an id."""
    type_ = field.type.of_type if isinstance(field.type, GraphQLNonNull) else field.type
    if levels == 0 or field.args or not isinstance(type_, GraphQLObjectType):
        return None
    fields = type_.fields
    if not fields or any(name in fields for name in IDS):
        return None
    members = fields.values()
    grouped = all(member.args or namespace_of(member, levels - 1) is not None for member in members)
    return type_ if grouped else None
