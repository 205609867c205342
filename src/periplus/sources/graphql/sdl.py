"""Schema definition language as a schema: definitions and extensions merged, directives that matter applied."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec
from graphql import (
    ConstDirectiveNode,
    DirectiveDefinitionNode,
    DocumentNode,
    EnumTypeDefinitionNode,
    EnumTypeExtensionNode,
    FieldDefinitionNode,
    InputObjectTypeDefinitionNode,
    InputObjectTypeExtensionNode,
    InputValueDefinitionNode,
    InterfaceTypeDefinitionNode,
    InterfaceTypeExtensionNode,
    ListTypeNode,
    NamedTypeNode,
    NonNullTypeNode,
    ObjectTypeDefinitionNode,
    ObjectTypeExtensionNode,
    ScalarTypeDefinitionNode,
    ScalarTypeExtensionNode,
    SchemaDefinitionNode,
    SchemaExtensionNode,
    StringValueNode,
    TypeNode,
    UnionTypeDefinitionNode,
    UnionTypeExtensionNode,
    print_ast,
)

from periplus.model import FindingCode
from periplus.selections.schema import (
    STANDARD_SCALARS,
    DirectiveDef,
    EnumValue,
    Field,
    Input,
    RootRef,
    SchemaDoc,
    TypeDef,
    TypeRef,
)
from periplus.sources.graphql.report import Report

_Definition = (
    ObjectTypeDefinitionNode
    | InterfaceTypeDefinitionNode
    | InputObjectTypeDefinitionNode
    | EnumTypeDefinitionNode
    | UnionTypeDefinitionNode
    | ScalarTypeDefinitionNode
)
_Extension = (
    ObjectTypeExtensionNode
    | InterfaceTypeExtensionNode
    | InputObjectTypeExtensionNode
    | EnumTypeExtensionNode
    | UnionTypeExtensionNode
    | ScalarTypeExtensionNode
)
_KINDS: dict[type, str] = {
    ObjectTypeDefinitionNode: "OBJECT",
    ObjectTypeExtensionNode: "OBJECT",
    InterfaceTypeDefinitionNode: "INTERFACE",
    InterfaceTypeExtensionNode: "INTERFACE",
    InputObjectTypeDefinitionNode: "INPUT_OBJECT",
    InputObjectTypeExtensionNode: "INPUT_OBJECT",
    EnumTypeDefinitionNode: "ENUM",
    EnumTypeExtensionNode: "ENUM",
    UnionTypeDefinitionNode: "UNION",
    UnionTypeExtensionNode: "UNION",
    ScalarTypeDefinitionNode: "SCALAR",
    ScalarTypeExtensionNode: "SCALAR",
}
_ROLES = {"query": "Query", "mutation": "Mutation", "subscription": "Subscription"}


def read_sdl(document: DocumentNode, report: Report) -> SchemaDoc:
    """The schema a parsed document defines."""
    parts = [node for node in document.definitions if isinstance(node, _Definition | _Extension)]
    kinds: dict[str, str] = dict.fromkeys(STANDARD_SCALARS, "SCALAR")
    for node in sorted(parts, key=lambda node: isinstance(node, _Extension)):
        kinds.setdefault(node.name.value, _KINDS[type(node)])
    types = _merged(parts, kinds, report)
    roots = _roots(document, types)
    return SchemaDoc(
        types=tuple(types),
        query_type=roots.get("query"),
        mutation_type=roots.get("mutation"),
        subscription_type=roots.get("subscription"),
        directives=tuple(
            _directive_definition(node, kinds)
            for node in document.definitions
            if isinstance(node, DirectiveDefinitionNode)
        ),
        description=next(
            (_text(node.description) for node in document.definitions if isinstance(node, SchemaDefinitionNode)),
            None,
        ),
    )


def _merged(parts: Sequence[_Definition | _Extension], kinds: Mapping[str, str], report: Report) -> list[TypeDef]:
    """Every definition with its extensions; an extension of nothing stands for the definition itself."""
    whole: list[TypeDef] = []
    first: dict[str, int] = {}
    for node in sorted(parts, key=lambda node: isinstance(node, _Extension)):
        type_ = _type(node, kinds)
        at = first.setdefault(type_.name, len(whole))
        if at == len(whole) or not isinstance(node, _Extension):
            whole.append(type_)
        elif whole[at].kind != type_.kind:
            report.lost(
                FindingCode.PARSE_LENIENT,
                type_.name,
                f"an extension of {type_.name} is {type_.kind}; it is left out",
            )
        else:
            whole[at] = _extended(whole[at], type_)
    return whole


def _extended(type_: TypeDef, more: TypeDef) -> TypeDef:
    return msgspec.structs.replace(
        type_,
        fields=_joined(type_.fields, more.fields),
        input_fields=_joined(type_.input_fields, more.input_fields),
        interfaces=_joined(type_.interfaces, more.interfaces),
        enum_values=_joined(type_.enum_values, more.enum_values),
        possible_types=_joined(type_.possible_types, more.possible_types),
        specified_by=type_.specified_by or more.specified_by,
        is_one_of=type_.is_one_of or more.is_one_of,
    )


def _joined(left: tuple[Any, ...] | None, right: tuple[Any, ...] | None) -> tuple[Any, ...] | None:
    return left if right is None else (*(left or ()), *right)


def _roots(document: DocumentNode, types: Iterable[TypeDef]) -> dict[str, RootRef]:
    """Role -> its type: as the schema definition says, else by the usual names."""
    named: dict[str, RootRef] = {}
    for node in document.definitions:
        if isinstance(node, SchemaDefinitionNode | SchemaExtensionNode):
            for operation in node.operation_types or ():
                named.setdefault(operation.operation.value, RootRef(name=operation.type.name.value))
    if named:
        return named
    objects = {type_.name for type_ in types if type_.kind == "OBJECT"}
    return {role: RootRef(name=name) for role, name in _ROLES.items() if name in objects}


def _type(node: _Definition | _Extension, kinds: Mapping[str, str]) -> TypeDef:
    kind = _KINDS[type(node)]
    fields = getattr(node, "fields", None) or ()
    directives = node.directives
    return TypeDef(
        kind=kind,
        name=node.name.value,
        description=_text(getattr(node, "description", None)),
        fields=tuple(_field(field, kinds) for field in fields) if kind in {"OBJECT", "INTERFACE"} else None,
        input_fields=tuple(_input(field, kinds) for field in fields) if kind == "INPUT_OBJECT" else None,
        interfaces=tuple(_ref(item, kinds) for item in getattr(node, "interfaces", None) or ()),
        enum_values=_values(node) if isinstance(node, EnumTypeDefinitionNode | EnumTypeExtensionNode) else None,
        possible_types=tuple(_ref(item, kinds) for item in getattr(node, "types", None) or ()),
        specified_by=_applied(directives, "specifiedBy").get("url"),
        is_one_of=any(directive.name.value == "oneOf" for directive in directives or ()),
    )


def _field(node: FieldDefinitionNode, kinds: Mapping[str, str]) -> Field:
    reason = _deprecation(node.directives)
    return Field(
        name=node.name.value,
        type=_ref(node.type, kinds),
        args=tuple(_input(arg, kinds) for arg in node.arguments or ()),
        description=_text(node.description),
        is_deprecated=reason is not None,
        deprecation_reason=reason,
    )


def _input(node: InputValueDefinitionNode, kinds: Mapping[str, str]) -> Input:
    reason = _deprecation(node.directives)
    return Input(
        name=node.name.value,
        type=_ref(node.type, kinds),
        description=_text(node.description),
        default_value=print_ast(node.default_value) if node.default_value else None,
        is_deprecated=reason is not None,
        deprecation_reason=reason,
    )


def _values(node: EnumTypeDefinitionNode | EnumTypeExtensionNode) -> tuple[EnumValue, ...]:
    found: list[EnumValue] = []
    for value in node.values or ():
        reason = _deprecation(value.directives)
        found.append(
            EnumValue(
                name=value.name.value,
                description=_text(value.description),
                is_deprecated=reason is not None,
                deprecation_reason=reason,
            )
        )
    return tuple(found)


def _directive_definition(node: DirectiveDefinitionNode, kinds: Mapping[str, str]) -> DirectiveDef:
    return DirectiveDef(
        name=node.name.value,
        locations=tuple(location.value for location in node.locations),
        args=tuple(_input(arg, kinds) for arg in node.arguments or ()),
        is_repeatable=node.repeatable,
        description=_text(node.description),
    )


def _ref(node: TypeNode, kinds: Mapping[str, str]) -> TypeRef:
    if isinstance(node, NonNullTypeNode):
        return TypeRef(kind="NON_NULL", of_type=_ref(node.type, kinds))
    if isinstance(node, ListTypeNode):
        return TypeRef(kind="LIST", of_type=_ref(node.type, kinds))
    name = node.name.value if isinstance(node, NamedTypeNode) else ""
    return TypeRef(kind=kinds.get(name, "OBJECT"), name=name)


def _deprecation(directives: Sequence[ConstDirectiveNode] | None) -> str | None:
    """The reason given, empty when there is none, or None when nothing is deprecated."""
    if not any(directive.name.value == "deprecated" for directive in directives or ()):
        return None
    return _applied(directives, "deprecated").get("reason", "")


def _applied(directives: Sequence[ConstDirectiveNode] | None, name: str) -> dict[str, str]:
    """The text arguments of a directive where it is applied."""
    return {
        arg.name.value: arg.value.value
        for directive in directives or ()
        if directive.name.value == name
        for arg in directive.arguments or ()
        if isinstance(arg.value, StringValueNode)
    }


def _text(node: StringValueNode | None) -> str | None:
    return node.value if node is not None else None
