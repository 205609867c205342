"""A selection as a tree of typed picks: printed for the wire, and read for the shape of its answer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

import msgspec
from graphql import (
    FieldNode,
    GraphQLList,
    GraphQLNonNull,
    GraphQLObjectType,
    GraphQLOutputType,
    GraphQLSchema,
    GraphQLString,
    GraphQLUnionType,
    InlineFragmentNode,
    NamedTypeNode,
    NameNode,
    SelectionNode,
    SelectionSetNode,
    is_leaf_type,
)

from periplus.selections.shapes import Composite, named

Tree: TypeAlias = "dict[str, Tree]"
TYPENAME = "__typename"
_ON = "... on "
_TYPENAME_TYPE = GraphQLNonNull(GraphQLString)


class Pick(msgspec.Struct, frozen=True, kw_only=True):
    """One selected field; `key` is its name in the answer."""

    key: str
    name: str
    type: GraphQLOutputType
    inside: Selection | None = None

    def text(self) -> str:
        """The field as it stands in a document."""
        field = self.name if self.key == self.name else f"{self.key}: {self.name}"
        return field if self.inside is None else f"{field} {self.inside.text()}"


class Fragment(msgspec.Struct, frozen=True, kw_only=True):
    """Fields selected only when the answer is of this type."""

    on: GraphQLObjectType
    picks: tuple[Pick, ...]

    def text(self) -> str:
        return f"... on {self.on.name} {{ {' '.join(pick.text() for pick in self.picks)} }}"


class Selection(msgspec.Struct, frozen=True, kw_only=True):
    """What is selected on one composite type."""

    on: Composite
    picks: tuple[Pick, ...] = ()
    fragments: tuple[Fragment, ...] = ()

    def node(self) -> SelectionSetNode:
        """The selection as a syntax tree."""
        return SelectionSetNode(selections=tuple(_nodes(self)))

    def text(self) -> str:
        """The selection on one line, as `node` would be printed."""
        fields = [pick.text() for pick in self.picks]
        fields += [fragment.text() for fragment in self.fragments]
        return f"{{ {' '.join(fields)} }}"


def grow(schema: GraphQLSchema, on: Composite, tree: Tree) -> Selection:
    """Type a tree of steps. Fields of different members that could not stand side by side get their own keys."""
    plain = {step: inner for step, inner in tree.items() if not step.startswith(_ON)}
    picks = tuple(_pick(schema, on, step, inner) for step, inner in plain.items())
    taken = {pick.key: [pick] for pick in picks}
    fragments: list[Fragment] = []
    for step, inner in tree.items():
        member = schema.type_map.get(step.removeprefix(_ON)) if step.startswith(_ON) else None
        if isinstance(member, GraphQLObjectType):
            own = (_pick(schema, member, name, below) for name, below in inner.items())
            fragments.append(Fragment(on=member, picks=tuple(_beside(taken, pick, member) for pick in own)))
    return Selection(on=on, picks=picks, fragments=tuple(fragments))


def _pick(schema: GraphQLSchema, on: Composite, name: str, tree: Tree) -> Pick:
    type_ = _type(on, name)
    target = named(type_)
    inside = grow(schema, target, tree) if isinstance(target, Composite) else None
    return Pick(key=name, name=name, type=type_, inside=inside)


def _type(on: Composite, name: str) -> GraphQLOutputType:
    if name == TYPENAME or isinstance(on, GraphQLUnionType):
        return _TYPENAME_TYPE
    type_: GraphQLOutputType = on.fields[name].type
    return type_


def _beside(taken: dict[str, list[Pick]], pick: Pick, member: GraphQLObjectType) -> Pick:
    """The pick under a key where it fits to all that other members have there."""
    key, number = pick.key, 1
    while any(not _same_shape(other, pick) for other in taken.get(key, ())) or (number > 1 and key in member.fields):
        key = f"{pick.name}_{member.name}" + (f"_{number}" if number > 1 else "")
        number += 1
    pick = pick if key == pick.key else msgspec.structs.replace(pick, key=key)
    taken.setdefault(key, []).append(pick)
    return pick


def _same_shape(left: Pick, right: Pick) -> bool:
    """Whether two fields may answer under one key (the specification's SameResponseShape)."""
    if not _same_wrapping(left.type, right.type):
        return False
    if left.inside is None or right.inside is None:
        return True
    theirs = list(_all(right.inside))
    return all(_same_shape(mine, pick) for mine in _all(left.inside) for pick in theirs if mine.key == pick.key)


def _same_wrapping(left: GraphQLOutputType, right: GraphQLOutputType) -> bool:
    while True:
        for wrapper in (GraphQLNonNull, GraphQLList):
            if isinstance(left, wrapper) != isinstance(right, wrapper):
                return False
        if not isinstance(left, GraphQLNonNull | GraphQLList) or not isinstance(right, GraphQLNonNull | GraphQLList):
            break
        left, right = left.of_type, right.of_type
    if is_leaf_type(left) or is_leaf_type(right):
        return left is right
    return True


def _all(selection: Selection) -> Iterator[Pick]:
    yield from selection.picks
    for fragment in selection.fragments:
        yield from fragment.picks


def _nodes(selection: Selection) -> Iterator[SelectionNode]:
    yield from map(_field_node, selection.picks)
    for fragment in selection.fragments:
        yield InlineFragmentNode(
            type_condition=NamedTypeNode(name=NameNode(value=fragment.on.name)),
            selection_set=SelectionSetNode(selections=tuple(map(_field_node, fragment.picks))),
        )


def _field_node(pick: Pick) -> FieldNode:
    return FieldNode(
        name=NameNode(value=pick.name),
        alias=NameNode(value=pick.key) if pick.key != pick.name else None,
        selection_set=pick.inside.node() if pick.inside is not None else None,
    )
