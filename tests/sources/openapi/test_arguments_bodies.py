from __future__ import annotations

from typing import Any

import pytest
from schema_desk import Desk, accepts, json_body

_STRING = {"type": "string"}
_FILE = {"type": "string", "format": "binary"}


def _object(required: tuple[str, ...] = (), **properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, **({"required": list(required)} if required else {})}


def _media(found: Any) -> Any:
    return found.binding["body"]["media"][0]


def test_required_members_of_an_optional_body_come_together():
    """S-45"""
    found = Desk().arguments(body=json_body(_object(("a", "b"), a=_STRING, b=_STRING, c=_STRING), required=False))
    assert accepts(found.args_schema, {})
    assert accepts(found.args_schema, {"a": "", "b": ""})
    assert not accepts(found.args_schema, {"c": ""})
    assert not accepts(found.args_schema, {"a": ""})
    assert found.binding["body"]["required"] is False


def test_all_of_is_merged_into_one_list_of_members():
    """S-45"""
    base = {"type": "object", "required": ["a"], "properties": {"a": _STRING, "n": {"type": "integer"}}}
    desk = Desk({"components": {"schemas": {"Base": base}}})
    schema = {
        "allOf": [
            {"$ref": "#/components/schemas/Base"},
            {"properties": {"b": _STRING, "n": {"maximum": 5}}, "required": ["b"]},
        ],
        "description": "Both.",
    }
    found = desk.arguments(body=json_body(schema))
    assert found.args_schema["properties"] == {
        "a": {"type": "string"},
        "n": {"allOf": [{"type": "integer"}, {"maximum": 5}]},
        "b": {"type": "string"},
    }
    assert found.args_schema["required"] == ["a", "b"]
    assert desk.schemas.definitions == {}


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "array", "items": _STRING},
        {"type": "string"},
        {"type": "object"},
        {"type": "object", "additionalProperties": _STRING},
        {},
        {"oneOf": [_object(a=_STRING), _object(b=_STRING)]},
        {"allOf": [_object(a=_STRING), {"oneOf": [_object(c=_STRING)]}]},
        {"allOf": [{**_object(a=_STRING), "additionalProperties": False}, _object(b=_STRING)]},
        {**_object(a=_STRING), "patternProperties": {"^x": {}}},
        {**_object(a=_STRING, b=_STRING), "minProperties": 2},
        {**_object(a=_STRING, b=_STRING), "maxProperties": 1},
        {**_object(a=_STRING), "required": ["elsewhere"]},
        {**_object(a=_STRING), "const": {"a": "x"}},
    ],
)
def test_what_cannot_be_spread_without_loss_is_one_argument(schema: Any):
    """S-45"""
    desk = Desk(dialect="3.1")
    found = desk.arguments(body=json_body(schema))
    assert list(found.args_schema["properties"]) == ["body"]
    assert found.args_schema["required"] == ["body"]
    assert _media(found) == {"type": "application/json", "kind": "json", "argument": "body"}


def test_a_recursive_root_is_one_argument():
    """S-45"""
    desk = Desk({"components": {"schemas": {"N": _object(kids={"items": {"$ref": "#/components/schemas/N"}})}}})
    found = desk.arguments(body=json_body({"$ref": "#/components/schemas/N"}))
    assert found.args_schema["properties"] == {"body": {"$ref": "#/$defs/N"}}


def test_the_whole_body_makes_way_for_a_path_parameter_of_its_name():
    """S-45"""
    found = Desk().arguments([{"name": "body", "in": "path", "schema": _STRING}], json_body({"type": "array"}))
    assert sorted(found.args_schema["properties"]) == ["body", "request_body"]
    assert _media(found)["argument"] == "request_body"


@pytest.mark.parametrize(("written", "good", "bad"), [(True, 1, None), ({"type": "integer"}, 1, "x")])
def test_written_additional_properties_are_one_more_argument(written: Any, good: Any, bad: Any):
    """S-45"""
    found = Desk().arguments(body=json_body({**_object(a=_STRING), "additionalProperties": written}))
    assert _media(found)["extra"] == "extra"
    assert accepts(found.args_schema, {"a": "x", "extra": {"z": good}})
    assert not accepts(found.args_schema, {"extra": {"a": good}})
    if bad is not None:
        assert not accepts(found.args_schema, {"extra": {"z": bad}})


