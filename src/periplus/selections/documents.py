"""One call as a GraphQL document: an operation with a field, its variables and a selection (S-85)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from graphql import (
    ArgumentNode,
    DocumentNode,
    FieldNode,
    NameNode,
    OperationDefinitionNode,
    OperationType,
    SelectionSetNode,
    VariableDefinitionNode,
    VariableNode,
    parse,
    parse_type,
)


def call_document(binding: Mapping[str, Any], given: Collection[str] | None = None) -> DocumentNode:
    """The document of a tool's binding with its automatic selection; `given` are the arguments a call has."""
    variables: dict[str, str] = binding["variables"]
    chosen = {name: text for name, text in variables.items() if given is None or name in given}
    return document(binding["operation"], binding["path"], chosen, selection_of(binding["selection"]))


def selection_of(text: str) -> SelectionSetNode | None:
    """The selection set of `{ id name }`; nothing where there is nothing to select."""
    if not text:
        return None
    operation = parse(text, no_location=True).definitions[0]
    return operation.selection_set if isinstance(operation, OperationDefinitionNode) else None


def document(
    operation: str, path: Sequence[str], variables: Mapping[str, str], selection: SelectionSetNode | None
) -> DocumentNode:
    """`query berth($id: ID!) { berth(id: $id) {...} }`; fields before the last of `path` are namespaces."""
    leaf = FieldNode(
        name=NameNode(value=path[-1]),
        arguments=tuple(
            ArgumentNode(name=NameNode(value=name), value=VariableNode(name=NameNode(value=name))) for name in variables
        ),
        selection_set=selection,
    )
    field = leaf
    for name in reversed(path[:-1]):
        field = FieldNode(name=NameNode(value=name), selection_set=SelectionSetNode(selections=(field,)))
    definition = OperationDefinitionNode(
        operation=OperationType(operation),
        name=NameNode(value=path[-1]),
        variable_definitions=tuple(
            VariableDefinitionNode(
                variable=VariableNode(name=NameNode(value=name)), type=parse_type(text, no_location=True)
            )
            for name, text in variables.items()
        ),
        selection_set=SelectionSetNode(selections=(field,)),
    )
    return DocumentNode(definitions=(definition,))
