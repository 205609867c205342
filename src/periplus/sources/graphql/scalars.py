"""What a scalar is in JSON: the five standard ones exactly, known custom ones by name, others anything."""

from __future__ import annotations

from graphql import GraphQLScalarType

from periplus.model import Schema

_INT32 = 2**31
_FILE_MEMBERS: dict[str, Schema] = {
    name: {"type": "string"} for name in ("base64", "text", "cache_ref", "filename", "media_type")
}
_FILE: Schema = {
    "anyOf": [
        {"type": "string"},
        {
            "type": "object",
            "properties": _FILE_MEMBERS,
            "additionalProperties": False,
            "oneOf": [{"required": [name]} for name in ("base64", "text", "cache_ref")],
        },
    ],
    "description": "A file: its text, a data: URI, or {base64 | text | cache_ref, filename?, media_type?}",
    "x-periplus-file": True,
}
_KNOWN: dict[str, Schema] = {
    "Int": {"type": "integer", "minimum": -_INT32, "maximum": _INT32 - 1},
    "Float": {"type": "number"},
    "String": {"type": "string"},
    "Boolean": {"type": "boolean"},
    "DateTime": {"type": "string", "format": "date-time"},
    "Date": {"type": "string", "format": "date"},
    "Time": {"type": "string", "format": "time"},
    "UUID": {"type": "string", "format": "uuid"},
    "URL": {"type": "string", "format": "uri"},
    "Email": {"type": "string", "format": "email"},
    "BigInt": {"type": ["integer", "string"], "pattern": "^-?[0-9]+$"},
    "Decimal": {"type": ["number", "string"], "pattern": "^[-+]?[0-9]*\\.?[0-9]+([eE][-+]?[0-9]+)?$"},
}
_ALSO = {"URI": "URL", "EmailAddress": "Email", "BigDecimal": "Decimal", "ISO8601DateTime": "DateTime"}


def input_scalar(type_: GraphQLScalarType) -> Schema | None:
    """The values a scalar takes; None for one that only its server knows."""
    if type_.name == "ID":
        return {"type": ["string", "integer"]}
    if type_.name == "Upload":
        return dict(_FILE)
    return _known(type_)


def output_scalar(type_: GraphQLScalarType) -> Schema | None:
    """The values a scalar answers with; None for one that only its server knows."""
    return {"type": "string"} if type_.name == "ID" else _known(type_)


def opaque_scalar(type_: GraphQLScalarType) -> Schema:
    """Any JSON, with what the schema says of it."""
    said = [type_.description or f"{type_.name}, a scalar of this server"]
    if type_.specified_by_url:
        said.append(f"Specified by {type_.specified_by_url}")
    return {"title": type_.name, "description": "\n\n".join(said)}


def or_null(schema: Schema) -> Schema:
    """The schema or null."""
    kind = schema.get("type")
    if "$ref" in schema or "anyOf" in schema:
        return {"anyOf": [schema, {"type": "null"}]}
    if kind is None:
        return schema
    return schema | {"type": [*kind, "null"] if isinstance(kind, list) else [kind, "null"]}


def _known(type_: GraphQLScalarType) -> Schema | None:
    schema = _KNOWN.get(_ALSO.get(type_.name, type_.name))
    return None if schema is None else dict(schema)
