from __future__ import annotations

from typing import Any

import pytest
from schema_desk import Desk, accepts, valid

_LATEST = "3.1"


@pytest.mark.parametrize(
    ("dialect", "written", "becomes"),
    [
        ("3.0", {"type": "string", "nullable": True}, {"type": ["string", "null"]}),
        ("2.0", {"type": "string", "x-nullable": True}, {"type": ["string", "null"]}),
        (
            "3.0",
            {"type": "string", "nullable": True, "enum": ["a"]},
            {"type": ["string", "null"], "enum": ["a"]},
        ),
        ("3.0", {"nullable": True, "description": "any"}, {"description": "any"}),
        ("3.0", {"type": "number", "minimum": 3, "exclusiveMinimum": True}, {"type": "number", "exclusiveMinimum": 3}),
        ("3.0", {"type": "number", "maximum": 3, "exclusiveMaximum": False}, {"type": "number", "maximum": 3}),
        (_LATEST, {"type": "number", "exclusiveMaximum": 3}, {"type": "number", "exclusiveMaximum": 3}),
        ("3.0", {"type": "string", "example": "x"}, {"type": "string", "examples": ["x"]}),
        ("3.0", {"example": 1, "examples": [1, 2]}, {"examples": [1, 2]}),
        ("3.0", {"examples": {"a": {"value": 1}}}, {"examples": [1]}),
        (
            "3.0",
            {"type": "array", "items": [{"type": "string"}]},
            {"type": "array", "prefixItems": [{"type": "string"}]},
        ),
        (
            "2.0",
            {"items": [{"type": "string"}], "additionalItems": False},
            {"prefixItems": [{"type": "string"}], "items": False},
        ),
        ("2.0", {"type": "file"}, {"type": "string", "format": "binary"}),
        (
            "3.0",
            {"type": "string", "format": "byte"},
            {"type": "string", "contentEncoding": "base64", "pattern": "^[A-Za-z0-9+/_-]*={0,2}$"},
        ),
        (
            "3.0",
            {"type": "integer", "format": "int32"},
            {"type": "integer", "format": "int32", "minimum": -(2**31), "maximum": 2**31 - 1},
        ),
        (
            "3.0",
            {"type": "integer", "format": "int64", "minimum": 1},
            {"type": "integer", "format": "int64", "minimum": 1, "maximum": 2**63 - 1},
        ),
        ("3.0", {"type": "string", "format": "int64"}, {"type": "string", "format": "int64"}),
        ("3.0", {"type": "string", "format": "date"}, {"type": "string", "format": "date"}),
        (
            _LATEST,
            {"type": "string", "contentMediaType": "image/png"},
            {"type": "string", "contentMediaType": "image/png"},
        ),
        ("3.0", {"properties": {"a": {"type": "string"}}}, {"properties": {"a": {"type": "string"}}}),
        ("3.0", {"type": "string", "xml": {"name": "x"}, "x-other": 1, "externalDocs": {}}, {"type": "string"}),
        ("3.0", {"x-semantic-type": "crm.account@1"}, {"x-semantic-type": "crm.account@1"}),
        (_LATEST, {"$schema": "x", "$comment": "y", "$defs": {"a": {}}, "type": "object"}, {"type": "object"}),
        ("2.0", {"definitions": {"a": {}}, "type": "object"}, {"type": "object"}),
        (
            "3.0",
            {"dependencies": {"a": ["b"], "c": {"required": ["d"]}}},
            {"dependentRequired": {"a": ["b"]}, "dependentSchemas": {"c": {"required": ["d"]}}},
        ),
        ("3.0", {"enum": [1, 2], "x-enum-varnames": ["on", "off"]}, {"enum": [1, 2], "description": "1 = on, 2 = off"}),
        ("3.0", {"type": "String"}, {"type": "string"}),
        ("3.0", {"type": ["string", "null"]}, {"type": ["string", "null"]}),
        ("3.0", {"minLength": 2.0}, {"minLength": 2}),
        ("3.0", {"required": ["a", "a"]}, {"required": ["a"]}),
    ],
)
def test_each_older_spelling_becomes_that_of_2020_12(dialect: str, written: Any, becomes: Any):
    """S-39"""
    desk = Desk(dialect=dialect)
    assert desk.request(written) == becomes
    assert desk.codes == []


@pytest.mark.parametrize(
    "written",
    [
        {"allOf": [{"type": "object"}], "anyOf": [True], "oneOf": [{}, False], "not": {"type": "null"}},
        {"if": {"required": ["a"]}, "then": {"required": ["b"]}, "else": True},
        {"const": None, "patternProperties": {"^x": {"type": "string"}}, "propertyNames": {"maxLength": 3}},
        {"prefixItems": [{"type": "string"}], "items": False, "contains": {"type": "string"}, "minContains": 1},
        {"unevaluatedProperties": False, "dependentSchemas": {"a": {"type": "object"}}},
        {"type": ["string", "integer"], "deprecated": True, "default": 1},
    ],
)
def test_modern_keywords_pass_through_as_the_very_same_object(written: Any):
    """S-39"""
    desk = Desk(dialect=_LATEST)
    assert desk.request(written) is written
    assert desk.codes == []
    valid(written)


