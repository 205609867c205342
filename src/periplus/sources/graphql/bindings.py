"""What a transport needs beside the site to build a tool's call; see docs/sources/graphql.md."""

from __future__ import annotations

import re
from typing import Any

from graphql import (
    GraphQLInputObjectType,
    GraphQLInterfaceType,
    GraphQLObjectType,
    GraphQLOutputType,
    GraphQLSchema,
    GraphQLUnionType,
    get_named_type,
)

from periplus.selections.operations import Operation
from periplus.selections.shapes import named

UPLOAD = "Upload"
_FAULT = re.compile(r"(Error|Errors|ErrorResult|Exception|Failure|Fault)$")


class Bindings:
    """The bindings of one schema's tools."""

    def __init__(self, schema: GraphQLSchema) -> None:
        self._schema = schema
        self._with_files = _with_files(schema)

    def of(self, operation: Operation, selection: str, select: str) -> dict[str, Any]:
        """The binding of one tool; `uploads` and `faults` stand in it only where there are any."""
        field = operation.field
        binding: dict[str, Any] = {
            "operation": operation.type_word,
            "path": list(operation.path),
            "variables": {name: str(arg.type) for name, arg in field.args.items()},
            "returns": str(field.type),
            "selection": selection,
            "select": select,
        }
        if any(get_named_type(arg.type).name in self._with_files for arg in field.args.values()):
            binding["uploads"] = True
        if faults := self._faults(field.type):
            binding["faults"] = faults
        return binding

    def _faults(self, type_: GraphQLOutputType) -> list[str]:
        """The members of a union or interface by which the server says that it failed (S-87)."""
        target = named(type_)
        if not isinstance(target, GraphQLUnionType | GraphQLInterfaceType):
            return []
        return [member.name for member in self._schema.get_possible_types(target) if _is_fault(member)]


def _with_files(schema: GraphQLSchema) -> frozenset[str]:
    """The types in whose values a file can stand. A loop and not a recursion, because chains of inputs can be long."""
    holders: dict[str, list[str]] = {}
    for type_ in schema.type_map.values():
        if isinstance(type_, GraphQLInputObjectType):
            for field in type_.fields.values():
                holders.setdefault(get_named_type(field.type).name, []).append(type_.name)
    found: set[str] = set()
    waiting = [UPLOAD]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += holders.get(name, ())
    return frozenset(found)


def _is_fault(member: GraphQLObjectType) -> bool:
    return any(_FAULT.search(name) for name in (member.name, *(each.name for each in member.interfaces)))
