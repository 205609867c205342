"""Parameters in a request: every style, every place, and values that would like to be more than a value."""

from __future__ import annotations

from typing import Any
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from periplus.model import Code, Problem
from periplus.transports.openapi import paths, quoting

STRING = {"type": "string"}
LIST = {"type": "array", "items": STRING}
OBJECT = {"type": "object", "additionalProperties": {"type": ["string", "integer"]}}
COLORS = ["blue", "black", "brown"]
RGB = {"R": 100, "G": 200}


@pytest.mark.parametrize(
    ("style", "explode", "value", "path"),
    [
        ("simple", False, "blue", "/a/blue/z"),
        ("simple", False, COLORS, "/a/blue,black,brown/z"),
        ("simple", True, COLORS, "/a/blue,black,brown/z"),
        ("simple", False, RGB, "/a/R,100,G,200/z"),
        ("simple", True, RGB, "/a/R=100,G=200/z"),
        ("label", False, "blue", "/a/.blue/z"),
        ("label", False, COLORS, "/a/.blue,black,brown/z"),
        ("label", True, COLORS, "/a/.blue.black.brown/z"),
        ("label", False, RGB, "/a/.R,100,G,200/z"),
        ("label", True, RGB, "/a/.R=100.G=200/z"),
        ("matrix", False, "blue", "/a/;v=blue/z"),
        ("matrix", False, COLORS, "/a/;v=blue,black,brown/z"),
        ("matrix", True, COLORS, "/a/;v=blue;v=black;v=brown/z"),
        ("matrix", False, RGB, "/a/;v=R,100,G,200/z"),
        ("matrix", True, RGB, "/a/;R=100;G=200/z"),
        ("simple", False, ["a,b", "c/d"], "/a/a%2Cb,c%2Fd/z"),
    ],
)
def test_path_styles(call: Any, parameter: Any, style: str, explode: bool, value: Any, path: str):  # noqa: FBT001
    """S-48, section 7."""
    schema = STRING if isinstance(value, str) else LIST if isinstance(value, list) else OBJECT
    sent = call(parameter("path", schema, style=style, explode=explode), {"v": value})
    assert sent.path == path
    assert sent.prepared.template == "/a/{v}/z"


@pytest.mark.parametrize(
    ("style", "explode", "value", "query"),
    [
        ("form", True, "blue sky", "v=blue%20sky"),
        ("form", True, "", "v="),
        ("form", True, COLORS, "v=blue&v=black&v=brown"),
        ("form", False, COLORS, "v=blue,black,brown"),
        ("form", False, ["a,b", "c&d=e"], "v=a%2Cb,c%26d%3De"),
        ("form", True, RGB, "R=100&G=200"),
        ("form", False, RGB, "v=R,100,G,200"),
        ("form", True, [], ""),
        ("spaceDelimited", False, COLORS, "v=blue%20black%20brown"),
        ("spaceDelimited", True, COLORS, "v=blue&v=black&v=brown"),
        ("spaceDelimited", False, RGB, "v=R%20100%20G%20200"),
        ("pipeDelimited", False, COLORS, "v=blue%7Cblack%7Cbrown"),
        ("deepObject", True, RGB, "v%5BR%5D=100&v%5BG%5D=200"),
    ],
)
def test_query_styles(call: Any, parameter: Any, style: str, explode: bool, value: Any, query: str):  # noqa: FBT001
    """Section 7."""
    schema = STRING if isinstance(value, str) else LIST if isinstance(value, list) else OBJECT
    assert call(parameter("query", schema, style=style, explode=explode), {"v": value}).query == query


@pytest.mark.parametrize(
    ("arrays", "names"),
    [
        ("brackets", ["v[a]", "v[l][]", "v[l][]", "v[o][0][c]", "v[d][e]"]),
        ("indices", ["v[a]", "v[l][0]", "v[l][1]", "v[o][0][c]", "v[d][e]"]),
        ("repeat", ["v[a]", "v[l]", "v[l]", "v[o][0][c]", "v[d][e]"]),
    ],
)
def test_deep_objects_go_as_deep_as_they_are(call: Any, parameter: Any, arrays: str, names: list[str]):
    """S-50."""
    value = {"a": True, "l": [1, 2.5], "o": [{"c": "x"}], "d": {"e": 10**20}, "none": None, "empty": []}
    sent = call(parameter("query", {"type": "object"}, style="deepObject"), {"v": value}, deep_arrays=arrays)
    assert [name for name, _ in sent.pairs] == names
    assert [text for _, text in sent.pairs] == ["true", "1", "2.5", "x", "100000000000000000000"]


