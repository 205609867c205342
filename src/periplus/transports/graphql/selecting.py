"""A selection that its caller wrote becomes a document that the schema accepts, or is refused at its place (S-84)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from graphql import DocumentNode, GraphQLError, print_ast, validate

from periplus.ports import Site
from periplus.selections.documents import document
from periplus.selections.picks import grow
from periplus.selections.shapes import Composite, named
from periplus.transports.graphql.extent import Extent
from periplus.transports.graphql.graph import Graph, graph_of
from periplus.transports.graphql.paths import Typing, wish_of
from periplus.transports.graphql.refusing import refused
from periplus.transports.graphql.written import Written, written

_KNOWN, _ERRORS, _MESSAGE = 1024, 5, 300
_ROLES = {"query": "Query", "mutation": "Mutation"}


class Call(NamedTuple):
    """The field that is called, with the variables of this call and the selection made when the schema was read."""

    operation: str
    path: tuple[str, ...]
    variables: tuple[tuple[str, str], ...]
    selection: str

    @property
    def role(self) -> str:
        return _ROLES[self.operation]


def selected(site: Site, call: Call, wanted: str | Sequence[str], argument: str) -> str:
    """The document of a call with the selection its caller wants, valid by the schema."""
    texts = (wanted,) if isinstance(wanted, str) else tuple(wanted)
    return _document(graph_of(site), call, texts, argument)


@lru_cache(maxsize=_KNOWN)
def _document(graph: Graph, call: Call, texts: tuple[str, ...], argument: str) -> str:
    field = graph.field(call.role, call.path)
    target = named(field.type)
    if not isinstance(target, Composite):
        raise refused(argument, f"{'.'.join(call.path)} is {field.type}, of which nothing can be selected")
    one = texts[0].strip() if len(texts) == 1 else ""
    if one.startswith("{"):
        choice = written(one, argument)
    else:
        tree = Typing(graph, argument).tree(target, wish_of(texts, argument))
        choice = Written(grow(graph.schema, target, tree).node())
    Extent(graph, choice.fragments, argument).check(choice.selection, target, call.role, call.path)
    whole = document(call.operation, call.path, dict(call.variables), choice.selection)
    whole = DocumentNode(definitions=(*whole.definitions, *choice.fragments))
    if errors := validate(graph.schema, whole, max_errors=_ERRORS, allow_empty_selection_sets=False):
        raise refused(argument, _said(errors[0]), *(_said(each) for each in errors[1:]))
    return print_ast(whole)


def _said(error: GraphQLError) -> str:
    return " ".join(error.message.split())[:_MESSAGE]
