"""No input is more than a `Problem`, and no fault loses an operation without saying so."""

from __future__ import annotations

import copy
import json
import random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from periplus.model import Problem

OK = {"responses": {"200": {"description": "fine", "content": {"application/json": {"schema": {"type": "string"}}}}}}
RICH: dict[str, Any] = {
    "openapi": "3.2.0",
    "$self": "https://names.example.com/api",
    "info": {"title": "T", "version": "1", "description": "About"},
    "servers": [{"url": "https://{r}.example.com", "variables": {"r": {"default": "a", "enum": ["a"]}}}],
    "tags": [{"name": "a", "parent": "b", "summary": "s"}, {"name": "b", "description": "d"}],
    "x-tagGroups": [{"name": "g", "tags": ["a"]}],
    "security": [{"key": []}],
    "paths": {
        "/pets/{id}": {
            "parameters": [{"$ref": "#/components/parameters/id"}],
            "servers": [{"url": "/x"}],
            "get": {
                "operationId": "getPet",
                "tags": ["a", "b/c"],
                "parameters": [{"name": "q", "in": "query", "schema": {"type": "array", "items": {"type": "string"}}}],
                "responses": {
                    "200": {"$ref": "#/components/responses/ok"},
                    "202": {"headers": {"Location": {"schema": {"type": "string"}}}},
                },
                "callbacks": {"c": {"x": {"post": OK}}},
            },
            "post": {
                "requestBody": {
                    "required": True,
                    "content": {
                        "application/json": {"schema": {"$ref": "#/components/schemas/Pet"}},
                        "multipart/form-data": {
                            "schema": {"type": "object", "properties": {"f": {"type": "string", "format": "binary"}}},
                            "encoding": {"f": {"contentType": "image/png", "headers": {"X": {"schema": {}}}}},
                        },
                    },
                },
                "security": [{"flow": ["r"]}, {}],
                "x-periplus-effect": "read",
                **OK,
            },
            "additionalOperations": {"COPY": {"$ref": "#/components/x-ops/copy"}},
        },
        "/more?x={x}": {"$ref": "#/components/pathItems/more"},
    },
    "webhooks": {"w": {"post": OK}},
    "components": {
        "parameters": {"id": {"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}}},
        "responses": {
            "ok": {
                "description": "ok",
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Pet"}}},
                "links": {"l": {"operationId": "getPet", "parameters": {"id": "$response.body#/id"}}},
            }
        },
        "schemas": {
            "Pet": {
                "$anchor": "pet",
                "type": "object",
                "required": ["id"],
                "properties": {
                    "id": {"type": "integer", "readOnly": True},
                    "friend": {"$ref": "#pet"},
                    "kind": {"oneOf": [{"$ref": "#/components/schemas/Cat"}], "discriminator": {"propertyName": "t"}},
                    "name": {"type": ["string", "null"], "pattern": "^a+$", "examples": ["aa"]},
                },
            },
            "Cat": {"allOf": [{"$ref": "#/components/schemas/Base"}], "properties": {"t": {"const": "cat"}}},
            "Base": {"type": "object", "properties": {"age": {"type": "number", "exclusiveMinimum": 0}}},
        },
        "securitySchemes": {
            "key": {"type": "apiKey", "in": "header", "name": "K"},
            "flow": {"type": "oauth2", "flows": {"clientCredentials": {"tokenUrl": "https://t", "scopes": {"r": ""}}}},
        },
        "pathItems": {"more": {"get": OK}},
        "x-ops": {"copy": OK},
    },
}
SWAGGER: dict[str, Any] = {
    "swagger": "2.0",
    "info": {"title": "T", "version": "1"},
    "host": "api.example.com",
    "basePath": "/v1",
    "schemes": ["https"],
    "consumes": ["application/json"],
    "produces": ["application/json"],
    "securityDefinitions": {"b": {"type": "basic"}},
    "security": [{"b": []}],
    "parameters": {
        "q": {"name": "q", "in": "query", "type": "array", "items": {"type": "string"}, "collectionFormat": "csv"}
    },
    "definitions": {
        "Pet": {"type": "object", "properties": {"a": {"type": "integer"}, "next": {"$ref": "#/definitions/Pet"}}}
    },
    "paths": {
        "/a/{id}": {
            "post": {
                "consumes": ["multipart/form-data"],
                "parameters": [
                    {"name": "id", "in": "path", "required": True, "type": "string"},
                    {"name": "f", "in": "formData", "type": "file"},
                    {"$ref": "#/parameters/q"},
                ],
                "responses": {"200": {"description": "x", "schema": {"$ref": "#/definitions/Pet"}}},
            },
            "put": {
                "parameters": [{"name": "b", "in": "body", "schema": {"$ref": "#/definitions/Pet"}}],
                "responses": {"204": {"description": "x"}},
            },
        }
    },
}
ODD: tuple[Any, ...] = (
    None, True, False, 0, -1, 1.5, 10**30, "", " ", "x", "#", "#/", "#/paths", "\x00", "ü" * 3, [], [None], [[]], {}, {"": None},
    {"$ref": "#/paths"}, {"$ref": 1}, {"$ref": "#"}, {"$ref": "#/components/schemas/Pet"}, [{"$ref": "#/nope"}], {"type": []},
    {"type": {"a": 1}}, "application/json", ["string"], {"name": None}, {"get": None}, "{", "}{", "a" * 300, "http://[", "x.yaml",
    {"x-y": 1}, {"enum": []}, {"properties": []}, {"properties": {"a": 1}}, {"allOf": {}}, {"items": 3}, {"required": True},
)  # fmt: skip
COUNTED = {("components",), ("components", "pathItems")}  # what decides beside `paths` how many operations there are
JSON = st.recursive(
    st.sampled_from([None, True, 0, 1.5, "", "x", "#/components/schemas/Pet", "object", "string", "query"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["$ref", "type", "properties", "in", "name", "a", "items", "schema"]), inner, max_size=4
        )
    ),
    max_leaves=8,
)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [path] if path else []
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        found += places(item, (*path, key))
    return found


def changed(document: Any, path: tuple[Any, ...], value: Any, *, key: str | None = None) -> Any:
    document = copy.deepcopy(document)
    node = document
    for step in path[:-1]:
        node = node[step]
    if key is not None and isinstance(node, dict):
        node[key] = node.pop(path[-1])
    else:
        node[path[-1]] = value
    return document


def drained(read: Any, document: Any) -> int | None:
    """How many operations it had, or None when it was refused."""
    try:
        result = read(document)
    except Problem:
        return None
    for finding in result.findings:
        assert finding.message
        assert "#" in finding.where
    for draft in result.drafts:
        json.dumps(draft.args_schema, default=str)
        json.dumps(draft.binding, default=str)
    return len(result.drafts) + result.skipped


@pytest.mark.parametrize("document", [RICH, SWAGGER], ids=["3.2", "2.0"])
def test_any_value_anywhere_is_survived(read: Any, document: dict[str, Any]) -> None:
    """S-3: every place of a document with every odd value, a few hundred each run."""
    dice = random.Random(11)
    spots = places(document)
    whole = drained(read, document)
    assert whole == (4 if document is RICH else 2)
    for path in spots:
        for value in dice.sample(ODD, 6):
            left = drained(read, changed(document, path, value))
            if path[0] not in {"paths", "openapi", "swagger"} and path[:2] not in COUNTED:
                assert left in {whole, None}, (path, value)
        drained(read, changed(document, path, None, key="x" if dice.random() < 0.5 else "$ref"))


@given(data=st.data())
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_generated_values_anywhere_are_survived(read: Any, data: st.DataObject) -> None:
    """S-3."""
    document = data.draw(st.sampled_from([RICH, SWAGGER]))
    for _ in range(data.draw(st.integers(1, 4))):
        path = data.draw(st.sampled_from(places(document)))
        document = changed(document, path, data.draw(JSON))
    drained(read, document)


@given(st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_bytes_are_a_document_or_a_problem(read: Any, body: bytes) -> None:
    """S-3, S-9."""
    drained(read, body)


@given(st.integers(0, 4000), st.integers(0, 4000))
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_document_cut_and_patched_anywhere_is_survived(read: Any, start: int, end: int) -> None:
    """S-3, section 14."""
    body = json.dumps(RICH)
    drained(read, body[: start % len(body)] + body[end % len(body) :])


@pytest.mark.parametrize("members", [1, 100_000], ids=["depth", "breadth"])
def test_deep_and_wide_documents_end(read: Any, api: Any, members: int) -> None:
    """Section 14, S-6."""
    if members == 1:
        body = json.dumps(api({"/a": {"get": OK}}))[:-1] + ', "x-deep": ' + "[" * 10_000 + "]" * 10_000 + "}"
        with pytest.raises(Problem, match="nesting"):
            read(body)
    else:
        paths = {"/a": {"get": {"tags": [":".join("a" * members), "x" * 100_000], **OK}}}
        assert drained(read, api(paths)) == 1
