"""Schemas as servers write them become 2020-12 object schemas, and a fault costs the smallest thing (S-94, S-3)."""

from __future__ import annotations

from typing import Any

import jsonschema_rs
import pytest

from periplus.model import FindingCode, Reading, SourceSpec
from periplus.ports import McpListing, ReadLimits
from periplus.sources.mcp.adapter import reading_of


def read(*schemas: Any, member: str = "inputSchema") -> tuple[list[dict[str, Any]], Reading]:
    """The argument schemas of tools `t0`, `t1`, ... and their reading, the stream read to its end."""
    tools = tuple({"name": f"t{number}", member: schema} for number, schema in enumerate(schemas))
    listing = McpListing(server={}, protocol="2025-11-25", tools=tools)
    reading = reading_of(SourceSpec(id="x", kind="mcp", command="x"), listing, ReadLimits())
    assert isinstance(reading, Reading)
    drafts = list(reading.drafts)
    assert len(drafts) == len(schemas)
    found = [draft.args_schema if member == "inputSchema" else draft.result_schema or {} for draft in drafts]
    for schema in (*found, *reading.definitions.values()):
        jsonschema_rs.meta.validate({**schema, "$schema": "https://json-schema.org/draft/2020-12/schema"})
    return found, reading


def one(schema: Any) -> tuple[dict[str, Any], Reading]:
    (found,), reading = read(schema)
    return found, reading


def codes(reading: Reading) -> list[FindingCode]:
    return [finding.code for finding in reading.findings]


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ({}, {"type": "object"}),
        (None, {"type": "object", "properties": {}}),
        (True, {"type": "object", "properties": {}}),
        ("object", {"type": "object", "properties": {}}),
        ({"type": "string", "title": "T"}, {"type": "object", "properties": {}, "title": "T"}),
        ({"type": ["object", "null"]}, {"type": "object"}),
        ({"type": "OBJECT", "properties": None, "required": None}, {"type": "object"}),
        (
            {"properties": {"a": {"type": "str"}, "b": {"type": "any"}, "c": {"type": "color"}, "d": None}},
            {"type": "object", "properties": {"a": {"type": "string"}, "b": {}, "c": {}, "d": {}}},
        ),
        (
            {"anyOf": [{"required": ["a"]}, {"required": ["b"]}]},
            {"type": "object", "anyOf": [{"required": ["a"]}, {"required": ["b"]}]},
        ),
        (
            {
                "$schema": "http://json-schema.org/draft-04/schema#",
                "id": "http://example.com/x",
                "properties": {
                    "n": {"minimum": 1, "exclusiveMinimum": True, "maximum": 9, "exclusiveMaximum": False},
                    "t": {"items": [{"type": "string"}], "additionalItems": False},
                    "m": {"type": "string", "required": True, "nullable": True, "example": "e"},
                },
                "dependencies": {"n": ["t"], "t": {"required": ["m"]}},
            },
            {
                "type": "object",
                "id": "http://example.com/x",
                "properties": {
                    "n": {"exclusiveMinimum": 1, "maximum": 9},
                    "t": {"prefixItems": [{"type": "string"}], "items": False},
                    "m": {"type": ["string", "null"], "examples": ["e"]},
                },
                "required": ["m"],
                "dependentRequired": {"n": ["t"]},
                "dependentSchemas": {"t": {"required": ["m"]}},
            },
        ),
        (
            {"properties": {"a": {"minLength": "3", "enum": "x", "pattern": 7, "x-mine": {"$ref": "kept"}}}},
            {"type": "object", "properties": {"a": {"x-mine": {"$ref": "kept"}}}},
        ),
        (
            {"properties": {"const": {"const": {"$ref": "#/not/a/reference"}}, "default": {"default": None}}},
            {
                "type": "object",
                "properties": {"const": {"const": {"$ref": "#/not/a/reference"}}, "default": {"default": None}},
            },
        ),
    ],
)
def test_every_habit_has_one_normal_form(written: Any, expected: Any) -> None:
    """S-94: no `type`, other drafts, null, `anyOf` at the root: mended, never dropped."""
    assert one(written)[0] == expected


