"""Selections written as GraphQL: `{ id flag(size: 2) ...Owner } fragment Owner on Ship { owner { id } }` (S-84c)."""

from __future__ import annotations

from typing import NamedTuple

from graphql import (
    FragmentDefinitionNode,
    GraphQLError,
    OperationDefinitionNode,
    OperationType,
    SelectionSetNode,
    parse,
)

from periplus.transports.graphql.refusing import refused

_TOKENS, _LONGEST, _NESTED = 4000, 20_000, 60


class Written(NamedTuple):
    """What a caller wrote: the selection, and the fragments it names."""

    selection: SelectionSetNode
    fragments: tuple[FragmentDefinitionNode, ...] = ()


def written(text: str, argument: str) -> Written:
    """Read GraphQL text; it must be a selection, not a whole document of its own."""
    if len(text) > _LONGEST:
        raise refused(argument, f"it has {len(text):,} characters; {_LONGEST:,} is the most")
    if _nesting(text) > _NESTED:
        raise refused(argument, f"it nests deeper than {_NESTED}")
    try:
        parsed = parse(text, no_location=True, max_tokens=_TOKENS, allow_empty_selection_sets=False)
    except GraphQLError as error:
        raise refused(argument, f"not a selection: {error.message}{_place(error)}") from error
    first, *rest = parsed.definitions
    if not isinstance(first, OperationDefinitionNode) or first.operation is not OperationType.QUERY or first.directives:
        raise refused(argument, "it does not begin with a selection", "write { id name }")
    fragments = tuple(each for each in rest if isinstance(each, FragmentDefinitionNode))
    if len(fragments) < len(rest):
        raise refused(argument, "only fragments may stand behind the selection", "select everything between { and }")
    return Written(first.selection_set, fragments)


def _nesting(text: str) -> int:
    deepest = depth = 0
    for letter in text:
        depth += (letter in "{[(") - (letter in "}])")
        deepest = max(deepest, depth)
    return deepest


def _place(error: GraphQLError) -> str:
    return f" (line {error.locations[0].line}, column {error.locations[0].column})" if error.locations else ""
