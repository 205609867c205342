"""YAML is read as version 1.2 core means it, with what the usual loader refuses (S-10, S-112)."""

from __future__ import annotations

from decimal import Decimal
from math import inf, isnan
from typing import Any

import pytest

from periplus.documents import decode
from periplus.model import Code, Problem


def value(text: str) -> Any:
    return decode(text.encode(), name="spec.yaml").value


def messages(text: str) -> list[str]:
    return [f"{note.where} {note.message}" for note in decode(text.encode(), name="spec.yaml").notes]


def refusal(text: str) -> Problem:
    with pytest.raises(Problem) as caught:
        value(text)
    return caught.value


@pytest.mark.parametrize(
    "text",
    [
        "yes", "no", "on", "off", "y", "n", "Y", "N", "Yes", "OFF", "=", "<<", "2010-01-01", "2010-99-99", "12:30:45",
        "190:20:30", "2001-12-14t21:59:43.10-05:00", "2001-12-14 21:59:43.10 -5", "1_000", "0b11", "0o8", "0x", "0xg",
        "nULL", "tRUE", "fALSE", ".", "..", "+", "1e", "1.2.3", "e3", "+.x", "0o", "1,000", "--1", "٣", "1 2", ".e1",
    ],
)  # fmt: skip
def test_words_the_older_yaml_converts_are_text(text: str):
    """S-10."""
    assert value(f"a: {text}\nb: [{text if ',' not in text else 'x'}]")["a"] == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0", 0), ("-0", 0), ("+12", 12), ("0777", 777), ("08", 8), ("00501", 501), ("0o17", 15), ("0x1F", 31),
        ("0xff", 255), ("1.", 1.0), (".5", 0.5), ("-.5", -0.5), ("1e3", 1000.0), ("1.5E-3", 0.0015), ("01.50", 1.5),
        ("true", True), ("True", True), ("TRUE", True), ("false", False), ("False", False), ("FALSE", False),
        ("null", None), ("Null", None), ("NULL", None), ("~", None), ("", None), (".inf", inf), ("+.INF", inf),
        ("-.Inf", -inf),
    ],
)  # fmt: skip
def test_plain_scalars_mean_what_the_core_schema_says(text: str, expected: object):
    """S-10."""
    found = value(f"a: {text}\n")["a"]
    assert found == expected
    assert type(found) is type(expected)


def test_not_a_number_is_read_and_quotes_make_anything_text():
    assert isnan(value("a: .nan")["a"])
    assert value("""{a: '1', b: "true", c: 'null', d: "", e: '~'}""") == {
        "a": "1", "b": "true", "c": "null", "d": "", "e": "~",
    }  # fmt: skip


@pytest.mark.parametrize("digits", ["12345678901234567890123", "-9" * 1 + "9" * 40, "1" * 4300])
def test_big_integers_keep_their_digits(digits: str):
    """S-10."""
    assert value(f"a: {digits}")["a"] == int(digits)
    assert decode(f'{{"a": {digits}}}'.encode(), name="x").value["a"] == int(digits)


@pytest.mark.parametrize(
    "text",
    ["3.14159265358979323846", "0.1000000000000000055511151231257827", "1e400", "-1E-500", "12345678901234567.5"],
)
def test_decimals_keep_their_digits(text: str):
    """S-10."""
    assert value(f"a: {text}")["a"] == Decimal(text)
    assert decode(f'{{"a": {text}}}'.encode(), name="x").value["a"] == Decimal(text)


@pytest.mark.parametrize("text", ["0.1", "1.10", "2.5e10", "1234567.125", "0.30000000000000004"])
def test_decimals_a_float_holds_are_floats(text: str):
    assert value(f"a: {text}")["a"] == float(text)
    assert type(value(f"a: {text}")["a"]) is float
    assert type(decode(f'{{"a": {text}}}'.encode(), name="x").value["a"]) is float


@pytest.mark.parametrize("text", ["1" * 4301, "1e99999999999", "0." + "1" * 5000])
def test_numbers_longer_than_any_number_stay_text(text: str):
    assert value(f"a: {text}")["a"] == text
    assert decode(f'{{"a": {text}}}'.encode(), name="x").value["a"] == text


def test_keys_are_the_text_as_written():
    """S-10."""
    text = (
        "200: a\n1.0: b\n1.10: c\nnull: d\n~: e\ntrue: f\n2010-01-01: g\n0x1F: h\n=: i\nyes: j\n"
        "'quoted': k\n\"dou\\u0062le\": l\ny: m\n1e3: n\n? explicit\n: o\n"
    )
    assert list(value(text)) == [
        "200", "1.0", "1.10", "null", "~", "true", "2010-01-01", "0x1F", "=", "yes",
        "quoted", "double", "y", "1e3", "explicit",
    ]  # fmt: skip


