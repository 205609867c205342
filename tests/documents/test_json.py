"""JSON keeps its digits, is lenient where the meaning is plain, and says where it breaks (S-9)."""

from __future__ import annotations

import pytest

from periplus.documents import decode
from periplus.model import Code, Problem


def refusal(text: str) -> Problem:
    with pytest.raises(Problem) as caught:
        decode(text.encode(), name="api.json")
    return caught.value


def test_content_decides_and_not_the_name():
    """S-9."""
    assert decode(b' \n{"a": 1}', name="x.yaml", media_type="text/yaml").format == "json"
    assert decode(b"a: 1", name="x.json", media_type="application/json").format == "yaml"
    assert decode(b"[1, 2]", name="x").value == [1, 2]


def test_repeated_keys_take_the_last_and_are_noted():
    decoded = decode(b'{"a": {"x": 1, "x" : 2}, "b": [{"y": "\\":", "y": 1}], "a2": "\\u0022:"}', name="api.json")
    assert decoded.value == {"a": {"x": 2}, "b": [{"y": 1}], "a2": '":'}
    assert [note.message for note in decoded.notes] == [
        "the key 'x' is repeated; the last one counts",
        "the key 'y' is repeated; the last one counts",
    ]
    assert decode(b'{"a": "x\\": y", "b" : "z"}', name="api.json").notes == ()


def test_raw_line_breaks_in_texts_and_halves_of_surrogates_are_read():
    assert decode(b'{"a": "x\ty\nz"}', name="x").value == {"a": "x\ty\nz"}
    decoded = decode(b'{"a": "\\ud800 \\ud83d\\ude00 \\\\ud800", "\\uDC00": 1}', name="x")
    assert decoded.value == {"a": "\ufffd \U0001f600 \\ud800", "\ufffd": 1}
    assert [note.where for note in decoded.notes] == ["x:1:8"]


def test_what_json_does_not_have_is_read_as_yaml_with_a_note():
    decoded = decode(b'{"a": NaN, "b": [1, 2,], }', name="x")
    assert decoded.value == {"a": "NaN", "b": [1, 2]}
    assert [note.where for note in decoded.notes] == ["x:1:7"]


@pytest.mark.parametrize(
    ("text", "where", "shows"),
    [
        ('{"openapi": "3.0.0", "paths": {"/a": {', "1:39", "cut off"),
        ('{"a": [1, 2', "1:12", "cut off"),
        ('{\n "a": "x\n y: z', "2:7", "cut off"),
        ('{"a": ', "1:7", '"a":'),
        ('{\n  "a": 1\n  "b": 2\n}', "3:3", '"b": 2'),
        ('{"a": 1} trailing', "1:10", "trailing"),
        ('{"a": 1}\n{"b": 2}', "2:1", '"b": 2'),
    ],
)
def test_broken_json_is_refused_with_its_place_and_the_text_there(text: str, where: str, shows: str):
    """S-9, section 14."""
    problem = refusal(text)
    assert problem.code is Code.PARSE_ERROR
    assert problem.where == f"api.json:{where}"
    assert shows in problem.message
    assert problem.hints
