"""How far a selection reaches: how deep, to how many leaves, and never into what is a tool of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from graphql import FieldNode, FragmentDefinitionNode, FragmentSpreadNode, InlineFragmentNode, SelectionSetNode

from periplus.model import Problem
from periplus.selections.shapes import Composite, Fielded, named
from periplus.transports.graphql.graph import Graph
from periplus.transports.graphql.refusing import refused

DEPTH_MAX, LEAVES_MAX = 15, 500


class _Place(msgspec.Struct, frozen=True):
    """Where in the answer the walk is: the type, the way from a root to it, and the fragments around."""

    type: Any
    role: str
    path: tuple[str, ...]
    depth: int = 1
    around: frozenset[str] = frozenset()


class Extent:
    """Walks one selection the way its server will, fragments each time they are spread."""

    def __init__(self, graph: Graph, fragments: Sequence[FragmentDefinitionNode], argument: str) -> None:
        self._graph = graph
        self._argument = argument
        self._fragments: Mapping[str, FragmentDefinitionNode] = {each.name.value: each for each in fragments}
        self._leaves = 0

    def check(self, selection: SelectionSetNode, on: Composite, role: str, path: tuple[str, ...]) -> None:
        """Refuse a selection that goes too far; what is simply wrong is left to validation."""
        self._walk(selection, self._at_root(_Place(on, role, path)))

    def _walk(self, selection: SelectionSetNode, place: _Place) -> None:
        if place.depth > DEPTH_MAX:
            raise refused(self._argument, f"it nests deeper than {DEPTH_MAX}", "select less at once")
        for node in selection.selections:
            if isinstance(node, FieldNode):
                self._field(node, place)
            elif isinstance(node, InlineFragmentNode):
                condition = node.type_condition
                self._walk(node.selection_set, self._on(place, condition.name.value) if condition else place)
            elif isinstance(node, FragmentSpreadNode):
                self._spread(node.name.value, place)

    def _spread(self, name: str, place: _Place) -> None:
        fragment = self._fragments.get(name)
        if fragment is None:
            return
        if name in place.around:
            raise refused(self._argument, f"fragment {name} contains itself")
        inside = self._on(place, fragment.type_condition.name.value)
        self._walk(fragment.selection_set, msgspec.structs.replace(inside, around=place.around | {name}))

    def _field(self, node: FieldNode, place: _Place) -> None:
        name = node.name.value
        path = (*place.path, name)
        if (place.role, path) in self._graph.own:
            raise self._own(place.role, path)
        if node.selection_set is None:
            self._leaves += 1
            if self._leaves > LEAVES_MAX:
                raise refused(self._argument, f"it has more than {LEAVES_MAX} leaves", "select less at once")
            return
        field = place.type.fields.get(name) if isinstance(place.type, Fielded) else None
        if field is not None:
            inner = msgspec.structs.replace(place, type=named(field.type), path=path, depth=place.depth + 1)
            self._walk(node.selection_set, self._at_root(inner))

    def _own(self, role: str, path: tuple[str, ...]) -> Problem:
        dotted = ".".join(path)
        return refused(self._argument, f"{dotted} is a tool of its own", f"call {role}:{dotted}")

    def _on(self, place: _Place, name: str) -> _Place:
        type_ = self._graph.schema.type_map.get(name)
        return self._at_root(msgspec.structs.replace(place, type=type_)) if type_ is not place.type else place

    def _at_root(self, place: _Place) -> _Place:
        """A way back to a root type begins anew there: its fields are tools."""
        role = self._graph.roles.get(getattr(place.type, "name", ""))
        return place if role is None else msgspec.structs.replace(place, role=role, path=())
