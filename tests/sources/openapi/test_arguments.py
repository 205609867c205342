from __future__ import annotations

from typing import Any

import pytest
from schema_desk import Desk, accepts, json_body

_STRING = {"type": "string"}


def _one(desk: Desk, **parameter: Any) -> Any:
    """The schema of a single parameter."""
    found = desk.arguments([{"name": "x", "schema": _STRING, **parameter}])
    return found.args_schema["properties"]["x"]


def test_the_golden_operation_has_the_golden_arguments():
    """S-41, section 17"""
    desk = Desk()
    body = json_body(
        {
            "type": "object",
            "required": ["day"],
            "properties": {
                "day": {"type": "string", "format": "date"},
                "id": {"type": "integer", "readOnly": True},
                "note": {"type": "string", "nullable": True},
            },
        }
    )
    parameters = [
        {"name": "id", "in": "path", "required": True, "schema": _STRING},
        {"name": "tag", "in": "query", "explode": False, "schema": {"type": "array", "items": _STRING}},
    ]
    found = desk.arguments(parameters, body)
    assert found.args_schema == {
        "type": "object",
        "additionalProperties": False,
        "required": ["id", "day"],
        "properties": {
            "id": {"type": "string", "minLength": 1, "not": {"enum": [".", ".."]}},
            "tag": {"type": "array", "items": {"type": "string"}},
            "day": {"type": "string", "format": "date"},
            "note": {"type": ["string", "null"]},
        },
    }
    assert found.binding == {
        "parameters": [{"in": "path", "name": "id"}, {"in": "query", "name": "tag", "explode": False}],
        "body": {
            "required": True,
            "media": [{"type": "application/json", "kind": "json", "members": ["day", "note"]}],
        },
    }
    assert desk.findings == []


def test_names_are_kept_as_they_are_written():
    """S-41"""
    names = ["filter[name]", "$top", "X-Trace", "x-trace", "a b"]
    found = Desk().arguments([{"name": name, "in": "query", "schema": _STRING} for name in names])
    assert list(found.args_schema["properties"]) == names


def test_one_name_in_several_places_is_kept_by_the_first_and_told_apart():
    """S-42"""
    parameters = [{"name": "id", "in": place, "schema": _STRING} for place in ("cookie", "header", "query", "path")]
    body = json_body({"type": "object", "required": ["id"], "properties": {"id": {"type": "integer"}}})
    found = Desk().arguments(parameters, body)
    properties = found.args_schema["properties"]
    assert sorted(properties) == ["body_id", "cookie_id", "header_id", "id", "query_id"]
    assert properties["id"]["description"] == "(sent in the path)"
    assert properties["body_id"] == {"type": "integer", "description": "(sent in the request body)"}
    assert found.args_schema["required"] == ["id", "body_id"]
    wires = found.binding["parameters"]
    assert [wire.get("arg") for wire in wires] == ["cookie_id", "header_id", "query_id", None]
    assert found.binding["body"]["media"][0]["args"] == {"id": "body_id"}


def test_a_made_up_name_that_exists_gets_a_number():
    """S-42"""
    parameters = [
        {"name": "id", "in": "path", "schema": _STRING},
        {"name": "id", "in": "query", "schema": _STRING},
        {"name": "query_id", "in": "query", "schema": _STRING},
    ]
    assert sorted(Desk().arguments(parameters).args_schema["properties"]) == ["id", "query_id", "query_id_2"]


def test_what_the_caller_need_not_say_is_not_asked():
    """S-43"""
    parameters = [
        {"name": "Accept", "in": "header", "schema": _STRING},
        {"name": "content-type", "in": "header", "schema": _STRING},
        {"name": "Authorization", "in": "header", "required": True, "schema": _STRING},
        {"name": "api_key", "in": "query", "required": True, "schema": _STRING},
        {"name": "X-Key", "in": "header", "required": True, "schema": _STRING},
        {"name": "v", "in": "query", "required": True, "schema": {"type": "string", "enum": ["2"]}},
        {"name": "w", "in": "query", "schema": {"type": "string", "enum": ["2"]}},
        {"name": "d", "in": "query", "schema": {"type": "integer", "default": 5}},
    ]
    found = Desk().arguments(parameters, hidden=frozenset({("query", "api_key"), ("header", "x-key")}))
    assert sorted(found.args_schema["properties"]) == ["d", "w"]
    assert found.args_schema["properties"]["d"]["default"] == 5
    assert found.binding["parameters"] == [
        {"in": "query", "name": "v", "const": "2"},
        {"in": "query", "name": "w"},
        {"in": "query", "name": "d"},
    ]


