"""What a type is to a selection: a leaf, an entity with an identity, a connection, an edge, a list of faults."""

from __future__ import annotations

from typing import TypeAlias

import msgspec
from graphql import (
    GraphQLField,
    GraphQLInterfaceType,
    GraphQLList,
    GraphQLNamedOutputType,
    GraphQLNonNull,
    GraphQLObjectType,
    GraphQLOutputType,
    GraphQLUnionType,
    is_leaf_type,
    is_required_argument,
)

Fielded: TypeAlias = GraphQLObjectType | GraphQLInterfaceType
Composite: TypeAlias = GraphQLObjectType | GraphQLInterfaceType | GraphQLUnionType

IDS = ("id", "_id", "uuid", "guid")
NAMES = (
    "name", "title", "displayName", "fullName", "label", "login", "username", "slug", "code", "key", "number",
    "handle", "email", "message",
)  # fmt: skip


class Shape(msgspec.Struct, frozen=True, kw_only=True):
    """An object or interface seen from a selection; only what needs no arguments and is not deprecated."""

    leaves: tuple[str, ...]  # ids and names first, the rest as declared
    identity: tuple[str, ...]  # by which a person would recognise it: its id and its best name
    has_id: bool
    objects: dict[str, tuple[GraphQLField, Composite]]


class Items(msgspec.Struct, frozen=True):
    """How the items of a connection are reached, `nodes` or `edges` and `node`, and what they are."""

    steps: tuple[str, ...]
    type: Composite


class Shapes:
    """The shapes of one schema, each type's made once."""

    def __init__(self) -> None:
        self._made: dict[str, Shape] = {}

    def of(self, type_: Fielded) -> Shape:
        shape = self._made.get(type_.name)
        if shape is None:
            shape = self._made[type_.name] = _shape(type_)
        return shape

    def node_of(self, type_: object) -> Composite | None:
        """The `node` of an edge."""
        if not isinstance(type_, Fielded) or not type_.name.endswith("Edge"):
            return None
        return self._object(type_, "node")

    def items_of(self, type_: object) -> Items | None:
        """The items of a connection; None when the type is none."""
        if not isinstance(type_, Fielded):
            return None
        if not type_.name.endswith("Connection") and "pageInfo" not in type_.fields:
            return None
        nodes = self._object(type_, "nodes")
        if nodes is not None and is_many(type_.fields["nodes"].type):
            return Items(("nodes",), nodes)
        edge = self._object(type_, "edges")
        node = self._object(edge, "node") if isinstance(edge, Fielded) else None
        return Items(("edges", "node"), node) if node is not None else None

    def _object(self, type_: Fielded, name: str) -> Composite | None:
        found = self.of(type_).objects.get(name)
        return None if found is None else found[1]


def named(type_: GraphQLOutputType) -> GraphQLNamedOutputType:
    """The type inside lists and non-nulls."""
    inner = type_
    while isinstance(inner, GraphQLNonNull | GraphQLList):
        inner = inner.of_type
    return inner


def is_many(type_: GraphQLOutputType) -> bool:
    """Whether a list stands anywhere in the wrappers."""
    inner = type_
    while isinstance(inner, GraphQLNonNull | GraphQLList):
        if isinstance(inner, GraphQLList):
            return True
        inner = inner.of_type
    return False


def is_faults(name: str) -> bool:
    """Whether a payload's field lists what went wrong: `errors`, `userErrors`, `orderErrors`."""
    return name == "errors" or name.endswith("Errors")


def _shape(type_: Fielded) -> Shape:
    leaves: list[str] = []
    objects: dict[str, tuple[GraphQLField, Composite]] = {}
    for name, field in type_.fields.items():
        if field.deprecation_reason is not None or any(map(is_required_argument, field.args.values())):
            continue
        inner = named(field.type)
        if isinstance(inner, Composite):
            objects[name] = (field, inner)
        elif is_leaf_type(inner):
            leaves.append(name)
    own = _id_of(type_, leaves)
    identity = tuple(leaf for leaf in (own, _name_of(type_, leaves, own)) if leaf is not None)
    named_like = (leaf for leaf in leaves if leaf in NAMES)
    return Shape(
        leaves=tuple(dict.fromkeys((*identity, *named_like, *leaves))),
        identity=identity,
        has_id=own is not None,
        objects=objects,
    )


def _id_of(type_: Fielded, leaves: list[str]) -> str | None:
    """The leaf that tells this object from others of its type."""
    exact = next((name for name in IDS if name in leaves), None)
    return exact or next((name for name in leaves if str(type_.fields[name].type) == "ID!"), None)


def _name_of(type_: Fielded, leaves: list[str], own: str | None) -> str | None:
    """The leaf a person would call it by: a usual name, else the first text of what has an id."""
    usual = next((name for name in NAMES if name in leaves and name != own), None)
    if usual is not None or own is None:
        return usual
    return next((leaf for leaf in leaves if leaf != own and named(type_.fields[leaf].type).name == "String"), None)
