"""Schemas that are wrong in places: the rest loads, each loss is told, and nothing but a Problem is raised."""

from __future__ import annotations

import copy
import json
import random
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from graphql import build_schema, introspection_from_schema, validate
from hypothesis import given, settings
from hypothesis import strategies as st

from graphql_harbour import HARBOUR, Harbour
from graphql_servers import read_new
from periplus.model import Document, Problem, SourceSpec
from periplus.selections import schema as schemas
from periplus.selections.documents import call_document
from periplus.sources.graphql.reading import Fetched, _reading
from periplus.sources.graphql.report import Report


def reading_of(body: bytes) -> tuple[dict[str, Any], list[Any]]:
    """Drafts by key and findings, or the Problem."""
    fetched = Fetched(body=body, endpoint="https://api.example.com/graphql")
    document = Document(url="s", kind="graphql")
    reading = _reading(SourceSpec(id="s", url="s"), fetched, document, Report("s"))
    drafts = {draft.key: draft for draft in reading.drafts}
    schema = schemas.unpack(reading.site["schema"])
    for draft in drafts.values():
        assert not validate(schema, call_document(draft.binding))
    return drafts, reading.findings


def told(drafts_and_findings: tuple[dict[str, Any], list[Any]]) -> list[tuple[str, str]]:
    return [(finding.code.value, finding.where.partition("#")[2]) for finding in drafts_and_findings[1]]


@pytest.mark.parametrize(
    ("sdl", "keys", "findings"),
    [
        ("type Query { a: Int a: String b: Int }", {"Query.a", "Query.b"}, [("parse_lenient", "Query.a")]),
        ("type Query { a: A } type A { id: ID } type A { n: Int }", {"Query.a"}, [("parse_lenient", "A")]),
        ("type Query { a: A b: Missing } type A { id: ID m: Missing }", {"Query.a"}, [("bad_operation", "Query.b"), ("dangling_ref", "A.m")]),
        ("type Query { a(x: Missing, y: Int): Int }", {"Query.a"}, [("dangling_ref", "Query.a(x:)")]),
        ("type Query { a(x: Missing!): Int }", {"Query.a"}, [("dangling_ref", "Query.a(x:)")]),
        ("type Query { a: Int __b: Int } type __C { id: ID }", {"Query.a"}, [("parse_lenient", "__C"), ("bad_operation", "Query.__b")]),
        ("type Query { a: A } type A implements Missing { id: ID }", {"Query.a"}, [("dangling_ref", "A")]),
        ("type Query { u: U } union U = A | Missing | E type A { id: ID } enum E { X }", {"Query.u"}, [("dangling_ref", "U"), ("dangling_ref", "U")]),
        ("type Query { a(x: A): Int b(x: A!): Int } type A { id: ID }", {"Query.a"}, [("bad_parameter", "Query.a(x:)"), ("bad_operation", "Query.b")]),
        ("type Query { a: In } input In { x: Int }", set(), [("bad_operation", "Query.a"), ("missing_member", "")]),
        ("type Query { e: E } enum E { OK true OK }", {"Query.e"}, [("parse_lenient", "E.OK")]),
        ("schema { query: Missing mutation: M } type M { a: Int }", {"Mutation.a"}, [("dangling_ref", "Missing")]),
        ("type Query { a: A } type A", {"Query.a"}, []),
        ("type Query { u: U } union U", {"Query.u"}, []),
        ('extend type Query { a: Int } extend type Query { b: A } extend type A @key(fields: "id") { id: ID @external }', {"Query.a", "Query.b"}, []),
        ('type Query { a: Int @tag(name: "x") } extend interface Query { b: Int }', {"Query.a"}, [("parse_lenient", "Query")]),
        ("type A { id: ID }", set(), [("missing_member", "")]),
    ],
)  # fmt: skip
def test_a_bad_part_is_left_out_alone_and_reported(sdl: str, keys: set[str], findings: list[tuple[str, str]]) -> None:
    """S-3, S-4, S-81."""
    found = reading_of(sdl.encode())
    assert set(found[0]) == keys
    if "true" not in sdl:
        assert told(found) == findings