def test_members_with_one_legal_value_are_filled():
    """S-43"""
    schema = {
        "type": "object",
        "required": ["kind", "n"],
        "properties": {"kind": {"enum": ["a"]}, "n": {"type": "integer"}, "free": {"enum": ["b"]}},
    }
    found = Desk().arguments(body=json_body(schema))
    assert sorted(found.args_schema["properties"]) == ["free", "n"]
    assert found.binding["body"]["media"][0]["const"] == {"kind": "a"}


@pytest.mark.parametrize(
    ("parameter", "good", "bad"),
    [
        ({"in": "path"}, ["a", "a/b", "..."], ["", ".", ".."]),
        (
            {"in": "path", "schema": {"type": "string", "format": "uuid"}},
            ["0c6f1d7e-6a55-4a8e-9c44-3c1f8c0a1b11"],
            [""],
        ),
        ({"in": "path", "schema": {"type": "string", "pattern": "^[.a]+$"}}, ["a."], [".", "..", "b"]),
        ({"in": "path", "schema": {"type": "array", "items": _STRING}}, [["a"]], [[], [""], [".."]]),
        ({"in": "path", "schema": {"type": ["string", "null"]}}, ["a"], [None, ""]),
        ({"in": "query", "required": True}, ["a"], [""]),
        ({"in": "query"}, ["a", ""], []),
        ({"in": "query", "required": True, "allowEmptyValue": True}, ["a", ""], []),
        ({"in": "query", "required": True, "schema": {"type": "string", "minLength": 0}}, [""], []),
        ({"in": "query", "required": True, "schema": {"type": "string", "enum": ["", "a"]}}, ["", "a"], ["b"]),
        ({"in": "query", "allowEmptyValue": True, "schema": {"type": "integer"}}, [1, ""], ["a"]),
        ({"in": "query", "required": True, "schema": {"type": "array", "items": _STRING}}, [["a"], [""]], [[]]),
        ({"in": "query", "schema": {"type": "array", "items": _STRING}}, [[]], ["a"]),
        ({"in": "query", "required": True, "schema": {"type": "object"}}, [{"a": 1}], [{}]),
        ({"in": "header"}, ["a b", "é", ""], [" a", "a ", "a\nb", "a\r", "\x00", "日", "a\x7f"]),
        ({"in": "header", "schema": {"type": "array", "items": _STRING}}, [["a", "b c"]], [["a,b"], ["\n"]]),
        ({"in": "header", "schema": {"type": "string", "pattern": "^.b"}}, ["ab"], ["ba", "ab\n", "日b"]),
        ({"in": "cookie"}, ["a"], ["a\n", "日"]),
        ({"in": "header", "schema": {"type": "integer"}}, [1], ["1"]),
        ({"in": "query"}, ["日\n"], []),
    ],
)
def test_what_a_place_cannot_carry_is_refused_by_the_schema(parameter: Any, good: list[Any], bad: list[Any]):
    """S-44"""
    schema = _one(Desk(dialect="3.1"), **parameter)
    assert all(accepts(schema, value) for value in good), schema
    assert not any(accepts(schema, value) for value in bad), schema


def test_a_path_parameter_is_required_whatever_is_written():
    """S-44"""
    found = Desk().arguments([{"name": "x", "in": "path", "required": False, "schema": _STRING}])
    assert found.args_schema["required"] == ["x"]


def test_place_constraints_hold_behind_references_too():
    desk = Desk({"components": {"schemas": {"Id": _STRING, "Ids": {"type": "array", "items": _STRING}}}})
    schema = desk.whole(_one(desk, **{"in": "path", "schema": {"$ref": "#/components/schemas/Id"}}))
    assert accepts(schema, "a")
    assert not accepts(schema, "..")
    listed = desk.whole(_one(desk, **{"in": "header", "schema": {"$ref": "#/components/schemas/Ids"}}))
    assert not accepts(listed, ["a,b"])


