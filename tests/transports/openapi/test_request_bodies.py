"""Bodies in every media type, and files in every form they are given in."""

from __future__ import annotations

import base64
import email
import email.policy
import xml.etree.ElementTree as ET
from typing import Any
from urllib.parse import parse_qsl

import pytest

from periplus.model import Code, Problem

STRING = {"type": "string"}
FILE = {"type": "string", "format": "binary"}


def members(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def parts(sent: Any) -> list[Any]:
    """The parts of a multipart body as the standard library reads them."""
    head = f"Content-Type: {sent.header('content-type')}\r\n\r\n".encode()
    message = email.message_from_bytes(head + sent.body, policy=email.policy.HTTP)
    assert not message.defects
    return list(message.iter_parts())


def test_the_golden_call_is_the_golden_request(call: Any, document: Any):
    """Section 17."""
    parameters = [
        {"name": "id", "in": "path", "required": True, "schema": STRING},
        {"name": "tag", "in": "query", "explode": False, "schema": {"type": "array", "items": STRING}},
    ]
    schema = {
        "type": "object",
        "required": ["day"],
        "properties": {
            "day": {"type": "string", "format": "date"},
            "id": {"type": "integer", "readOnly": True},
            "note": {"type": "string", "nullable": True},
        },
    }
    body = {"required": True, "content": {"application/json": {"schema": schema}}}
    asked = document("/ships/{id}/visits", "post", "3.0.3", parameters=parameters, requestBody=body, responses={})
    sent = call(asked, {"id": "A/7", "tag": ["dry", "bulk"], "day": "2031-05-02", "note": None})
    request = sent.prepared.wire
    assert request.method == "POST"
    assert request.origin + request.target == "https://api.example.com/ships/A%2F7/visits?tag=dry,bulk"
    assert dict(request.headers) == {"content-type": "application/json", "accept": "application/json, */*;q=0.1"}
    assert request.body == b'{"day":"2031-05-02","note":null}'
    assert (sent.prepared.template, sent.prepared.path, sent.prepared.size) == (
        "/ships/{id}/visits",
        "/ships/A%2F7/visits",
        32,
    )


@pytest.mark.parametrize(
    ("kind", "schema", "value", "content"),
    [
        ("application/json", {"type": "array"}, [1, {"a": None}], b'[1,{"a":null}]'),
        ("application/json", {"type": "integer"}, 2**70, b"1180591620717411303424"),
        ("application/merge-patch+json", {}, {"a": None}, b'{"a":null}'),
        ("application/jsonl", {"type": "array"}, [{"a": 1}, "x"], b'{"a":1}\n"x"\n'),
        ("application/json-seq", {"type": "array"}, [1, 2], b"\x1e1\n\x1e2\n"),
        ("text/plain", STRING, "é", b"\xc3\xa9"),
        ("text/plain; charset=iso-8859-1", STRING, "é", b"\xe9"),
        ("text/plain", {"type": "number"}, 1.5, b"1.5"),
        ("application/xml", STRING, "<a/>", b"<a/>"),
        ("application/pdf", FILE, "data:;base64,JVBERg==", b"%PDF"),
    ],
)
def test_bodies_in_their_media_types(call: Any, body: Any, kind: str, schema: Any, value: Any, content: bytes):
    """S-52, S-46."""
    sent = call(body(kind, schema), {"body": value})
    assert (sent.body, sent.header("content-type")) == (content, kind)


def test_text_that_a_charset_does_not_have_is_refused(unchecked: Any, body: Any):
    """S-52."""
    with pytest.raises(Problem) as refused:
        unchecked(body("text/plain; charset=ascii", STRING), {"body": "é"})
    assert (refused.value.code, refused.value.where) == (Code.INVALID_ARGS, "/body")


@pytest.mark.parametrize(
    ("value", "content"),
    [
        ("/etc/passwd", b"/etc/passwd"),
        ("data:text/plain,a%20b", b"a b"),
        ("data:image/png;base64,_-8=", b"\xff\xef"),
        ("data:no", b"data:no"),
        ({"base64": "/+8"}, b"\xff\xef"),
        ({"text": "é"}, "é".encode()),
    ],
)
def test_files_are_given_as_text_or_base64(call: Any, body: Any, value: Any, content: bytes):
    """S-46, section 14: a path is text."""
    assert call(body("application/octet-stream", FILE), {"body": value}).body == content


@pytest.mark.parametrize("value", [{"base64": "?"}, {"base64": "a"}, {"cache_ref": "r1"}, {}])
def test_a_file_that_cannot_be_read_is_refused(unchecked: Any, body: Any, value: Any):
    """S-46."""
    with pytest.raises(Problem) as refused:
        unchecked(body("application/octet-stream", FILE), {"body": value})
    assert (refused.value.code, refused.value.where) == (Code.INVALID_ARGS, "/body")


@pytest.mark.parametrize(
    ("declared", "given", "sent_as"),
    [
        ("image/*", "image/png", "image/png"),
        ("image/*", "", "application/octet-stream"),
        ("application/octet-stream", "image/png", "image/png"),
        ("application/pdf", "image/png", "application/pdf"),
        ("*/*", "image/gif", "image/gif"),
        ("application/octet-stream", "a/b\r\nX: y", "application/octet-stream"),
    ],
)
def test_a_files_own_type_counts_where_the_document_leaves_it_open(
    call: Any, body: Any, declared: str, given: str, sent_as: str
):
    """S-46, S-52."""
    sent = call(body(declared, FILE), {"body": {"text": "x", "media_type": given}})
    assert sent.header("content-type") == sent_as


def test_a_kept_result_comes_as_bytes(unchecked: Any, body: Any):
    """S-46: the core has put bytes where `cache_ref` stood."""
    asked = body("application/octet-stream", FILE)
    assert unchecked(asked, {"body": b"\x00\xff"}).body == b"\x00\xff"
    assert unchecked(asked, {"body": {"bytes": b"\x00", "filename": "a"}}).body == b"\x00"


def test_forms_are_written_by_their_encoding(call: Any, body: Any):
    """S-52."""
    schema = members(a=STRING, list={"type": "array"}, obj={"type": "object"}, deep={"type": "object"}, csv={}, no={})
    encoding = {"deep": {"style": "deepObject", "explode": True}, "csv": {"style": "form", "explode": False}}
    arguments = {
        "a": "x y&=+", "list": [1, True], "obj": {"k": [1]}, "deep": {"a": {"b": [1]}}, "csv": ["1", "2"], "no": None,
    }  # fmt: skip
    sent = call(body("application/x-www-form-urlencoded", schema, encoding=encoding), arguments)
    assert b"a=x+y%26%3D%2B" in sent.body
    assert parse_qsl(sent.body.decode()) == [
        ("a", "x y&=+"), ("list", "1"), ("list", "true"), ("obj", '{"k":[1]}'), ("deep[a][b][]", "1"), ("csv", "1,2"),
    ]  # fmt: skip


def test_forms_of_swagger_go_by_their_collection_format(call: Any, document: Any):
    """S-52."""
    fields = [
        {"name": "a", "in": "formData", "type": "array", "items": STRING, "collectionFormat": "pipes"},
        {"name": "b", "in": "formData", "type": "array", "items": STRING, "collectionFormat": "multi"},
    ]
    sent = call(document("/a", "post", "2.0", parameters=fields), {"a": ["1", "2"], "b": ["3", "4"]})
    assert parse_qsl(sent.body.decode()) == [("a", "1|2"), ("b", "3"), ("b", "4")]
    assert sent.header("content-type") == "application/x-www-form-urlencoded"


def test_multipart_has_a_part_for_each_member_in_order(call: Any, body: Any):
    """S-52."""
    schema = members(
        title=STRING, tags={"type": "array"}, meta={"type": "object"}, photo=FILE, more={"type": "array", "items": FILE}
    )
    encoding = {"photo": {"contentType": "image/png, image/jpeg", "headers": {"X-K": {"schema": {"const": "v"}}}}}
    arguments = {
        "title": 'a"b',
        "tags": ["x", 2],
        "meta": {"ä": 1},
        "photo": {"base64": "/w==", "filename": 'p"\r\n.png', "media_type": "image/jpeg"},
        "more": ["one", {"text": "two"}],
    }
    found = parts(call(body("multipart/form-data", schema, encoding=encoding), arguments))
    told = [(one.get_param("name", header="content-disposition"), one.get_payload(decode=True)) for one in found]
    assert told == [
        ("title", b'a"b'), ("tags", b"x"), ("tags", b"2"), ("meta", '{"ä":1}'.encode()), ("photo", b"\xff"),
        ("more", b"one"), ("more", b"two"),
    ]  # fmt: skip
    photo = found[4]
    assert photo.get_filename() == "p%22%0D%0A.png"
    assert (photo.get_content_type(), photo["X-K"]) == ("image/jpeg", "v")
    assert found[3].get_content_type() == "application/json"
    assert found[5].get_content_type() == "application/octet-stream"


def test_a_border_is_in_no_part(call: Any, body: Any):
    """S-52."""
    asked = body("multipart/form-data", members(a=STRING))
    first = call(asked, {"a": "x"})
    border = first.header("content-type").partition("boundary=")[2]
    second = call(asked, {"a": f"--{border}\r\n"})
    assert parts(second)[0].get_payload(decode=True) == f"--{border}\r\n".encode()


def test_items_of_a_multipart_list_are_written_by_position(call: Any, body: Any):
    """S-52: prefixEncoding, itemEncoding."""
    told = {"prefixEncoding": [{"contentType": "application/json"}], "itemEncoding": {"contentType": "image/png"}}
    schema = {"type": "array", "prefixItems": [{"type": "object"}], "items": {}}
    sent = call(body("multipart/mixed", schema, version="3.2.0", **told), {"body": [{"a": 1}, {"base64": "/w=="}]})
    assert [(one.get_content_type(), one.get_payload(decode=True)) for one in parts(sent)] == [
        ("application/json", b'{"a":1}'),
        ("image/png", b"\xff"),
    ]


PET = {
    "type": "object",
    "xml": {"name": "pet", "namespace": "urn:p", "prefix": "p"},
    "properties": {
        "id": {"type": "integer", "xml": {"attribute": True}},
        "name": STRING,
        "tags": {"type": "array", "xml": {"wrapped": True}, "items": {"$ref": "#/components/schemas/Tag"}},
        "nick": {"type": "array", "items": {**STRING, "xml": {"name": "n"}}},
        "mate": {"$ref": "#/components/schemas/Mate"},
        "gone": {"type": ["string", "null"]},
    },
}
SHARED = {
    "Tag": {**members(label=STRING), "xml": {"name": "tag"}},
    "Mate": members(name=STRING),
    "Pet": PET,
}


def test_xml_is_built_by_its_hints(call: Any, body: Any):
    """S-52."""
    asked = body("application/xml", {"$ref": "#/components/schemas/Pet"}) | {"components": {"schemas": SHARED}}
    arguments = {
        "id": 3, "name": "<&>", "tags": [{"label": "a"}, {"label": "b"}], "nick": ["x", "y"], "mate": {"name": "z"},
        "gone": None,
    }  # fmt: skip
    root = ET.fromstring(call(asked, arguments).body)  # noqa: S314 - our own
    assert (root.tag, root.attrib) == ("{urn:p}pet", {"id": "3"})
    assert [one.tag for one in root] == ["name", "tags", "n", "n", "mate", "gone"]
    assert root.findtext("name") == "<&>"
    assert [one.findtext("label") for one in root.findall("tags/tag")] == ["a", "b"]
    assert root.findtext("mate/name") == "z"


@pytest.mark.parametrize("arguments", [{"a b": "x"}, {"a": "\x01"}])
def test_what_xml_cannot_say_is_refused(unchecked: Any, body: Any, arguments: Any):
    """S-52."""
    with pytest.raises(Problem) as refused:
        unchecked(body("application/xml", members(**dict.fromkeys(arguments, STRING))), arguments)
    assert refused.value.code is Code.INVALID_ARGS


def test_the_three_node_types_of_3_2(call: Any, body: Any):
    """S-52."""
    schema = {
        **members(
            lang={**STRING, "xml": {"nodeType": "attribute"}},
            text={**STRING, "xml": {"nodeType": "cdata"}},
        ),
        "xml": {"name": "doc"},
    }
    sent = call(body("application/xml", schema, version="3.2.0"), {"lang": "de", "text": "a]]>b"})
    root = ET.fromstring(sent.body)  # noqa: S314 - our own
    assert (root.attrib, root.text) == ({"lang": "de"}, "a]]>b")


def test_an_optional_body_without_arguments_is_none(call: Any, body: Any):
    """S-53."""
    sent = call(body("application/json", members(a=STRING), required=False), {})
    assert (sent.body, sent.header("content-type")) == (b"", None)
    assert call(body("application/json", members(a=STRING)), {}).body == b"{}"


def test_constants_and_further_members_are_part_of_the_body(call: Any, body: Any):
    """S-43, S-45."""
    schema = {
        **members(kind={"const": "x"}, a=STRING),
        "required": ["kind"],
        "additionalProperties": {"type": "integer"},
    }
    sent = call(body("application/json", schema), {"a": "1", "extra": {"n": 2}})
    assert sent.json == {"kind": "x", "a": "1", "n": 2}


def test_content_type_chooses_between_bodies_that_differ(call: Any, document: Any):
    """S-47."""
    content = {
        "application/json": {"schema": members(a=STRING)},
        "application/x-www-form-urlencoded": {"schema": members(b=STRING)},
    }
    asked = document("/a", "post", requestBody={"required": True, "content": content})
    assert call(asked, {"a": "1"}).json == {"a": "1"}
    form = call(asked, {"content_type": "application/x-www-form-urlencoded", "b": "1"})
    assert (form.body, form.header("content-type")) == (b"b=1", "application/x-www-form-urlencoded")


def test_arguments_renamed_by_their_place_go_where_they_belong(call: Any, document: Any):
    """S-42."""
    content = {"application/json": {"schema": members(id={"type": "integer"})}}
    parameters = [{"name": "id", "in": place, "required": True, "schema": STRING} for place in ("path", "query")]
    asked = document("/a/{id}", "post", parameters=parameters, requestBody={"required": True, "content": content})
    sent = call(asked, {"id": "p", "body_id": 1, "query_id": "q"})
    assert (sent.path, sent.query, sent.json) == ("/a/p", "id=q", {"id": 1})


def test_bytes_of_base64_members_stay_text_in_json(call: Any, body: Any):
    """S-39."""
    text = base64.b64encode(b"\xff").decode()
    assert call(body("application/json", members(a={"type": "string", "format": "byte"})), {"a": text}).json == {
        "a": text
    }


def test_a_body_that_is_declared_as_base64_is_sent_as_that_text(call: Any, body: Any):
    """S-39: Spotify takes JPEGs so."""
    sent = call(body("image/jpeg", {"type": "string", "format": "byte"}), {"body": "/9j/"})
    assert (sent.body, sent.header("content-type")) == (b"/9j/", "image/jpeg")


def test_a_required_list_of_a_form_is_not_empty(call: Any, body: Any):
    """S-40: an empty one would be sent as absence."""
    schema = {**members(a={"type": "array", "items": STRING}), "required": ["a"]}
    for kind in ("application/x-www-form-urlencoded", "multipart/form-data"):
        with pytest.raises(ValueError, match="less than 1 item"):
            call(body(kind, schema), {"a": []})


def test_a_list_is_sent_as_json_rather_than_as_a_form_without_names(call: Any, document: Any):
    """S-47."""
    schema = {"type": "array", "items": STRING}
    content = {kind: {"schema": schema} for kind in ("multipart/form-data", "*/*")}
    sent = call(document("/a", "post", requestBody={"required": True, "content": content}), {"body": ["x"]})
    assert (sent.json, sent.header("content-type")) == (["x"], "application/json")