@pytest.mark.parametrize(
    ("sdl", "keys", "skipped"),
    [
        ("type Query { a: Int } type B { x: : } type C { y: Int }", {"Query.a"}, []),
        (
            "type Query {\n  a: Int\n  b:\n  c: Int\n  d Int\n e: [Int\n f: Int }",
            {"Query.a", "Query.c", "Query.f"},
            ["Query.b", "Query.d", "Query.e"],
        ),
        ("type Query { a: A }\ntype A {\n  id: ID\n  n: Int ; m: Int\n}", {"Query.a"}, []),
        (
            "type Query { a: A } type A implements B, C { id: ID } interface B { id: ID } interface C { id: ID }",
            {"Query.a"},
            [],
        ),
        ("type Query { a: A } type A {}", {"Query.a"}, []),
        ("type A {\n  id: ID\ntype Query {\n  a: Int\n}", {"Query.a"}, []),
        ("type Query { a(x: Int = ): Int b: Int }", {"Query.b"}, ["Query.a"]),
        ("type Query { a((x: Int): Int b(y: Int): Int }", {"Query.b"}, ["Query.a"]),
        (
            'type Query {\n  a((\n    x: Int\n  ): Int\n  "B."\n  b: Int\n  c: Int }',
            {"Query.b", "Query.c"},
            ["Query.a"],
        ),
        ('type Query { "open\n a: Int b: Int }', {"Query.a", "Query.b"}, []),
    ],
)
def test_text_that_does_not_parse_costs_the_smallest_piece(sdl: str, keys: set[str], skipped: list[str]) -> None:
    """S-3, S-81."""
    drafts, findings = reading_of(sdl.encode())
    assert set(drafts) == keys
    assert [finding.operation for finding in findings if finding.skipped] == skipped


def test_skipped_operations_are_counted_one_by_one_and_other_losses_together() -> None:
    """S-4, S-5."""
    fields = " ".join(f"f{n}: Missing" for n in range(50))
    _, findings = reading_of(f"type Query {{ {fields} a: A }} type A {{ {fields} }}".encode())
    assert sum(finding.skipped for finding in findings) == 50
    others = [finding for finding in findings if not finding.skipped]
    assert len(others) == 20
    assert sum(finding.count for finding in others) == 50


def test_descriptions_defaults_and_depth_that_are_odd_do_not_cost_their_field() -> None:
    schema = introspection_from_schema(build_schema("type Query { a(n: Int = 1, m: [Int] = [1]): Int b: Int }"))
    query = next(each for each in schema["__schema"]["types"] if each["name"] == "Query")
    query["fields"][0]["args"][0]["defaultValue"] = "{{"
    query["fields"][0]["args"][1]["type"] = {"kind": "LIST", "name": None, "ofType": None}
    query["fields"][1]["description"] = 7
    drafts, findings = reading_of(json.dumps(schema).encode())
    assert set(drafts) == {"Query.a"}
    assert list(drafts["Query.a"].args_schema["properties"]) == ["n"]
    assert len(findings) == 3


@pytest.mark.parametrize("body", [b"", b"<html>login</html>", b"[1]", b"{}", b'{"__schema": null}', b'{"data": 1}', b"{", b"%PDF-1.7 \xff", b'{"data":' * 20000])  # fmt: skip
def test_what_is_no_schema_is_a_problem_that_names_what_came(body: bytes) -> None:
    """Section 14."""
    with pytest.raises(Problem) as caught:
        reading_of(body)
    assert caught.value.hints


def test_a_type_with_nothing_readable_in_it_is_a_source_without_tools() -> None:
    """Section 14."""
    drafts, findings = reading_of(b"type Query {" + b"a: [" * 2000)
    assert not drafts
    assert {finding.code.value for finding in findings} >= {"bad_operation", "missing_member"}