def test_keys_that_are_collections_or_aliases_become_text():
    """S-10."""
    assert value("? [a, 1]\n: x\n? {b: null}\n: y\n? \n: z\n") == {'["a",1]': "x", '{"b":null}': "y", "": "z"}
    assert value("x: &v 1.0\n*v : y\n&k key: 1\nagain: *k\n") == {"x": 1.0, "1.0": "y", "key": 1, "again": "key"}


def test_merges_fill_in_what_is_not_written():
    """S-10: `<<` takes a mapping or a list; written keys win, then earlier mappings."""
    text = (
        "base: &b {x: 1, y: 2}\na: {<<: *b, y: 3}\nb: {y: 3, <<: *b}\n"
        "c:\n  <<: [*b, {x: 7, z: 9}]\n  q: 1\nd: {'<<': *b}\ne: {<<: plain}\nf:\n  <<: *b\n  <<: {w: 0}\n"
    )
    found = value(text)
    assert found["a"] == found["b"] == {"x": 1, "y": 3}
    assert found["c"] == {"q": 1, "x": 1, "y": 2, "z": 9}
    assert found["d"] == {"<<": {"x": 1, "y": 2}}
    assert found["e"] == {"<<": "plain"}
    assert found["f"] == {"x": 1, "y": 2, "w": 0}


def test_aliases_share_one_object():
    """S-10: aliases share (no copies)."""
    found = value("a: &a {deep: [1, 2]}\nb: *a\nc: [*a, *a]\nd: &t text\ne: *t\nf: &a 2\ng: *a\n")
    assert found["a"] is found["b"] is found["c"][0] is found["c"][1]
    assert (found["e"], found["g"]) == ("text", 2)


def test_custom_tags_are_ignored_and_core_tags_obeyed():
    """S-10."""
    text = (
        "a: !custom {x: !e!b 1}\nb: !!binary aGk=\nc: !!str 12\nd: !!int '3'\ne: ! 12\nf: !foo 12\ng: !!float 2.5\n"
        "h: !!timestamp 2010-01-01\ni: !!null ''\nj: !!bool 'true'\nk: !!bool 'yes'\nl: !<tag:x.org:y> z\n"
        "m: !!set {p, q}\nn: !!omap [r: 1]\no: !!str\np: !!python/object:os.system {}\nq: !!int 'x'\n"
    )
    assert value(text) == {
        "a": {"x": 1}, "b": "aGk=", "c": "12", "d": 3, "e": "12", "f": 12, "g": 2.5, "h": "2010-01-01", "i": None,
        "j": True, "k": "yes", "l": "z", "m": {"p": None, "q": None}, "n": [{"r": 1}], "o": "", "p": {}, "q": "x",
    }  # fmt: skip


def test_repeated_keys_take_the_last_and_are_noted():
    """S-10: last wins, `parse_lenient`; two spellings of one key text count as one."""
    decoded = decode(b"a: 1\nb:\n  200: x\n  '200': y\na: 2\n", name="spec.yaml")
    assert decoded.value == {"a": 2, "b": {"200": "y"}}
    assert [(note.code.value, note.where) for note in decoded.notes] == [
        ("parse_lenient", "spec.yaml:4:3"),
        ("parse_lenient", "spec.yaml:5:1"),
    ]


def test_many_notes_become_a_number():
    notes = decode(b"a: 1\n" * 500, name="x").notes
    assert len(notes) == 101
    assert notes[-1].message == "399 more places were read leniently"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a: |\n  x\n  \ty: \tz\nb: 1\n", {"a": "x\n\ty: \tz\n", "b": 1}),
        ("a: |\n  x\n\t\n  y\n", {"a": "x\n\ny\n"}),
        ("a: |\n  \tx\n  y\n", {"a": "\tx\ny\n"}),
        ("a: |\n \tx\n  y\n", {"a": "\tx\n y\n"}),
        ("a: |\n  \t\n  y\n", {"a": "\t\ny\n"}),
        ("a: |\n    \t\n  y\n", {"a": "\ny\n"}),
        ("a: >-\n  x\n \t\n  y\n", {"a": "x\ny"}),
        ("a: |2\n  \tx\n\t\nb: 1\n", {"a": "\tx\n", "b": 1}),
        ("- |\n  x\n \t\n  y\n-\tz\n", ["x\n\ny\n", "z"]),
        ("- a:\n  -\tb: 1\n    c: !t &x |+ # why\n      x\n\t\n      y\n", [{"a": [{"b": 1, "c": "x\n\ny\n"}]}]),
        ("a:\n  b: |\n      \tx\n  c: 1\n\t\n", {"a": {"b": "\tx\n", "c": 1}}),
        ("--- |\n\tx\n", "\tx\n"),
        ("a: 1\n\t\nb: 2\n \t \nc: 3\t\n\t# note\nd:\t4\t# note\n", {"a": 1, "b": 2, "c": 3, "d": 4}),
        ("a: [1,\t2,\n\t3]\nb: {\tx:\t1 }\n", {"a": [1, 2, 3], "b": {"x": 1}}),
        ("-\tx\n-\t- y\n", ["x", ["y"]]),
        ("?\tx\n:\ty\n", {"x": "y"}),
        ("a: \"x\n\ty\"\nb: 'x\n\t\n\ty'\n", {"a": "x y", "b": "x\ny"}),
        ("a: |\r\n  x\r\n\t\r\n  y\r\nb: 1\r\n", {"a": "x\n\ny\n", "b": 1}),
    ],
)
def test_tabs_are_legal_where_yaml_allows_them(text: str, expected: object):
    """S-10: tabs inside block scalars are legal."""
    if isinstance(expected, str):
        text, expected = f"[1]\n{text}", [1]  # a document of one text alone is refused; here it stands second
    assert value(text) == expected