def test_boolean_schemas_stay_what_they_mean():
    desk = Desk(dialect=_LATEST)
    assert accepts(desk.request(True), 1)
    assert not accepts(desk.request(False), 1)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("type", "any"),
        ("type", 3),
        ("type", None),
        ("type", []),
        ("format", 7),
        ("enum", "a"),
        ("required", "a"),
        ("properties", ["a"]),
        ("items", "string"),
        ("additionalProperties", "true"),
        ("allOf", {}),
        ("oneOf", []),
        ("minLength", -1),
        ("maxItems", "5"),
        ("minimum", "0"),
        ("multipleOf", 0),
        ("pattern", 4),
        ("description", 5),
        ("deprecated", "yes"),
        ("uniqueItems", 1),
        ("nullable", "true"),
        ("$ref", 4),
        ("dependentRequired", []),
        ("examples", 1),
        ("exclusiveMinimum", "1"),
    ],
)
def test_a_keyword_of_the_wrong_type_costs_that_keyword_only(key: str, value: Any):
    """S-3"""
    desk = Desk()
    assert desk.request({"title": "kept", key: value, "maxLength": 9}) == {"title": "kept", "maxLength": 9}
    assert desk.codes == ["schema_reduced"]


@pytest.mark.parametrize("odd", [None, "string", 3, ["a"]])
def test_what_is_no_schema_accepts_anything_and_is_reported(odd: Any):
    """S-3"""
    desk = Desk()
    assert desk.request({"properties": {"a": odd, "b": {"type": "string"}}}) == {
        "properties": {"a": {}, "b": {"type": "string"}}
    }
    assert desk.codes == ["schema_reduced"]
    assert desk.findings[0].where.endswith("#/here/properties/a") or odd is None


def test_a_property_that_says_it_is_required_moves_that_to_its_parent():
    """S-39"""
    desk = Desk()
    written = {
        "required": ["b"],
        "properties": {
            "a": {"type": "string", "required": True},
            "b": {"type": "object", "properties": {"c": {"required": True}, "d": {"required": False}}},
        },
    }
    assert desk.request(written) == {
        "required": ["b", "a"],
        "properties": {
            "a": {"type": "string"},
            "b": {"type": "object", "properties": {"c": {}, "d": {}}, "required": ["c"]},
        },
    }
    assert desk.codes == ["parse_lenient", "parse_lenient"]


@pytest.mark.parametrize("pattern", [r"^a(?=b)", r"(a)\1", "[a-z", "{x}"])
def test_a_pattern_that_does_not_run_is_shown_and_not_checked(pattern: str):
    """S-39"""
    desk = Desk()
    schema = desk.request({"type": "string", "pattern": pattern, "description": "Odd."})
    assert schema == {"type": "string", "description": f"Odd.\nPattern: {pattern}"}
    assert desk.codes == ["pattern_unsupported"]


@pytest.mark.parametrize("pattern", [r"^\d+$", r"^[\w\-\.]+$", r"\/x", r"^(a+)+$", r"^\p{L}+$"])
def test_a_pattern_that_runs_stays(pattern: str):
    desk = Desk()
    assert desk.request({"pattern": pattern}) == {"pattern": pattern}
    assert desk.codes == []


@pytest.mark.parametrize(
    "written",
    [
        {"type": "string", "enum": [1, 2]},
        {"enum": []},
        {"type": "string", "minLength": 5, "maxLength": 2},
        {"minimum": 5, "maximum": 2},
        {"minItems": 2, "maxItems": 1},
    ],
)
def test_what_nothing_satisfies_is_reported_and_stays(written: Any):
    """S-39"""
    desk = Desk()
    assert desk.request(written) == written
    assert desk.codes == ["schema_unsatisfiable"]


def test_nullable_is_no_word_of_3_1_and_that_is_said():
    """S-40"""
    desk = Desk(dialect="3.1")
    assert desk.request({"type": "string", "nullable": True}) == {"type": "string"}
    assert [(finding.code.value, finding.severity.value) for finding in desk.findings] == [("schema_reduced", "note")]


def test_the_place_of_a_finding_is_a_pointer_into_the_document():
    """S-5"""
    document = {"components": {"schemas": {"a/b": {"properties": {"x": {"type": "any"}}}}}}
    desk = Desk(document)
    desk.request({"$ref": "#/components/schemas/a~1b"})
    assert desk.findings[0].where.endswith("openapi.json#/components/schemas/a~1b/properties/x")


def test_branches_that_differ_only_in_what_answers_have_are_one_branch_of_a_request():
    """S-39, S-40: else nothing could be sent."""
    branch = {"type": "object", "properties": {"n": {"type": "string"}}}
    branches = [{**branch, "properties": {**branch["properties"], x: {"readOnly": True}}} for x in "ab"]
    assert Desk().request({"oneOf": branches}) == {"oneOf": [branch]}
