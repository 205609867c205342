"""What came is judged by its bytes: encodings are accepted, what is no document is named (S-9, section 14)."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from periplus.documents import decode
from periplus.model import Code, Problem

_VALUE = {"a": "ü €", "b": ["\U0001f600", 1]}
_JSON = '{"a": "ü €",\r\n "b": ["\U0001f600", 1]}'
_YAML = 'a: ü €\r\nb:\r\n- "\U0001f600"\r\n- 1\r\n'


@pytest.mark.parametrize("text", [_JSON, _YAML])
@pytest.mark.parametrize(
    ("mark", "encoding"),
    [
        (b"", "utf-8"), (codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"), (b"", "utf-16-le"), (b"", "utf-16-be"),
        (codecs.BOM_UTF32_LE, "utf-32-le"), (codecs.BOM_UTF32_BE, "utf-32-be"),
    ],
)  # fmt: skip
def test_every_unicode_encoding_and_line_ending_is_accepted(text: str, mark: bytes, encoding: str):
    """S-9."""
    decoded = decode(mark + text.encode(encoding), name="x")
    assert decoded.value == _VALUE
    assert decoded.notes == ()


@pytest.mark.parametrize(
    "text", [b'{"k": "x\xe9y\xed\xa0\x80",\n "l": "\xff"}', b'k: "x\xe9y\xed\xa0\x80"\nl: "\xff"\n']
)
def test_invalid_utf8_is_replaced_and_noted(text: bytes):
    """S-9."""
    decoded = decode(text, name="x")
    assert decoded.value == {"k": "x\ufffdy\ufffd\ufffd\ufffd", "l": "\ufffd"}
    assert [(note.code.value, note.where.split(":")[1]) for note in decoded.notes] == [("parse_lenient", "1")]


def test_broken_utf16_is_replaced_and_noted():
    decoded = decode(codecs.BOM_UTF16_LE + "a: x".encode("utf-16-le") + b"\x00\xd8", name="x")
    assert decoded.value == {"a": "x\ufffd"}
    assert len(decoded.notes) == 1


@given(st.sampled_from([*range(0x09), 0x0B, 0x0C, *range(0x0E, 0x20), *range(0x80, 0xA0)]), st.booleans())
def test_control_characters_are_replaced_and_noted(code: int, as_json: bool):  # noqa: FBT001
    """S-9: C0 and C1 controls, also where they are legal, as NEL is in YAML."""
    text = f'{{"a": "x{chr(code)}y"}}' if as_json else f"a: x{chr(code)}y\n"
    decoded = decode(text.encode(), name="x")
    assert decoded.value == {"a": "x\ufffdy"}
    assert f"U+{code:04X}" in decoded.notes[0].message
    assert decoded.notes[0].where.startswith("x:1:")


@pytest.mark.parametrize(
    ("data", "names"),
    [
        (b"", "nothing came"),
        (b" \r\n\t\n", "only white space"),
        (b"\xef\xbb\xbf", "nothing came"),
        (b"<!DOCTYPE html>\n<html><head><title>Petstore docs</title></head>", "a web page (HTML) came"),
        (b"\n  <HTML><body>404 page not found", "404 page not found"),
        (b"<html><title>Sign in - GitLab</title>", "a login page (HTML) came"),
        (b'<html><form><input name="p" type="password"></form>', "a login page (HTML) came"),
        (b"<?xml version='1.0'?><definitions/>", "XML came"),
        (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3", "a PDF file came"),
        (b"\x1f\x8b\x08\x00", "gzip data came"),
        (b"PK\x03\x04\x14\x00", "a ZIP archive came"),
        (b"\x89PNG\r\n\x1a\n", "a PNG image came"),
        (b"Not Found", "'Not Found'"),
        (b'"just a text"', "plain text came"),
        (b"42", "plain text came"),
        (b"null", "an empty document came"),
        (b"# nothing but a comment\n", "an empty document came"),
    ],
)
def test_what_is_no_document_is_refused_by_name(data: bytes, names: str):
    """Section 14, first row: what came, its media type, its first words, what was expected."""
    with pytest.raises(Problem) as caught:
        decode(data, name="api.example.com", media_type="text/html")
    problem = caught.value
    assert problem.code is Code.PARSE_ERROR
    assert names in problem.message
    assert "as text/html" in problem.message
    assert "a JSON or YAML document was expected" in problem.message
    assert problem.hints
    assert problem.where == "api.example.com"


def test_a_page_inside_a_document_costs_nothing():
    """S-111: the text `<html` inside a document is text."""
    assert decode(b'{"a": "<html><title>Sign in</title>"}', name="x").value["a"].startswith("<html")
    assert decode(b"a: <html>\n", name="x").value == {"a": "<html>"}
