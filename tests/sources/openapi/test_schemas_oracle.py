"""Normalised schemas accept what an independent reading of OpenAPI 3.0 accepts, and no input makes reading fail."""

from __future__ import annotations

import re
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schema_desk import BASE, Desk, accepts, json_body, valid

from periplus.sources.openapi.results import result_schema

_NAMES = ("A", "B", "C")
_MEMBERS = ("a", "b", "c")
_SETTINGS = settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))

# --- the oracle: OpenAPI 3.0.3 Schema Object, read by the letter ------------------------------------------------


class Oracle:
    """Says whether a request may hold a value, by the words of the specification."""

    def __init__(self, named: dict[str, Any]) -> None:
        self.named = named

    def accepts(self, schema: dict[str, Any], value: Any) -> bool:
        if "$ref" in schema:
            return self.accepts(self.named[schema["$ref"].rsplit("/", 1)[1]], value)
        return self._type(schema, value) and self._own(schema, value) and self._others(schema, value)

    def _type(self, schema: dict[str, Any], value: Any) -> bool:
        kind = schema.get("type")
        if kind is None or (value is None and schema.get("nullable") is True):
            return True
        if isinstance(value, bool) or value is None:
            return kind == "boolean" and value is not None
        kinds = {"string": str, "integer": int, "number": (int, float), "array": list, "object": dict}
        return kind in kinds and isinstance(value, kinds[kind])

    def _own(self, schema: dict[str, Any], value: Any) -> bool:
        if "enum" in schema and not any(type(one) is type(value) and one == value for one in schema["enum"]):
            return False
        if isinstance(value, str):
            return schema.get("minLength", 0) <= len(value) <= schema.get("maxLength", 99)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return self._number(schema, value)
        if isinstance(value, list):
            inside = all(self.accepts(schema["items"], item) for item in value) if "items" in schema else True
            return inside and len(value) >= schema.get("minItems", 0)
        return self._object(schema, value) if isinstance(value, dict) else True

    def _number(self, schema: dict[str, Any], value: float) -> bool:
        if "minimum" in schema:
            least = schema["minimum"]
            if value < least or (value == least and schema.get("exclusiveMinimum") is True):
                return False
        if schema.get("format") == "int32" and schema.get("type") in {"integer", "number"}:
            return -(2**31) <= value <= 2**31 - 1
        return True

    def _object(self, schema: dict[str, Any], value: dict[str, Any]) -> bool:
        hidden = {name for name, child in schema.get("properties", {}).items() if self._read_only(child)}
        for name, child in schema.get("properties", {}).items():
            if name in value and name not in hidden and not self.accepts(child, value[name]):
                return False
        known = schema.get("properties", {}).keys() - hidden
        if schema.get("additionalProperties") is False and not value.keys() <= known:
            return False
        return all(name in value for name in schema.get("required", ()) if name not in hidden)

    def _read_only(self, schema: dict[str, Any]) -> bool:
        if "$ref" in schema:
            return self._read_only(self.named[schema["$ref"].rsplit("/", 1)[1]])
        return schema.get("readOnly") is True

    def _others(self, schema: dict[str, Any], value: Any) -> bool:
        return (
            all(self.accepts(branch, value) for branch in schema.get("allOf", ()))
            and ("anyOf" not in schema or any(self.accepts(branch, value) for branch in schema["anyOf"]))
            and ("oneOf" not in schema or sum(self.accepts(branch, value) for branch in schema["oneOf"]) == 1)
            and ("not" not in schema or not self.accepts(schema["not"], value))
        )


_references = st.sampled_from(_NAMES).map(lambda name: {"$ref": f"#/components/schemas/{name}"})
_scalars = st.one_of(st.none(), st.booleans(), st.integers(-3, 3), st.just(2**31), st.sampled_from(["", "a", "abc"]))
_values = st.recursive(
    _scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(_MEMBERS), inner, max_size=3)),
    max_leaves=8,
)


def _leaves() -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(
        {},
        optional={
            "type": st.sampled_from(["string", "integer", "number", "boolean"]),
            "nullable": st.booleans(),
            "minLength": st.integers(0, 2),
            "maxLength": st.integers(0, 3),
            "minimum": st.integers(-2, 2),
            "exclusiveMinimum": st.booleans(),
            "format": st.sampled_from(["int32", "other"]),
            "readOnly": st.booleans(),
            "enum": st.lists(_scalars, min_size=1, max_size=3),
            "example": _scalars,
            "x-anything": st.just(1),
        },
    )