def test_what_is_lost_is_reported_where_it_was() -> None:
    """S-4"""
    _, reading = one({"properties": {"a": {"minLength": "3"}, "b/c": 5}})
    assert [(finding.where, finding.operation) for finding in reading.findings] == [
        ("x#/tools/0/inputSchema/properties/a/minLength", "t0"),
        ("x#/tools/0/inputSchema/properties/b~1c", "t0"),
    ]


def test_definitions_move_into_the_reading_and_are_shared() -> None:
    """S-94: `definitions` and `$defs` alike; equal ones of several tools are one."""
    old = {"properties": {"at": {"$ref": "#/definitions/Place"}}, "definitions": {"Place": {"type": "string"}}}
    new = {"properties": {"to": {"$ref": "#/$defs/Place"}}, "$defs": {"Place": {"type": "string"}}}
    (first, second), reading = read(old, new)
    (name,) = reading.definitions
    assert name.startswith("Place_")
    assert reading.definitions[name] == {"type": "string"}
    assert first["properties"]["at"] == second["properties"]["to"] == {"$ref": f"#/$defs/{name}"}
    assert "definitions" not in first
    assert "$defs" not in second


def test_definitions_of_one_name_that_differ_stay_apart() -> None:
    def tool(kind: str) -> dict[str, Any]:
        return {"properties": {"at": {"$ref": "#/$defs/Place"}}, "$defs": {"Place": {"type": kind}}}

    (first, second), reading = read(tool("string"), tool("integer"))
    assert first != second
    assert sorted(schema["type"] for schema in reading.definitions.values()) == ["integer", "string"]


def test_a_tool_reads_the_same_whatever_stands_beside_it() -> None:
    """S-95: a new fingerprint means a change of this tool, not of its neighbours."""
    tool = {"properties": {"at": {"$ref": "#/$defs/Place"}}, "$defs": {"Place": {"type": "string"}}}
    other = {"properties": {"at": {"$ref": "#/$defs/Place"}}, "$defs": {"Place": {"type": "integer"}}}
    alone, reading = one(tool)
    (_, beside), both = read(other, tool)
    assert alone == beside
    assert reading.definitions.items() <= both.definitions.items()


def test_recursion_stays_a_reference() -> None:
    """S-115: a tree of trees, and a root that names itself."""
    schema, reading = one(
        {
            "type": "object",
            "properties": {"tree": {"$ref": "#/$defs/Tree"}, "again": {"$ref": "#"}},
            "$defs": {"Tree": {"type": "object", "properties": {"left": {"$ref": "#/$defs/Tree"}}}},
        }
    )
    reference = schema["properties"]["tree"]["$ref"]
    tree = reading.definitions[reference.removeprefix("#/$defs/")]
    assert tree["properties"]["left"]["$ref"] == reference
    root = reading.definitions[schema["properties"]["again"]["$ref"].removeprefix("#/$defs/")]
    assert root["properties"]["again"] == schema["properties"]["again"]
    assert codes(reading) == []


def test_a_root_that_is_a_reference_shows_its_arguments() -> None:
    schema, _ = one({"$ref": "#/definitions/Args", "definitions": {"Args": {"properties": {"a": {"type": "string"}}}}})
    assert schema == {"type": "object", "properties": {"a": {"type": "string"}}}


@pytest.mark.parametrize(
    ("reference", "code"),
    [
        ("#/$defs/Nowhere", FindingCode.DANGLING_REF),
        ("#nowhere", FindingCode.DANGLING_REF),
        ("#/properties/a/minLength", FindingCode.DANGLING_REF),
        ("file:///etc/passwd", FindingCode.REF_REFUSED),
        ("http://169.254.169.254/schema.json#/x", FindingCode.REF_REFUSED),
        ("other.json", FindingCode.REF_REFUSED),
        (7, FindingCode.BAD_PARAMETER),
    ],
)
def test_a_reference_that_leads_nowhere_costs_itself(reference: Any, code: FindingCode) -> None:
    """S-36, S-35: `{}` there, and nothing is fetched."""
    schema, reading = one({"properties": {"a": {"minLength": 1}, "b": {"$ref": reference, "title": "B"}}})
    assert schema["properties"]["b"] == {"title": "B"}
    assert codes(reading) == [code]


