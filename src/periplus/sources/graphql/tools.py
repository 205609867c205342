"""Drafts of a schema's tools, one by one, and what calls of all of them share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec
from graphql import GraphQLSchema

from periplus.model import Draft, Effect, FindingCode, NodeDraft
from periplus.selections.automatic import Selections
from periplus.selections.operations import Operation, operations
from periplus.selections.picks import Selection
from periplus.selections.shapes import Shapes
from periplus.sources.graphql.arguments import Definitions
from periplus.sources.graphql.bindings import Bindings
from periplus.sources.graphql.entities import GENERAL, Entities
from periplus.sources.graphql.report import Report
from periplus.sources.graphql.results import result_schema

SELECT = "_select"


class Tools(msgspec.Struct, frozen=True, kw_only=True):
    """Everything a schema gives: a stream of drafts, the definitions it fills, the tree."""

    drafts: Iterator[Draft]
    definitions: Definitions
    nodes: list[NodeDraft]
    count: int


def tools_of(schema: GraphQLSchema, report: Report) -> Tools:
    """The tools of a schema that has been repaired."""
    found = list(operations(schema))
    if not found:
        report.error(FindingCode.MISSING_MEMBER, "", "the schema has neither queries nor mutations")
    if schema.subscription_type is not None and (number := len(schema.subscription_type.fields)):
        report.note(
            FindingCode.SUBSCRIPTIONS_NOTED,
            schema.subscription_type.name,
            f"{number} subscription{'s' if number > 1 else ''} cannot be called: a call has one answer",
        )
    shapes = Shapes()
    entities = Entities(schema, found, shapes)
    definitions = Definitions()
    return Tools(
        drafts=_Drafting(schema, entities, Selections(schema, shapes), definitions).all(found),
        definitions=definitions,
        nodes=entities.nodes(),
        count=len(found),
    )


class _Drafting:
    """Makes the drafts of one schema."""

    def __init__(
        self, schema: GraphQLSchema, entities: Entities, selections: Selections, definitions: Definitions
    ) -> None:
        self._entities = entities
        self._selections = selections
        self._definitions = definitions
        self._bindings = Bindings(schema)

    def all(self, found: Sequence[Operation]) -> Iterator[Draft]:
        """One draft for each operation."""
        grouping = {(operation.role, operation.path[:-1]) for operation in found}
        for operation in found:
            groups = (operation.role, operation.path) in grouping
            select = self._selections.bare if groups else self._selections.of
            yield self._draft(operation, select(operation.field.type))

    def _draft(self, operation: Operation, selection: Selection | None) -> Draft:
        field = operation.field
        select = _select_argument(operation) if selection is not None else ""
        is_query = operation.role == "Query"
        places = self._entities.places(operation)
        dotted = ".".join(operation.path)
        return Draft(
            key=operation.key,
            leaf=operation.path[-1],
            origin=f"{operation.type_word} {dotted}",
            method=operation.type_word,
            areas=places,
            description=field.description or "",
            args_schema=self._definitions.arguments(field, select),
            result_schema=result_schema(field.type, selection, self._definitions),
            effect=Effect.READ if is_query else Effect.WRITE,
            effect_words=operation.path[:-1],
            idempotent=is_query,
            deprecated=_deprecation(operation),
            tags=() if places[0] == GENERAL else places[0],
            aliases=tuple(dict.fromkeys((dotted, f"{operation.role}:{dotted}"))),
            binding=self._bindings.of(operation, selection.text() if selection is not None else "", select),
        )


def _select_argument(operation: Operation) -> str:
    """The name of the selection argument; a field that has an argument of that name keeps it."""
    return SELECT if SELECT not in operation.field.args else f"{SELECT}ion"


def _deprecation(operation: Operation) -> bool | str:
    reason = operation.field.deprecation_reason
    return False if reason is None else reason or True