def test_rules_about_which_members_come_together_hold_for_the_arguments():
    """S-40"""
    schema = {**_object(a=_STRING, b=_STRING), "anyOf": [{"required": ["a"]}, {"required": ["b"]}]}
    required = Desk().arguments(body=json_body(schema)).args_schema
    assert accepts(required, {"b": ""})
    assert not accepts(required, {})
    optional = Desk().arguments([{"name": "q", "in": "query"}], json_body(schema, required=False)).args_schema
    assert accepts(optional, {"q": "x"})
    least = {**_object(a=_STRING, b=_STRING), "minProperties": 1}
    assert not accepts(Desk().arguments(body=json_body(least)).args_schema, {})
    assert accepts(Desk().arguments(body=json_body(least)).args_schema, {"b": ""})


def test_a_rule_about_a_member_that_had_to_be_renamed_keeps_the_body_whole():
    schema = {**_object(id=_STRING, b=_STRING), "anyOf": [{"required": ["id"]}, {"required": ["b"]}]}
    found = Desk().arguments([{"name": "id", "in": "path", "schema": _STRING}], json_body(schema))
    assert sorted(found.args_schema["properties"]) == ["body", "id"]
    assert not accepts(found.args_schema, {"id": "x", "body": {}})


def test_an_object_that_is_always_empty_asks_for_nothing():
    found = Desk().arguments(body=json_body({"type": "object", "properties": {}, "additionalProperties": False}))
    assert found.args_schema["properties"] == {}
    assert _media(found)["members"] == []


def test_files_of_a_multipart_body_are_files():
    """S-46"""
    desk = Desk(dialect="3.1")
    schema = _object(
        ("avatar",),
        avatar={**_FILE, "description": "A face."},
        more={"type": "array", "items": _FILE},
        name=_STRING,
        scan={},
    )
    body = {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": schema,
                "encoding": {
                    "scan": {"contentType": "image/png, image/jpeg"},
                    "name": {"contentType": "text/plain", "headers": {"X-A": {"schema": {"const": "b"}}}},
                },
            }
        },
    }
    found = desk.arguments(body=body)
    whole = desk.whole(found.args_schema)
    assert _media(found)["files"] == ["avatar", "more", "scan"]
    assert _media(found)["encoding"]["name"] == {"contentType": "text/plain", "headers": {"X-A": "b"}}
    assert whole["properties"]["avatar"]["description"] == "A face."
    for file in ("text", {"base64": "AA==", "filename": "a.png"}, {"text": "x"}, {"cache_ref": "r"}):
        assert accepts(whole, {"avatar": file, "more": [file], "scan": file})
    for wrong in (1, {}, {"path": "/etc/passwd"}, {"text": "x", "base64": "AA=="}):
        assert not accepts(whole, {"avatar": wrong})


def test_files_in_the_branches_of_a_multipart_union_are_files_too():
    """S-46"""
    photo = _object(("photo",), photo=_FILE, id={**_STRING, "readOnly": True})
    desk = Desk({"components": {"schemas": {"Photo": photo, "Note": _object(("note",), note=_STRING)}}})
    union = {"oneOf": [{"$ref": "#/components/schemas/Photo"}, {"$ref": "#/components/schemas/Note"}]}
    found = desk.arguments(body={"required": True, "content": {"multipart/form-data": {"schema": union}}})
    whole = desk.whole(found.args_schema)
    assert _media(found)["files"] == ["photo"]
    assert accepts(whole, {"body": {"photo": {"base64": "AA=="}}})
    assert accepts(whole, {"body": {"note": "x"}})
    assert not accepts(whole, {"body": {"photo": 1}})


def test_a_binary_content_encoding_is_a_file():
    """S-46"""
    schema = _object(f={"type": "string", "contentEncoding": "binary"}, g={**_STRING, "contentEncoding": "base64"})
    found = Desk(dialect="3.1").arguments(body={"content": {"multipart/form-data": {"schema": schema}}})
    assert _media(found)["files"] == ["f"]