@pytest.mark.parametrize(
    ("kind", "query"),
    [
        ("csv", "v=a,b%2Cc"),
        ("ssv", "v=a%20b%2Cc"),
        ("tsv", "v=a%09b%2Cc"),
        ("pipes", "v=a%7Cb%2Cc"),
        ("multi", "v=a&v=b%2Cc"),
        (None, "v=a,b%2Cc"),
    ],
)
def test_collection_formats_of_swagger(call: Any, parameter: Any, kind: str | None, query: str):
    """Section 7."""
    told = {} if kind is None else {"collectionFormat": kind}
    assert call(parameter("query", LIST, version="2.0", **told), {"v": ["a", "b,c"]}).query == query


def test_a_list_in_a_list_of_swagger_has_a_separator_of_its_own(call: Any, parameter: Any):
    """Section 7."""
    schema = {"type": "array", "items": {**LIST, "collectionFormat": "pipes"}}
    sent = call(parameter("query", schema, version="2.0"), {"v": [["a", "b"], ["c"]]})
    assert sent.query == "v=a%7Cb,c"


@pytest.mark.parametrize(
    ("value", "query"), [("a/b?c=d&e+f#g", "v=a/b?c%3Dd%26e%2Bf%23g"), ("50%25", "v=50%25"), ("50%", "v=50%25")]
)
def test_reserved_letters_pass_where_they_do_not_delimit(call: Any, parameter: Any, value: str, query: str):
    """S-49."""
    assert call(parameter("query", STRING, allowReserved=True), {"v": value}).query == query


def test_without_that_permission_everything_is_encoded(call: Any, parameter: Any):
    """S-49."""
    assert call(parameter("query", STRING), {"v": "a/b?c=%20"}).query == "v=a%2Fb%3Fc%3D%2520"


@pytest.mark.parametrize("value", ["../admin", "a/b?x=1#z", "%2e%2e", "a b", "ä", "..%2f", "a;b", "\\..\\"])
def test_a_path_value_stays_one_segment(call: Any, parameter: Any, value: str):
    """S-48, S-114."""
    sent = call(parameter("path", STRING), {"v": value})
    assert sent.segments == ["a", value, "z"]
    assert "?" not in sent.prepared.wire.target


@pytest.mark.parametrize("value", ["", ".", "..", None, [], {}])
def test_a_path_value_that_is_no_segment_is_refused(unchecked: Any, parameter: Any, value: Any):
    """S-48, S-59."""
    with pytest.raises(Problem) as refused:
        unchecked(parameter("path", {}), {"v": value})
    assert refused.value.code is Code.INVALID_ARGS
    assert refused.value.where == "/v"


@pytest.mark.parametrize("value", [".", [""], ["", ""]])
def test_a_style_does_not_make_dots_of_a_value(unchecked: Any, parameter: Any, value: Any):
    """S-48."""
    with pytest.raises(Problem) as refused:
        unchecked(parameter("path", {}, style="label", explode=True), {"v": value})
    assert refused.value.code is Code.INVALID_ARGS


def test_two_values_of_one_segment_do_not_make_dots(unchecked: Any, document: Any):
    """S-48."""
    both = [{"name": name, "in": "path", "required": True, "schema": {"type": "string"}} for name in "ab"]
    for values in ({"a": ".", "b": "."}, {"a": "x", "b": ""}):
        with pytest.raises(Problem):
            unchecked(document("/{a}{b}", parameters=both), values)


@given(st.text(min_size=1).filter(lambda text: text not in {".", ".."} and text.isprintable()))
def test_whatever_a_value_is_the_path_has_the_segments_of_its_template(value: str):
    """S-48."""
    for quote in (quoting.strict, quoting.reserved_in_path):
        path = paths.filled("/a/{v}/z", {"v": quote(value, "")})
        assert [unquote(one) for one in path.split("/")] == ["", "a", value, "z"]
        assert path.isascii()