def _objects(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(
        {},
        optional={
            "type": st.sampled_from(["object", "array"]),
            "nullable": st.booleans(),
            "properties": st.dictionaries(st.sampled_from(_MEMBERS), st.one_of(inner, _references), max_size=3),
            "required": st.lists(st.sampled_from(_MEMBERS), max_size=2),
            "additionalProperties": st.booleans(),
            "items": st.one_of(inner, _references),
            "minItems": st.integers(0, 2),
            "readOnly": st.booleans(),
        },
    )


def _unions(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    branches = st.lists(inner, min_size=1, max_size=3)
    return st.one_of(
        st.fixed_dictionaries({"oneOf": branches}),
        st.fixed_dictionaries({"anyOf": branches}),
        st.fixed_dictionaries({"not": inner}),
    )


_schemas = st.recursive(_leaves(), lambda inner: st.one_of(_objects(inner), _unions(inner)), max_leaves=6)
# `allOf` only where no read-only member meets the `required` of a neighbour: that rule has tests of its own.
_written = st.one_of(
    _schemas, st.lists(_leaves(), min_size=1, max_size=2).map(lambda both: {"allOf": both}), _references
)
_named = st.fixed_dictionaries(dict.fromkeys(_NAMES, _schemas))


@given(named=_named, schema=_written, values=st.lists(_values, min_size=1, max_size=6))
@_SETTINGS
def test_a_request_schema_accepts_what_the_document_accepts(named: Any, schema: Any, values: list[Any]):
    """S-39, S-40"""
    desk = Desk({"components": {"schemas": named}})
    oracle = Oracle(named)
    normal = desk.request(schema)
    check = valid(normal)
    for value in values:
        assert check.is_valid(value) == oracle.accepts(schema, value), (normal, value)


@given(named=_named, schema=_schemas, value=st.dictionaries(st.sampled_from(_MEMBERS), _values, max_size=3))
@_SETTINGS
def test_spread_arguments_accept_what_the_whole_body_accepts(named: Any, schema: Any, value: dict[str, Any]):
    """S-40, S-45"""
    schema = {"type": "object", "properties": {"a": {}}, **schema}
    if schema["type"] != "object" or not isinstance(schema["properties"], dict):
        return
    desk = Desk({"components": {"schemas": named}})
    found = desk.arguments(body=json_body(schema))
    wire = found.binding["body"]["media"][0]
    whole = desk.whole(found.args_schema)
    if "members" not in wire:
        assert accepts(whole, {"body": value}) == Oracle(named).accepts(schema, value)
        return
    fixed = wire.get("const", {})
    if any(name in value and value[name] != one for name, one in fixed.items()):
        return
    given_members = {name: member for name, member in value.items() if name in wire["members"]}
    further = {name: member for name, member in value.items() if name not in given_members and name not in fixed}
    arguments = (
        {**given_members, wire["extra"]: further} if further and "extra" in wire else {**given_members, **further}
    )
    sendable = not further or "extra" in wire
    said = Oracle(named).accepts(schema, {**value, **fixed})
    assert accepts(whole, arguments) == (said and sendable), (whole, arguments)


# --- whatever comes ------------------------------------------------------------------------------------------

_WORDS = st.sampled_from(
    [
        "$ref",
        "type",
        "properties",
        "items",
        "allOf",
        "oneOf",
        "anyOf",
        "not",
        "enum",
        "required",
        "nullable",
        "discriminator",
        "mapping",
        "propertyName",
        "format",
        "minimum",
        "exclusiveMinimum",
        "pattern",
        "additionalProperties",
        "$id",
        "$anchor",
        "$dynamicRef",
        "default",
        "example",
        "examples",
        "readOnly",
        "schema",
        "content",
        "name",
        "in",
        "style",
        "explode",
        "collectionFormat",
        "encoding",
        "headers",
        "contentType",
        "application/json",
        "multipart/form-data",
        "application/xml",
        "application/x-www-form-urlencoded",
        "text/plain",
        "xml",
        "200",
        "default",
        "a",
        "b",
        "c",
    ]
)
_TEXTS = st.sampled_from(
    [
        "object",
        "array",
        "string",
        "integer",
        "null",
        "file",
        "#/components/schemas/A",
        "#/components/schemas/B",
        "#/nowhere",
        "A",
        "a",
        "query",
        "path",
        "body",
        "formData",
        "header",
        "date",
        "int32",
        "binary",
        "form",
        "deepObject",
        "multi",
        "^a",
        "(?=x)",
        "[",
        "application/json",
    ]
)
_anything: st.SearchStrategy[Any] = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-2, 2), st.floats(allow_nan=False, allow_infinity=False), _TEXTS),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(_WORDS, inner, max_size=5)),
    max_leaves=30,
)


@given(
    named=st.dictionaries(st.sampled_from(("A", "B")), _anything, max_size=2),
    parameters=st.lists(st.dictionaries(_WORDS, _anything, max_size=5), max_size=3),
    body=st.dictionaries(_WORDS, _anything, max_size=3),
    content=_anything,
    responses=_anything,
    dialect=st.sampled_from(["2.0", "3.0", "3.1", "3.2"]),
)
@_SETTINGS
def test_no_input_raises_and_what_comes_out_is_a_valid_schema(
    named: Any, parameters: list[Any], body: Any, content: Any, responses: Any, dialect: str
):
    """S-3"""
    desk = Desk({"definitions": named, "components": {"schemas": named}}, dialect)
    for one in parameters:
        one.setdefault("name", "x")
        one.setdefault("in", "query")
    body = {"content": {"application/json": {"schema": content}}, **body}
    desk.arguments(parameters, body)
    result = result_schema(responses, BASE, desk.schemas, where="w")
    if result is not None:
        valid(desk.whole(result))
    for finding in desk.findings:
        assert re.match(r".+#?", finding.where)