def test_a_body_of_bytes_is_a_file_and_a_text_is_a_string():
    """S-47"""
    desk = Desk()
    found = desk.arguments(body={"required": True, "content": {"application/octet-stream": {"schema": _FILE}}})
    assert found.args_schema["properties"]["body"] == {"$ref": "#/$defs/file"}
    assert _media(found)["kind"] == "file"
    text = Desk().arguments(body={"content": {"text/plain": {"schema": _object(a=_STRING)}}})
    assert text.args_schema["properties"] == {"body": {"type": "string"}}


def test_of_media_types_with_equal_schemas_the_preferred_one_is_sent():
    """S-47"""
    names = ["application/xml", "text/plain", "application/vnd.x+json", "application/json", "multipart/form-data"]
    body = {"content": {name: {"schema": _object(a=_STRING)} for name in names}}
    found = Desk().arguments(body=body)
    assert [media["type"] for media in found.binding["body"]["media"]] == ["application/json"]


def test_media_types_with_different_schemas_are_a_choice():
    """S-47"""
    body = {
        "required": True,
        "content": {
            "application/x-www-form-urlencoded": {"schema": _object(("b",), b=_STRING, same=_STRING)},
            "application/json": {"schema": _object(("a",), a=_STRING, same={"type": "integer"})},
        },
    }
    desk = Desk()
    found = desk.arguments(body=body)
    schema = found.args_schema
    types = ["application/json", "application/x-www-form-urlencoded"]
    assert schema["properties"]["content_type"]["enum"] == types
    assert found.binding["body"]["choice"] == "content_type"
    assert accepts(schema, {"a": "x", "same": 1})
    assert accepts(schema, {"content_type": types[0], "a": "x"})
    assert accepts(schema, {"content_type": types[1], "b": "x", "same": "y"})
    assert not accepts(schema, {"b": "x"})
    assert not accepts(schema, {"a": "x", "same": "y"})
    assert not accepts(schema, {"content_type": types[1], "a": "x", "b": "x"})
    assert not accepts(schema, {"content_type": types[1]})
    assert not accepts(schema, {})


def test_xml_may_come_as_members_or_as_text():
    """S-52"""
    pet = {**_object(("a",), a={"type": "string", "xml": {"attribute": True}}), "xml": {"name": "pet"}}
    desk = Desk({"components": {"schemas": {"Pet": pet}}})
    body = {"required": True, "content": {"application/xml": {"schema": {"$ref": "#/components/schemas/Pet"}}}}
    found = desk.arguments(body=body)
    assert accepts(found.args_schema, {"a": "x"})
    assert accepts(found.args_schema, {"body": "<pet/>"})
    assert not accepts(found.args_schema, {"a": "x", "body": "<pet/>"})
    assert not accepts(found.args_schema, {})
    assert _media(found)["xml"] == {"ref": "Pet"}
    assert _media(found)["xml_named"] == {"Pet": {"as": "Pet", "name": "pet", "members": {"a": {"attribute": True}}}}


def test_xml_text_makes_way_for_a_parameter_of_its_name():
    body = {"content": {"application/xml": {"schema": _object(a=_STRING)}}}
    found = Desk().arguments([{"name": "body", "in": "query", "schema": {"type": "integer"}}], body)
    assert found.args_schema["properties"]["body"] == {"type": "integer"}
    assert _media(found)["argument"] == "request_body"
    assert accepts(found.args_schema, {"body": 1, "request_body": "<a/>"})


def test_hints_of_recursive_xml_end():
    document = {"components": {"schemas": {"N": {"properties": {"n": {"$ref": "#/components/schemas/N"}}}}}}
    found = Desk(document).arguments(
        body={"content": {"text/xml": {"schema": {"type": "array", "items": {"$ref": "#/components/schemas/N"}}}}}
    )
    assert _media(found)["xml_named"] == {"N": {"as": "N", "members": {"n": {"ref": "N"}}}}