def test_allow_reserved_in_a_path_lets_no_value_out(call: Any, parameter: Any):
    """S-48."""
    sent = call(parameter("path", STRING, version="3.2.0", allowReserved=True), {"v": "a:b@c/d?e#f%2F"})
    assert sent.path == "/a/a:b@c%2Fd%3Fe%23f%252F/z"


@pytest.mark.parametrize(
    ("explode", "value", "text"),
    [
        (False, COLORS, "blue,black,brown"),
        (False, RGB, "R,100,G,200"),
        (True, RGB, "R=100,G=200"),
        (False, "a %/é", "a %/é"),
        (False, True, "true"),
    ],
)
def test_headers_are_not_encoded(call: Any, parameter: Any, explode: bool, value: Any, text: str):  # noqa: FBT001
    """Section 7."""
    kinds = {str: STRING, list: LIST, dict: OBJECT, bool: {"type": "boolean"}}
    assert call(parameter("header", kinds[type(value)], explode=explode), {"v": value}).header("v") == text


@pytest.mark.parametrize("value", ["a\r\nX: y", "a\nb", "a\x00", "Ж", ["ok", "a\rb"]])
def test_a_header_that_would_end_early_is_refused(unchecked: Any, parameter: Any, value: Any):
    """Section 14: `invalid_args` with pointer."""
    with pytest.raises(Problem) as refused:
        unchecked(parameter("header", {}), {"v": value})
    assert (refused.value.code, refused.value.where) == (Code.INVALID_ARGS, "/v")


@pytest.mark.parametrize(
    ("more", "value", "cookie"),
    [
        ({}, "a b;c", "v=a%20b%3Bc"),
        ({}, "token/+=:", "v=token/+=:"),
        ({}, ["x", "y"], "v=x; v=y"),
        ({"explode": False}, ["x 1", "y"], "v=x%201,y"),
        ({}, RGB, "R=100; G=200"),
        ({"style": "cookie"}, "a b%", "v=a b%"),
    ],
)
def test_cookies_stand_in_one_header(call: Any, parameter: Any, more: Any, value: Any, cookie: str):
    """Section 7."""
    schema = STRING if isinstance(value, str) else LIST if isinstance(value, list) else OBJECT
    assert call(parameter("cookie", schema, version="3.2.0", **more), {"v": value}).header("cookie") == cookie


def test_a_raw_cookie_that_would_add_another_is_refused(unchecked: Any, parameter: Any):
    """Section 7."""
    with pytest.raises(Problem) as refused:
        unchecked(parameter("cookie", STRING, version="3.2.0", style="cookie"), {"v": "a; admin=1"})
    assert refused.value.code is Code.INVALID_ARGS


def test_parameters_in_a_media_type_are_sent_in_it(call: Any, document: Any):
    """S-44."""
    schema = {"type": "object"}
    names = ("query", "header", "cookie", "path")
    parameters = [
        {"name": name, "in": name, "required": True, "content": {"application/json": {"schema": schema}}}
        for name in names
    ]
    sent = call(document("/{path}", parameters=parameters), {name: {"ä": [1, None]} for name in names})
    assert sent.query == "query=%7B%22%C3%A4%22%3A%5B1%2Cnull%5D%7D"
    assert sent.header("header") == '{"\\u00e4":[1,null]}'
    assert unquote(sent.path) == '/{"ä":[1,null]}'
    assert unquote(str(sent.header("cookie"))) == 'cookie={"ä":[1,null]}'


def test_a_whole_query_in_one_media_type(call: Any, document: Any):
    """Section 7: querystring."""
    schema = {"type": "object", "properties": {"a": STRING, "b": LIST}}
    for kind, query in (
        ("application/x-www-form-urlencoded", "a=x+y&b=1&b=2"),
        ("application/json", "%7B%22a%22%3A%22x%20y%22%2C%22b%22%3A%5B%221%22%2C%222%22%5D%7D"),
    ):
        one = {"name": "q", "in": "querystring", "content": {kind: {"schema": schema}}}
        sent = call(document(version="3.2.0", parameters=[one]), {"q": {"a": "x y", "b": ["1", "2"]}})
        assert sent.query == query