def test_texts_of_a_parameter_reach_its_description():
    """S-44"""
    written = {
        "name": "x",
        "in": "query",
        "description": "How.",
        "deprecated": True,
        "schema": {"type": "integer", "enum": [1, 2], "description": "Own."},
        "x-enum-varnames": ["on", "off"],
    }
    schema = Desk().arguments([written]).args_schema["properties"]["x"]
    assert schema["description"] == "How. (deprecated)\n1 = on, 2 = off"
    assert schema["deprecated"] is True


def test_a_parameter_without_a_schema_is_any_string_and_one_with_content_is_sent_in_that_form():
    """S-44"""
    parameters = [
        {"name": "a", "in": "query"},
        {"name": "b", "in": "query", "content": {"application/json": {"schema": {"type": "object"}}}},
    ]
    found = Desk().arguments(parameters)
    assert found.args_schema["properties"] == {"a": {"type": "string"}, "b": {"type": "object"}}
    assert found.binding["parameters"][1] == {"in": "query", "name": "b", "content": "application/json"}


def test_examples_of_parameters_are_kept_when_they_fit_and_reported_when_not():
    """S-44"""
    desk = Desk()
    parameter = {
        "name": "x",
        "in": "query",
        "schema": {"type": "integer", "minimum": 1},
        "examples": {"a": {"value": 5}, "b": {"value": 0}, "c": {"externalValue": "https://example.com/x"}},
    }
    assert desk.arguments([parameter]).args_schema["properties"]["x"]["examples"] == [5]
    assert desk.codes == ["schema_reduced"]


def test_how_a_value_is_written_stands_in_the_binding_where_it_is_not_the_default():
    """S-47"""
    parameters = [
        {"name": "a", "in": "query", "style": "deepObject", "explode": True, "schema": {"type": "object"}},
        {"name": "b", "in": "query", "style": "form", "explode": True, "allowReserved": True, "schema": _STRING},
        {"name": "c", "in": "path", "style": "matrix", "explode": True, "schema": _STRING},
        {"name": "d", "in": "header", "style": "simple", "explode": False, "schema": _STRING},
        {"name": "e", "in": "query", "style": "nonsense", "schema": _STRING},
        {"name": "f", "in": "cookie", "style": "cookie", "schema": _STRING},
        {"name": "Idempotency-Key", "in": "header", "required": True, "schema": _STRING},
    ]
    found = Desk(dialect="3.2").arguments(parameters)
    assert found.binding["parameters"] == [
        {"in": "query", "name": "a", "style": "deepObject", "explode": True},
        {"in": "query", "name": "b", "reserved": True},
        {"in": "path", "name": "c", "style": "matrix", "explode": True},
        {"in": "header", "name": "d"},
        {"in": "query", "name": "e"},
        {"in": "cookie", "name": "f", "style": "cookie"},
        {"in": "header", "name": "Idempotency-Key", "fill": "idempotency_key"},
    ]
    assert found.idempotency_key == "Idempotency-Key"
    assert found.args_schema["required"] == ["c"]


def test_swagger_parameters_are_schemas_themselves():
    """S-44, S-47"""
    parameters = [
        {"name": "a", "in": "query", "type": "array", "items": {"type": "integer"}, "collectionFormat": "pipes"},
        {"name": "b", "in": "query", "type": "string", "enum": ["x", "y"], "description": "B", "x-nullable": True},
        {"name": "c", "in": "query", "type": "array", "items": _STRING, "collectionFormat": "multi"},
        {"name": "d", "in": "header", "type": "array", "items": _STRING, "collectionFormat": "pipes"},
    ]
    found = Desk(dialect="2.0").arguments(parameters)
    assert found.args_schema["properties"]["a"] == {"type": "array", "items": {"type": "integer"}}
    assert found.args_schema["properties"]["b"]["type"] == ["string", "null"]
    assert [wire.get("collection") for wire in found.binding["parameters"]] == ["pipes", None, "multi", "pipes"]
    assert not accepts(found.args_schema, {"d": ["a|b"]})
    assert accepts(found.args_schema, {"d": ["a,b"]})


def test_an_operation_without_arguments_takes_none():
    found = Desk().arguments()
    assert accepts(found.args_schema, {})
    assert not accepts(found.args_schema, {"a": 1})
    assert found.binding == {"parameters": []}


def test_equal_parameters_are_read_once_but_faults_are_told_each_time():
    desk = Desk()
    for _ in range(2):
        desk.arguments([{"name": "x", "in": "query", "schema": {"type": "any"}}])
    assert desk.codes == ["schema_reduced", "schema_reduced"]
