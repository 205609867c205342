"""A GraphQL schema as values, in the shape introspection has; SDL is brought into the same shape."""

from __future__ import annotations

import base64
import zlib
from typing import TYPE_CHECKING, cast

import msgspec
from graphql import GraphQLError, GraphQLSchema, build_client_schema

from periplus.model import Code, Problem

if TYPE_CHECKING:
    from graphql.utilities.get_introspection_query import IntrospectionQuery

STANDARD_SCALARS: tuple[str, ...] = ("String", "Int", "Float", "Boolean", "ID")
LEAF_KINDS = frozenset({"SCALAR", "ENUM"})
OUTPUT_KINDS = frozenset({"SCALAR", "ENUM", "OBJECT", "INTERFACE", "UNION"})
INPUT_KINDS = frozenset({"SCALAR", "ENUM", "INPUT_OBJECT"})
PACKED_FORM = "introspection+zlib+base64"


class TypeRef(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A use of a type: its name, or a list or non-null around another use."""

    kind: str
    name: str | None = None
    of_type: TypeRef | None = None


class Input(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """An argument, or a field of an input object."""

    name: str
    type: TypeRef
    description: str | None = None
    default_value: str | None = None
    is_deprecated: bool | None = False
    deprecation_reason: str | None = None


class EnumValue(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """One value of an enum."""

    name: str
    description: str | None = None
    is_deprecated: bool | None = False
    deprecation_reason: str | None = None


class Field(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A field of an object or interface."""

    name: str
    type: TypeRef
    args: tuple[Input, ...] | None = ()
    description: str | None = None
    is_deprecated: bool | None = False
    deprecation_reason: str | None = None


class TypeDef(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A named type; which members it has depends on its kind."""

    kind: str
    name: str
    description: str | None = None
    specified_by: str | None = msgspec.field(default=None, name="specifiedByURL")
    is_one_of: bool | None = False
    fields: tuple[Field, ...] | None = None
    input_fields: tuple[Input, ...] | None = None
    interfaces: tuple[TypeRef, ...] | None = None
    enum_values: tuple[EnumValue, ...] | None = None
    possible_types: tuple[TypeRef, ...] | None = None


class DirectiveDef(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A directive the server understands."""

    name: str
    locations: tuple[str, ...] = ()
    args: tuple[Input, ...] | None = ()
    is_repeatable: bool | None = False
    description: str | None = None


class RootRef(msgspec.Struct, frozen=True, kw_only=True):
    """The name of the type that plays one of the three roles."""

    name: str


class SchemaDoc(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The `__schema` of an introspection."""

    types: tuple[TypeDef, ...]
    query_type: RootRef | None = None
    mutation_type: RootRef | None = None
    subscription_type: RootRef | None = None
    directives: tuple[DirectiveDef, ...] = ()
    description: str | None = None

    def role(self, name: str) -> str:
        """Which root type a type is: `Query`, `Mutation`, `Subscription`, or nothing."""
        for word, root in (
            ("Query", self.query_type),
            ("Mutation", self.mutation_type),
            ("Subscription", self.subscription_type),
        ):
            if root is not None and root.name == name:
                return word
        return ""


def build(doc: SchemaDoc) -> GraphQLSchema:
    """The schema graphql-core validates selections against; `doc` has been repaired, so nothing is checked again."""
    return _build(msgspec.to_builtins({"__schema": doc}))


def pack(doc: SchemaDoc) -> str:
    """The schema without its descriptions, small enough to keep beside the source (`PACKED_FORM`)."""
    bare = msgspec.structs.replace(
        doc,
        description=None,
        types=tuple(_bare_type(type_) for type_ in doc.types),
        directives=tuple(
            msgspec.structs.replace(item, description=None, args=_bare(item.args)) for item in doc.directives
        ),
    )
    return base64.b64encode(zlib.compress(msgspec.json.encode({"__schema": bare}), 6)).decode()


def unpack(packed: str) -> GraphQLSchema:
    """The schema of what `pack` gave."""
    try:
        return _build(msgspec.json.decode(zlib.decompress(base64.b64decode(packed))))
    except (ValueError, zlib.error) as error:
        raise Problem(Code.PARSE_ERROR, f"the kept schema is damaged: {error}", hints=("sync the source",)) from error


def _build(introspection: object) -> GraphQLSchema:
    try:
        return build_client_schema(cast("IntrospectionQuery", introspection), assume_valid=True)
    except (GraphQLError, TypeError, ValueError, RecursionError) as error:
        raise Problem(
            Code.PARSE_ERROR,
            f"the GraphQL schema cannot be used: {str(error)[:300]}",
            hints=("check the schema",),
        ) from error


def _bare_type(type_: TypeDef) -> TypeDef:
    fields = type_.fields and tuple(
        msgspec.structs.replace(field, description=None, args=_bare(field.args)) for field in type_.fields
    )
    values = type_.enum_values and tuple(
        msgspec.structs.replace(value, description=None) for value in type_.enum_values
    )
    return msgspec.structs.replace(
        type_, description=None, fields=fields, input_fields=_bare(type_.input_fields), enum_values=values
    )


def _bare(inputs: tuple[Input, ...] | None) -> tuple[Input, ...] | None:
    return inputs and tuple(msgspec.structs.replace(item, description=None) for item in inputs)