def test_null_is_absent_and_what_is_nested_is_json_with_a_note(call: Any, parameter: Any):
    """S-50, section 7."""
    assert call(parameter("query", {"type": ["string", "null"]}), {"v": None}).query == ""
    assert call(parameter("header", {"type": ["string", "null"]}), {"v": None}).header("v") is None
    sent = call(parameter("query", {"type": "array"}), {"v": [{"a": 1}, 2.0, 1e-7]})
    assert sent.pairs == [("v", '{"a":1}'), ("v", "2"), ("v", "1e-7")]
    assert sent.prepared.notes == ("v: what is nested in it is sent as JSON",)


def test_a_required_parameter_with_nothing_to_send_is_refused(unchecked: Any, parameter: Any):
    """S-40."""
    with pytest.raises(Problem) as refused:
        unchecked(parameter("query", LIST, required=True), {"v": []})
    assert refused.value.code is Code.INVALID_ARGS


def test_half_a_letter_is_refused(unchecked: Any, parameter: Any, body: Any):
    """S-59."""
    for asked in (parameter("query", STRING), body("text/plain", STRING)):
        with pytest.raises(Problem) as refused:
            unchecked(asked, {"v": "\ud800", "body": "\ud800"})
        assert refused.value.code is Code.INVALID_ARGS


def test_constants_are_filled_and_the_templates_own_query_is_sent(call: Any, document: Any):
    """S-43, S-38."""
    parameters = [
        {"name": "id", "in": "path", "required": True, "schema": STRING},
        {"name": "kind", "in": "query", "required": True, "schema": {"const": "full"}},
        {"name": "X-V", "in": "header", "required": True, "schema": {"enum": [2]}},
    ]
    sent = call(document("/a/{id}?x=1 2&y={id}-b#frag", parameters=parameters), {"id": "q&r"})
    assert sent.prepared.wire.target == "/a/q%26r?x=1%202&y=q%26r-b&kind=full"
    assert sent.header("x-v") == "2"


def test_the_calls_key_fills_the_header_that_takes_it(call: Any, document: Any):
    """S-70."""
    one = {"name": "Idempotency-Key", "in": "header", "required": True, "schema": STRING}
    assert call(document(parameters=[one]), {}, key="k-1").header("idempotency-key") == "k-1"
    assert call(document(parameters=[one]), {"Idempotency-Key": "mine"}, key="k-1").header("idempotency-key") == "mine"
    assert call(document(**{"x-periplus-idempotency": "X-Once"}), {}, key="k-2").header("x-once") == "k-2"


def test_names_are_encoded_too(call: Any, document: Any):
    """S-41."""
    names = ["filter[name]", "a&b=c", "ü"]
    parameters = [{"name": name, "in": "query", "schema": STRING} for name in names]
    sent = call(document(parameters=parameters), dict.fromkeys(names, "x"))
    assert sent.pairs == [(name, "x") for name in names]


def test_what_the_path_says_of_the_query_is_said_once(call: Any, document: Any):
    """S-38."""
    view = {"name": "view", "in": "query", "required": True, "schema": {"enum": ["info"]}}
    assert call(document("/a?view=info", parameters=[view]), {}).query == "view=info"
    named = {"name": "q", "in": "query", "schema": STRING}
    assert call(document("/a?q", parameters=[named]), {"q": "x"}).query == "q=x"


@pytest.mark.parametrize(
    ("more", "value"), [({"style": "spaceDelimited", "explode": False}, "a b"), ({"style": "pipeDelimited"}, "a|b")]
)
def test_an_item_that_holds_its_separator_is_no_argument(call: Any, parameter: Any, more: Any, value: str):
    """S-44: a server could not tell it from two items."""
    with pytest.raises(ValueError, match="does not match"):
        call(parameter("query", LIST, **more), {"v": [value]})
    assert call(parameter("query", LIST, **(more | {"explode": True})), {"v": [value]}).pairs == [("v", value)]