def test_a_tab_that_indents_a_line_of_a_block_text_is_read_as_text_and_noted():
    assert value("a: |\n  x\n\ty: z\nb: 1\n") == {"a": "x\n\ty: z\n", "b": 1}
    assert messages("a: |-\n\tx\nb: 1\n") == [
        "spec.yaml:2:1 a line of a block text is indented by a tab; it was read as part of the text"
    ]


def test_line_separators_and_other_odd_characters_are_characters():
    """YAML 1.2 breaks lines at line feeds only; 1.1 loaders break at these as well."""
    text = "a: x\u2028y # \u2029\nb: |\n  l\u2028m\n  \ufeffn\x7f\ufffe\uffff\n'k\u2029': \U0010f000\n"
    assert value(text) == {"a": "x\u2028y", "b": "l\u2028m\n\ufeffn\x7f\ufffe\uffff\n", "k\u2029": "\U0010f000"}


def test_directives_and_odd_anchors_and_surrogate_escapes_are_read():
    assert value("%YAML 1.3\n%FOO bar\n# c\n---\na: 1\n") == {"a": 1}
    assert value("%TAG !e! tag:x.org:\n---\na: !e!b 1\n") == {"a": 1}
    assert value("a: &x.y/é 1\nb: *x.y/é\nc: [*x.y/é]\nd: 'see *x.y/éa'\n") == {
        "a": 1, "b": 1, "c": [1], "d": "see *x.y/éa",
    }  # fmt: skip
    assert value('a: "\\ud83d\\ude00 \\\\ud83d \\/"\n') == {"a": "\U0001f600 \\ud83d /"}
    assert value('a: "\\ud83d!"\n') == {"a": "\ufffd!"}


def test_the_first_document_of_a_stream_counts():
    assert value("---\n---\na: 1\n") == {"a": 1}
    assert messages("a: 1\n---\nb: 2\n") == ["spec.yaml:2:1 several documents in one file: the first was taken"]
    assert messages("a: 1\n---\nb: '\n") == ["spec.yaml:2:1 several documents in one file: the first was taken"]
    assert value("a: 1\n...\n") == {"a": 1}


def test_flow_style_is_yaml_though_it_begins_like_json():
    """S-9: first `{` or `[` is JSON, and if that fails, YAML."""
    decoded = decode(b"{a: 1, 'b': [x, http://x.org/y], c: {d}, \"e\":f,}", name="x")
    assert decoded.value == {"a": 1, "b": ["x", "http://x.org/y"], "c": {"d": None}, "e": "f"}
    assert decoded.format == "yaml"


@pytest.mark.parametrize(
    ("text", "where", "shows", "hint"),
    [
        ("a: @x\n", "1:4", "@x", "quote"),
        ("a:\n  - `x`\n", "2:5", "`x`", "quote"),
        ("a: *nobody\n", "1:4", "*nobody", "quote"),
        ("a: *.json\n", "1:5", "*.json", "quote"),
        ("a: b: c\n", "1:5", "a: b: c", "colon"),
        ("a: 1\n b: 2\n", "2:3", "b: 2", "colon"),
        ("a: 'x\nb: 1\n", "3:1", "line 1", "never closed"),
        ("a: [1,\n  2\nb: 3\n", "3:2", "b: 3", ""),
        ('a: "\\d+"\n', "1:5", "\\d+", "single quotes"),
        ("a:\n\tb: 1\n", "2:1", "b: 1", "spaces"),
        ("a:\n- b\n-c\nd: 1\n", "3:1", "-c", "colon"),
        ("a: !%ED%A0%80 x\n", "", "is not YAML", ""),
    ],
)
def test_broken_yaml_is_refused_with_its_place_and_the_text_there(text: str, where: str, shows: str, hint: str):
    """S-9, section 14."""
    problem = refusal(text)
    assert problem.code is Code.PARSE_ERROR
    assert problem.where == (f"spec.yaml:{where}" if where else "spec.yaml")
    assert shows in problem.message
    assert hint in " ".join(problem.hints)