def test_deep_nesting_costs_the_field_that_has_it() -> None:
    """Section 14."""
    deep = "[" * 5000 + "Int" + "]" * 5000
    drafts, findings = reading_of(f"type Query {{ a: {deep} b(x: {deep[:60]}Int{']' * 60}): Int c: Int }}".encode())
    assert "Query.c" in drafts
    assert [finding.operation for finding in findings if finding.skipped][:1] == ["Query.a"]


def test_a_long_chain_of_inputs_is_no_recursion() -> None:
    """S-115."""
    chain = " ".join(f"input I{n} {{ next: I{n + 1} }}" for n in range(3000))
    drafts, _ = reading_of(f"type Query {{ a(x: I0): Int }} input I3000 {{ n: Int }} {chain}".encode())
    assert "Query.a" in drafts


async def test_the_real_schema_survives_losing_any_type(shared: Path) -> None:
    """S-3: a type that is gone costs what needs it, and the numbers add up."""
    whole = json.loads((shared / "data" / "graphql" / "github.introspection.json").read_bytes())
    types = whole["__schema"]["types"]
    draw = random.Random(3)
    roots = {"Query", "Mutation"}
    keep = [each for each in types if each["name"] in roots or draw.random() < 0.7]
    drafts, findings = reading_of(json.dumps({"__schema": whole["__schema"] | {"types": keep}}).encode())
    assert len(drafts) + sum(finding.skipped for finding in findings) == 272
    assert 20 < len(drafts) < 272


async def test_a_kept_schema_that_is_damaged_is_a_problem(tmp_path: Path) -> None:
    (tmp_path / "s.graphql").write_text(HARBOUR)
    found = await read_new(url=str(tmp_path / "s.graphql"))
    for packed in ("", "AAAA", found.reading.site["schema"][:-40]):
        with pytest.raises(Problem):
            schemas.unpack(packed)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3),
    max_leaves=5,
)


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_an_introspection_with_anything_changed_reads_or_is_a_problem(data: st.DataObject) -> None:
    """S-3: nothing else is raised, whatever stands where."""
    schema = copy.deepcopy(_TOLD)
    for _ in range(data.draw(st.integers(1, 4))):
        place: Any = schema
        while True:
            at = data.draw(st.sampled_from(sorted(place) if isinstance(place, dict) else range(len(place))))
            if not isinstance(place[at], dict | list) or not place[at] or data.draw(st.integers(0, 3)) == 0:
                break
            place = place[at]
        place[at] = data.draw(JSON | st.sampled_from(["Query", "Ship", "__X", "true", "LIST", "OBJECT", {}, "9a"]))
    _reads_or_refuses(json.dumps(schema).encode())


_TOLD: Any = introspection_from_schema(build_schema(HARBOUR))
_TOLD["__schema"]["types"] = [each for each in _TOLD["__schema"]["types"] if not each["name"].startswith("__")]


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_sdl_with_pieces_cut_doubled_or_inserted_reads_or_is_a_problem(data: st.DataObject) -> None:
    """S-3."""
    text = HARBOUR
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(text)))
        end = min(len(text), start + data.draw(st.integers(0, 40)))
        piece = data.draw(
            st.sampled_from(
                ["", text[start:end] * 2, "}", "{", '"', '"""', "type", ":", "\0", "\\u{110000}", "é", "|", "="]
            )
        )
        text = text[:start] + piece + text[end:]
    _reads_or_refuses(text.encode())


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=60) | st.text(alphabet='{}[]()!:=|@"#\n aQtype', max_size=60).map(str.encode))
def test_any_bytes_read_or_are_a_problem(body: bytes) -> None:
    """S-3."""
    _reads_or_refuses(body)


def _reads_or_refuses(body: bytes) -> None:
    with suppress(Problem):
        reading_of(body)


def test_a_harbour_without_faults_has_no_findings() -> None:
    assert not Harbour(HARBOUR).report.findings
