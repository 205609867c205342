"""Answers become values: S-72 to S-79."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from periplus.answers import Asked, Received, answer_of, refusal
from periplus.model import Answer, Code, Problem


def received(
    status: int = 200, body: bytes | str = b"", *, secret: str = "", truncated: bool = False, **headers: str
) -> Received:
    given = tuple((name.replace("_", "-"), text) for name, text in headers.items())
    return Received(
        status=status,
        headers=given,
        url="https://api.example.com/ships",
        body=body.encode() if isinstance(body, str) else body,
        redact=lambda text: text.replace(secret, "***") if secret else text,
        truncated=truncated,
    )


def answered(
    body: bytes | str, content_type: str = "", *, status: int = 200, asked: Asked | None = None, **more: Any
) -> Answer:
    given = {"content_type": content_type} if content_type else {}
    return answer_of(received(status, body, **given, **more), asked or Asked())


@pytest.mark.parametrize("status", [200, 201, 202, 203, 206, 226, 299])
def test_any_2xx_with_json_is_its_value(status):
    """S-72"""
    answer = answered('{"id": 7}', "application/json", status=status)
    assert answer.value == {"id": 7}
    assert answer.meta == {"http_status": status, "media_type": "application/json", "bytes": 9}


@given(st.integers())
def test_integers_of_any_size_stay_exact(number):
    """S-72"""
    assert answered(json.dumps({"n": number}), "application/problem+json").value == {"n": number}


def test_nan_is_null_with_a_note():
    answer = answered("[NaN, -Infinity, 1e999, 1]", "application/json")
    assert answer.value == [None, None, None, 1]
    assert answer.notes == ("NaN and Infinity, which JSON does not have, are null",)


def test_a_body_without_a_type_is_json_where_it_parses_as_such_and_text_where_not():
    assert answered("[1, 2]").value == [1, 2]
    assert answered("ahoy").value == "ahoy"
    assert answered("ahoy").notes == ()


def test_a_body_that_claims_json_and_is_not_is_text_and_says_that_the_write_happened():
    """S-72"""
    answer = answered("oops", "application/json", asked=Asked(writes=True))
    assert answer.value == "oops"
    assert "is not" in answer.notes[0]
    assert "the write itself happened" in answer.notes[0]
    assert "write" not in answered("oops", "application/json").notes[0]


@pytest.mark.parametrize("charset", ["utf-8", "latin-1", "shift_jis", "utf-16", "koi8-r"])
def test_text_is_read_in_its_charset(charset):
    words = {"koi8-r": "Привет", "shift_jis": "港"}.get(charset, "Grüße")
    assert answered(words.encode(charset), f"text/plain; charset={charset}").value == words
    assert answered(
        json.dumps([words], ensure_ascii=False).encode(charset), f"application/json;charset={charset}"
    ).value == [words]


def test_xml_says_its_own_charset_and_unknown_text_is_read_somehow():
    assert (
        "Grüße"
        in answered('<?xml version="1.0" encoding="latin-1"?><a>Grüße</a>'.encode("latin-1"), "application/xml").value
    )
    assert answered("Grüße".encode("latin-1"), "text/csv").value == "Grüße"


def test_items_of_streams_become_lists():
    lines = answered('{"a":1}\n\n{"a":2}\n', "application/x-ndjson")
    assert lines.value == [{"a": 1}, {"a": 2}]
    assert answered('\x1e{"a":1}\n\x1e2\n', "application/json-seq").value == [{"a": 1}, 2]
    events = answered(
        'event: tide\nid: 4\ndata: {"h":\ndata: 3}\n\n: still here\n\nretry: 10\n\ndata: plain\n\n', "text/event-stream"
    )
    assert events.value == [{"event": "tide", "id": "4", "data": {"h": 3}}, {"data": "plain"}]


def test_an_item_cut_in_half_is_left_out_and_a_broken_one_stays_text():
    cut = answered('{"a":1}\n{"a":', "application/jsonl", truncated=True)
    assert (cut.value, cut.truncated) == ([{"a": 1}], True)
    broken = answered('{"a":1}\nnope\n', "application/jsonl")
    assert broken.value == [{"a": 1}, "nope"]
    assert broken.notes == ("item 2 is not JSON and stays text",)


def test_other_media_are_files_with_their_bytes_beside_the_value():
    body = b"\x89PNG...."
    digest = hashlib.sha256(body).hexdigest()
    answer = answered(body, "image/png", content_disposition="inline; filename*=UTF-8''..%2Fsea%20chart.png")
    assert answer.value == {
        "$file": {"media_type": "image/png", "filename": "sea chart.png", "bytes": 8, "sha256": digest}
    }
    assert answer.files == {digest: body}
    assert answer.content[0]["mimeType"] == "image/png"


def test_an_attachment_is_a_file_unless_it_is_json():
    assert "$file" in answered("a,b\n", "text/csv", content_disposition='attachment; filename="x.csv"').value
    assert answered("[1]", "application/json", content_disposition="attachment").value == [1]


@pytest.mark.parametrize(("status", "body"), [(204, ""), (205, ""), (200, ""), (304, "")])
def test_empty_answers_are_null_with_their_status(status, body):
    answer = answered(body, status=status)
    assert answer.value is None
    assert answer.meta["http_status"] == status


def test_told_headers_never_include_cookies_or_authentication():
    """S-73"""
    asked = Asked(headers=("x-tide", "set-cookie", "www-authenticate"))
    meta = answer_of(
        received(
            200,
            "1",
            x_tide="high",
            set_cookie="a=b",
            www_authenticate="Basic",
            etag='"4"',
            ratelimit_remaining="9",
            x_other="-",
        ),
        asked,
    ).meta
    assert meta["headers"] == {"x-tide": "high", "etag": '"4"', "ratelimit-remaining": "9"}


def test_a_202_names_where_its_result_will_be():
    """S-76"""
    assert answered("", status=202, location="/jobs/7").meta["poll"] == {
        "method": "GET",
        "url": "https://api.example.com/jobs/7",
    }
    assert "poll" not in answered("", status=201, location="/jobs/7").meta


PAGED = Asked(
    url="https://api.example.com/ships?flag=x&page=1",
    arguments={"flag": "x", "page": 1},
    query={"flag": "flag", "page": "page", "per_page": "per_page"},
    args_schema={
        "properties": {"flag": {"type": "string"}, "page": {"type": "integer"}, "per_page": {"type": "integer"}}
    },
)


def test_a_link_header_becomes_the_arguments_of_the_next_page():
    """S-77"""
    answer = answered(
        "[1]", "application/json", asked=PAGED, link='</ships?flag=x&page=2>; rel="next", </ships?page=9>; rel="last"'
    )
    assert answer.meta["next"] == {"arguments": {"flag": "x", "page": 2}}


@pytest.mark.parametrize("link", ["https://evil.example.com/ships?page=2", "/other?page=2", "/ships?page=2&unknown=1"])
def test_a_link_that_the_tool_cannot_follow_is_no_next_page(link):
    """S-77"""
    assert "next" not in answered("[1]", "application/json", asked=PAGED, link=f'<{link}>; rel="next"').meta


@pytest.mark.parametrize(
    ("body", "query", "wanted"),
    [
        ({"items": [1], "nextPageToken": "abc"}, "pageToken", "abc"),
        ({"items": [1], "next_cursor": "abc"}, "cursor", "abc"),
        ({"data": [1], "response_metadata": {"next_cursor": "abc"}}, "cursor", "abc"),
        ({"value": [1], "@odata.nextLink": "https://api.example.com/ships?$skiptoken=abc"}, "$skiptoken", "abc"),
        ({"data": [{"id": "s9"}], "has_more": True}, "starting_after", "s9"),
        ({"nodes": [1], "pageInfo": {"hasNextPage": True, "endCursor": "abc"}}, "after", "abc"),
        ({"results": [1, 2], "total": 9}, "offset", 2),
        ({"results": [1, 2], "next": "/ships?offset=2"}, "offset", 2),
        ({"results": [1, 2], "total": 9}, "page", 2),
    ],
)
def test_members_that_speak_of_a_next_page_fill_the_parameter_that_takes_it(body, query, wanted):
    """S-77"""
    kind = "integer" if isinstance(wanted, int) else "string"
    asked = Asked(
        url="https://api.example.com/ships", query={query: query}, args_schema={"properties": {query: {"type": kind}}}
    )
    assert answered(json.dumps(body), "application/json", asked=asked).meta["next"] == {"arguments": {query: wanted}}


@pytest.mark.parametrize(
    "body",
    [
        {"items": [1], "nextPageToken": ""},
        {"data": [{"id": "s9"}], "has_more": False},
        {"nodes": [1], "pageInfo": {"hasNextPage": False, "endCursor": "abc"}},
        {"results": [1, 2], "total": 2},
        {"results": [], "total": 9},
    ],
)
def test_a_last_page_has_no_next(body):
    """S-77"""
    names = ("pageToken", "starting_after", "after", "offset", "page")
    asked = Asked(url="https://api.example.com/ships", query={name: name for name in names})
    assert "next" not in answered(json.dumps(body), "application/json", asked=asked).meta


CODES = {
    400: Code.INVALID_ARGS, 401: Code.UPSTREAM_UNAUTHENTICATED, 403: Code.FORBIDDEN, 404: Code.NOT_FOUND, 407: Code.UPSTREAM_UNAUTHENTICATED,
    408: Code.TIMEOUT, 409: Code.CONFLICT, 410: Code.NOT_FOUND, 412: Code.CONFLICT, 413: Code.TOO_LARGE, 418: Code.UPSTREAM_ERROR,
    422: Code.INVALID_ARGS, 429: Code.RATE_LIMITED, 500: Code.UPSTREAM_ERROR, 503: Code.UPSTREAM_ERROR, 504: Code.TIMEOUT,
}  # fmt: skip


@pytest.mark.parametrize(("status", "code"), CODES.items())
def test_each_status_is_its_problem(status, code):
    """S-78"""
    with pytest.raises(Problem) as caught:
        answered('{"message": "no such ship"}', "application/json", status=status)
    assert caught.value.code is code
    assert caught.value.message == f"the upstream answered {status}: no such ship"
    assert caught.value.details["http_status"] == status
    assert caught.value.details["body"] == '{"message": "no such ship"}'


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ('{"type":"about:blank","title":"Out of credit","detail":"You have 3"}', "You have 3"),
        ('{"error": "denied"}', "denied"),
        ('{"error": {"code": 5, "message": "denied"}}', "denied"),
        ('{"error": "invalid_client", "error_description": "who are you"}', "who are you"),
        ('{"errors": [{"message": "first"}, {"message": "second"}]}', "first"),
        ('{"detail": [{"loc": ["body", "name"], "msg": "too short"}]}', "too short"),
        ("<html><head><title>502 Bad &amp; Gateway</title></head>", "502 Bad & Gateway"),
        ("\n\n  out of fuel  \nmore", "out of fuel"),
    ],
)
def test_the_upstream_speaks_for_itself(body, said):
    """S-78"""
    kind = "text/html" if body.startswith("<") else "application/json" if body.startswith("{") else "text/plain"
    assert refusal(received(500, body, content_type=kind)).message == f"the upstream answered 500: {said}"


@pytest.mark.parametrize(
    ("body", "hints"),
    [
        ({"detail": [{"loc": ["body", "name"], "msg": "too short"}]}, ("body.name: too short",)),
        ({"errors": [{"field": "name", "message": "too short"}]}, ("name: too short",)),
        ({"errors": {"name": ["too short"]}}, ("name: too short",)),
        ({"errors": [{"source": {"pointer": "/data/name"}, "detail": "too short"}]}, ("/data/name: too short",)),
        ({"error": {"details": [{"field": "name", "description": "too short"}]}}, ("name: too short",)),
        ({"invalid-params": [{"name": "age", "reason": "must be positive"}]}, ("age: must be positive",)),
    ],
)
def test_field_messages_of_a_bad_request_are_hints(body, hints):
    """S-78"""
    assert refusal(received(422, json.dumps(body), content_type="application/json")).hints == hints


def test_a_long_refusal_is_cut_and_retry_after_is_understood():
    """S-78, S-69"""
    problem = refusal(
        received(503, "x" * 9000, retry_after="Wed, 21 Oct 2026 07:28:30 GMT", date="Wed, 21 Oct 2026 07:28:00 GMT")
    )
    assert len(problem.message) < 540
    assert len(problem.details["body"]) == 2000
    assert problem.details["retry_after"] == 30
    assert problem.details["not_processed"] is True
    assert problem.retryable
    assert "not_processed" not in refusal(received(503, "x")).details


def test_credentials_that_come_back_are_taken_out_of_values_headers_and_refusals():
    """S-79"""
    key = "s3cr3t-canary/x"
    escaped = "".join(f"\\u{ord(sign):04x}" for sign in key)
    answer = answered(f'{{"a": "{key}", "b": "{escaped}"}}', "application/json", secret=key, etag=key)
    assert answer.value == {"a": "***", "b": "***"}
    assert answer.meta["headers"] == {"etag": "***"}
    assert answered(f"data: {key}\n\n", "text/event-stream", secret=key).value == [{"data": "***"}]
    assert key not in repr(answered(b"\x00" + key.encode(), "application/octet-stream", secret=key).files)
    assert key not in json.dumps(refusal(received(400, f'{{"message": "bad {escaped}"}}', secret=key)).to_json())
    assert key not in json.dumps(refusal(received(400, f"bad {key}", secret=key)).to_json())


def test_a_key_of_digits_does_not_break_the_json_around_it():
    """S-79"""
    answer = answered('{"n": 1234567, "m": 7, "t": "12345"}', "application/json", secret="12345")
    assert answer.value == {"n": "***67", "m": 7, "t": "***"}
    assert answer.notes == ()


def test_a_web_page_where_json_is_declared_looks_like_a_login():
    """S-79"""
    answer = answered("<html><title>Sign in</title>", "text/html; charset=utf-8")
    assert answer.value == "<html><title>Sign in</title>"
    assert answer.notes[0].startswith("looks_like_login")
    assert answered("<html>", "text/html", asked=Asked(json=False)).notes == ()


@given(
    st.binary(max_size=200),
    st.sampled_from(["", "application/json", "text/plain", "text/event-stream", "application/jsonl", "image/png", "x"]),
    st.integers(200, 599),
)
def test_no_answer_breaks_the_reader(body, kind, status):
    try:
        assert isinstance(answered(body, kind, status=status, asked=PAGED), Answer)
    except Problem as problem:
        assert problem.details["http_status"] == status  # noqa: PT017 - a refusal is as good as a value