@pytest.mark.parametrize(
    ("declared", "sent", "kind", "codes"),
    [
        ("application/JSON; charset=utf-8", "application/json; charset=utf-8", "json", []),
        ("mulitpart/form-data", "multipart/form-data", "multipart", ["parse_lenient"]),
        ("aplication/json", "application/json", "json", ["parse_lenient"]),
        ("application/vnd.api+json", "application/vnd.api+json", "json", []),
        ("application/yaml", "application/yaml", "json", []),
        ("application/x-ndjson", "application/x-ndjson", "lines", []),
        ("string", "string", "json", ["media_type_opaque"]),
        ("*/*", "application/json", "json", []),
        ("application/vnd.own", "application/vnd.own", "json", []),
    ],
)
def test_media_types_are_matched_without_case_and_repaired(declared: str, sent: str, kind: str, codes: list[str]):
    """S-53"""
    desk = Desk()
    found = desk.arguments(body={"content": {declared: {"schema": _object(a=_STRING)}}})
    assert (_media(found)["type"], _media(found)["kind"], desk.codes) == (sent, kind, codes)


def test_a_sequence_is_an_array_sent_item_by_item():
    """S-52"""
    found = Desk(dialect="3.2").arguments(body={"content": {"application/jsonl": {"itemSchema": {"type": "integer"}}}})
    assert found.args_schema["properties"]["body"] == {"type": "array", "items": {"type": "integer"}}
    assert _media(found)["kind"] == "lines"


def test_a_swagger_body_is_spread_and_a_second_one_reported():
    """S-45"""
    desk = Desk(dialect="2.0")
    parameters = [
        {"name": "pet", "in": "body", "required": True, "schema": _object(("a",), a=_STRING)},
        {"name": "other", "in": "body", "schema": {"type": "array"}},
    ]
    found = desk.arguments(parameters, consumes=["application/xml", "application/json"])
    assert list(found.args_schema["properties"]) == ["a"]
    assert _media(found) == {"type": "application/json", "kind": "json", "members": ["a"]}
    assert desk.codes == ["bad_parameter"]


def test_swagger_form_fields_are_a_form_and_with_a_file_a_multipart_body():
    """S-45"""
    fields = [
        {"name": "a", "in": "formData", "type": "string", "required": True, "description": "A."},
        {"name": "l", "in": "formData", "type": "array", "items": _STRING, "collectionFormat": "multi"},
    ]
    form = Desk(dialect="2.0").arguments(fields)
    assert form.args_schema["properties"]["a"] == {"type": "string", "description": "A."}
    assert form.args_schema["required"] == ["a"]
    assert _media(form)["type"] == "application/x-www-form-urlencoded"
    assert _media(form)["encoding"] == {"l": {"collection": "multi"}}
    parts = Desk(dialect="2.0").arguments([*fields, {"name": "f", "in": "formData", "type": "file"}])
    assert _media(parts)["type"] == "multipart/form-data"
    assert _media(parts)["files"] == ["f"]


def test_examples_of_a_body_become_whole_calls_or_show_on_its_members():
    """S-44"""
    schema = _object(("a",), a={"type": "integer"})
    body = json_body(schema, examples={"good": {"value": {"a": 1}}, "bad": {"value": {"a": "x"}}})
    path = {"name": "id", "in": "path", "schema": _STRING}
    known = Desk().arguments([{**path, "example": "7"}], body)
    assert [example.input for example in known.examples] == [{"id": "7", "a": 1}]
    unknown = Desk().arguments([path], body)
    assert unknown.examples == ()
    assert unknown.args_schema["properties"]["a"]["examples"] == [1]
    desk = Desk()
    desk.arguments([path], json_body(schema, example={"a": "x"}))
    assert desk.codes == ["schema_reduced"]


def test_a_read_only_member_of_the_body_is_no_argument():
    """S-39"""
    desk = Desk({"components": {"schemas": {"P": _object(("id", "n"), id={**_STRING, "readOnly": True}, n=_STRING)}}})
    found = desk.arguments(body=json_body({"allOf": [{"$ref": "#/components/schemas/P"}, {"required": ["id"]}]}))
    assert list(found.args_schema["properties"]) == ["n"]
    assert found.args_schema["required"] == ["n"]
