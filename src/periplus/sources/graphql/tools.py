"""Drafts of a schema's tools, one by one, and what calls of all of them share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
from graphql import GraphQLSchema

from periplus.model import Draft, Effect, FindingCode, NodeDraft
from periplus.sources.graphql.arguments import Definitions
from periplus.sources.graphql.entities import GENERAL, Entities
from periplus.sources.graphql.operations import Operation, operations
from periplus.sources.graphql.report import Report
from periplus.sources.graphql.results import result_schema
from periplus.sources.graphql.selection import Selections
from periplus.sources.graphql.shapes import Shapes

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
        drafts=_drafts(found, entities, Selections(schema, shapes), definitions),
        definitions=definitions,
        nodes=entities.nodes(),
        count=len(found),
    )


def _drafts(
    found: Sequence[Operation], entities: Entities, selections: Selections, definitions: Definitions
) -> Iterator[Draft]:
    for operation in found:
        yield _draft(operation, entities, selections, definitions)


def _draft(operation: Operation, entities: Entities, selections: Selections, definitions: Definitions) -> Draft:
    field = operation.field
    selection = selections.of(field.type)
    select = _select_argument(operation) if selection is not None else ""
    is_query = operation.role == "Query"
    places = entities.places(operation)
    dotted = ".".join(operation.path)
    return Draft(
        key=operation.key,
        leaf=operation.path[-1],
        origin=f"{operation.type_word} {dotted}",
        method=operation.type_word,
        areas=places,
        description=field.description or "",
        args_schema=definitions.arguments(field, select),
        result_schema=result_schema(field.type, selection, definitions),
        effect=Effect.READ if is_query else Effect.WRITE,
        effect_words=operation.path[:-1],
        idempotent=is_query,
        deprecated=_deprecation(operation),
        tags=() if places[0] == GENERAL else places[0],
        aliases=tuple(dict.fromkeys((dotted, f"{operation.role}:{dotted}"))),
        binding=_binding(operation, selection.text() if selection is not None else "", select),
    )


def _select_argument(operation: Operation) -> str:
    """The name of the selection argument; a field that has an argument of that name keeps it."""
    return SELECT if SELECT not in operation.field.args else f"{SELECT}ion"


def _deprecation(operation: Operation) -> bool | str:
    reason = operation.field.deprecation_reason
    return False if reason is None else reason or True


def _binding(operation: Operation, selection: str, select: str) -> dict[str, Any]:
    """What a transport needs beside the site to build the call; see docs/sources/graphql.md."""
    return {
        "operation": operation.type_word,
        "path": list(operation.path),
        "variables": {name: str(arg.type) for name, arg in operation.field.args.items()},
        "returns": str(operation.field.type),
        "selection": selection,
        "select": select,
    }
