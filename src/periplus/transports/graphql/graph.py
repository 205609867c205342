"""The kept schema of a source, with what selections on it are checked against."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from graphql import GraphQLField, GraphQLSchema

from periplus.model import Code, Problem
from periplus.ports import Site
from periplus.selections import schema as schemas
from periplus.selections.automatic import Selections
from periplus.selections.operations import operations
from periplus.selections.shapes import Fielded, Shapes, named

_SCHEMAS = 16


class Graph:
    """One schema. `own` are the fields that are tools themselves, by role and path."""

    def __init__(self, schema: GraphQLSchema) -> None:
        self.schema = schema
        self.shapes = Shapes()
        self.selections = Selections(schema, self.shapes)
        self.own = frozenset((operation.role, operation.path) for operation in operations(schema))
        roots = (("Query", schema.query_type), ("Mutation", schema.mutation_type))
        self.roles = {root.name: role for role, root in roots if root is not None}
        self._types = {role: root for role, root in roots if root is not None}

    def field(self, role: str, path: Sequence[str]) -> GraphQLField:
        """The field that a tool calls."""
        type_: Any = self._types.get(role)
        found: GraphQLField | None = None
        for name in path:
            found = type_.fields.get(name) if isinstance(type_, Fielded) else None
            if found is None:
                raise _gone(path)
            type_ = named(found.type)
        if found is None:
            raise _gone(path)
        return found


def graph_of(site: Site) -> Graph:
    """The schema that was kept when the source was read."""
    packed, form = site.site.get("schema"), site.site.get("schema_form")
    if not isinstance(packed, str) or form != schemas.PACKED_FORM:
        raise Problem(
            Code.NOT_CALLABLE,
            f"no schema is kept for {site.spec.id}, so that a selection cannot be checked",
            hints=(f"periplus sync {site.spec.id}", "or call without a selection"),
        )
    return _unpacked(packed)


@lru_cache(maxsize=_SCHEMAS)
def _unpacked(packed: str) -> Graph:
    return Graph(schemas.unpack(packed))


def _gone(path: Sequence[str]) -> Problem:
    return Problem(Code.NOT_CALLABLE, f"the kept schema has no field {'.'.join(path)}", hints=("sync the source",))
