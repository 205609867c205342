"""The fields that are called: those of the root types, and those behind namespaces (S-81)."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec
from graphql import GraphQLField, GraphQLNonNull, GraphQLObjectType, GraphQLSchema

from periplus.selections.shapes import IDS

NAMESPACE_LEVELS = 2
_DEEPEST = 20
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
    namespaces = Namespaces()
    for role, root in (("Query", schema.query_type), ("Mutation", schema.mutation_type)):
        if root is not None:
            yield from _below(role, root, (), namespaces)


def _below(role: str, type_: GraphQLObjectType, at: tuple[str, ...], namespaces: Namespaces) -> Iterator[Operation]:
    for name, field in type_.fields.items():
        yield Operation(role=role, path=(*at, name), field=field)
        inner = namespaces.of(field) if len(at) < NAMESPACE_LEVELS else None
        if inner is not None:
            yield from _below(role, inner, (*at, name), namespaces)


class Namespaces:
    """Which types only group fields: all of them take arguments or are such groups, none is an id."""

    def __init__(self) -> None:
        self._known: dict[str, bool] = {}

    def of(self, field: GraphQLField, depth: int = 0) -> GraphQLObjectType | None:
        """The namespace a field opens, if it does."""
        type_ = field.type.of_type if isinstance(field.type, GraphQLNonNull) else field.type
        if field.args or not isinstance(type_, GraphQLObjectType):
            return None
        if type_.name not in self._known:
            self._known[type_.name] = False  # while it is looked at: what leads back to itself is no namespace
            self._known[type_.name] = self._groups(type_, depth)
        return type_ if self._known[type_.name] else None

    def _groups(self, type_: GraphQLObjectType, depth: int) -> bool:
        fields = type_.fields
        if not fields or depth > _DEEPEST or any(name in fields for name in IDS):
            return False
        return all(field.args or self.of(field, depth + 1) is not None for field in fields.values())