@pytest.mark.parametrize(
    "definitions",
    [
        {"A": {"$ref": "#/$defs/A"}},
        {"A": {"$ref": "#/$defs/B"}, "B": {"$ref": "#/$defs/A"}},
        {"A": {"allOf": [{"anyOf": [{"$ref": "#/$defs/A"}]}]}},
    ],
)
def test_a_definition_of_itself_is_broken_open(definitions: dict[str, Any]) -> None:
    """S-36: a validator would never end on it."""
    _, reading = one({"properties": {"a": {"$ref": "#/$defs/A"}}, "$defs": definitions})
    assert codes(reading) == [FindingCode.REF_CYCLE]


def test_anchors_and_ids_inside_the_schema_are_followed() -> None:
    """S-34"""
    schema, reading = one(
        {
            "$id": "https://example.com/root.json",
            "properties": {
                "a": {"$ref": "#here"},
                "b": {"$ref": "part.json"},
                "c": {"$ref": "part.json#/properties/d"},
                "e": {"$ref": "root.json#/$defs/X"},
            },
            "$defs": {
                "X": {"$anchor": "here", "type": "string"},
                "Y": {"$id": "part.json", "properties": {"d": {"type": "null"}}},
            },
        }
    )
    found = {
        name: reading.definitions[member["$ref"].removeprefix("#/$defs/")]
        for name, member in schema["properties"].items()
    }
    assert found["a"] == found["e"] == {"type": "string"}
    assert found["b"] == {"properties": {"d": {"type": "null"}}}
    assert found["c"] == {"type": "null"}


def test_beside_a_reference_only_texts_count_up_to_draft_7() -> None:
    """S-37"""
    both = {"$ref": "#/definitions/A", "description": "d", "minLength": 3}
    schema = {"properties": {"a": both}, "definitions": {"A": {"type": "string"}}}
    old, _ = one({**schema, "$schema": "http://json-schema.org/draft-07/schema#"})
    new, _ = one(schema)
    assert set(old["properties"]["a"]) == {"$ref", "description"}
    assert set(new["properties"]["a"]) == {"$ref", "description", "minLength"}


def test_output_schemas_are_normalised_too() -> None:
    """S-95"""
    (found,), _ = read({"type": "array", "items": [{"type": "int"}]}, member="outputSchema")
    assert found == {"type": "array", "prefixItems": [{"type": "integer"}]}


def test_a_schema_nested_too_deep_is_cut_and_said_so() -> None:
    """S-6"""
    deep: dict[str, Any] = {}
    for _ in range(5_000):
        deep = {"properties": {"a": deep}}
    (_, plain), reading = read(deep, {"type": "object", "title": "neighbour"})
    assert plain["title"] == "neighbour"
    assert codes(reading) == [FindingCode.SCHEMA_REDUCED]


def test_a_pattern_for_another_engine_is_told_in_words() -> None:
    """S-39"""
    schema, reading = one(
        {
            "properties": {"a": {"type": "string", "pattern": "(?=x)y", "description": "d"}, "b": {"pattern": "^z$"}},
            "patternProperties": {"(?!q)": {"type": "string"}},
            "additionalProperties": False,
        }
    )
    assert schema["properties"]["a"] == {"type": "string", "description": "d\nPattern: (?=x)y"}
    assert schema["properties"]["b"] == {"pattern": "^z$"}
    assert "additionalProperties" not in schema
    assert codes(reading) == [FindingCode.PATTERN_UNSUPPORTED] * 2
