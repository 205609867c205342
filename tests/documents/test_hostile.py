"""No bytes raise anything but a problem, and what is read can be written again (S-3, S-11)."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from periplus.documents import canonical, decode, members
from periplus.documents.places import position
from periplus.model import Problem

_PIECES = [
    b"\t", b"\x00", b"\xff", b"\xc2\x85", b"\xe2\x80\xa8", b"\xef\xbb\xbf", b"&a ", b"*a", b"!", b"!!str ", b"!<x>",
    b"%", b"|", b">", b"- ", b"? ", b": ", b"[", b"]", b"{", b"}", b'"', b"'", b"#", b"\n", b"\r", b"\\", b"<<: ",
    b"---\n", b"...\n", b"@", b"`", b",", b"1e999", b"9" * 30, b"\\ud800", b"\\x", b"\xed\xa0\x80", b"*a.b", b"&a.b ",
    b"!e!x ", b"  ", b"~", b"!%ED%A0%80 ", b"a", b"1", b" ", b"|2-\n", b"<", b"\xef\xbf\xbe",
]  # fmt: skip
_SEED = (
    b'a: &x [1, {b: "c\\u0041"}]\nd: *x\n? - q\n: |2-\n   x\n\ty\n<<: *x\ne: !!int "3"\n--- !foo%41 >+\n z\n...\n',
    b'{"a": [1.5e3, "\\ud83d\\ude00", null, true], "b": {"c": -0, "d/e": []}}',
)


def _read(data: bytes) -> None:
    """Every way in gives a value that can be written as JSON, or a problem with a place."""
    for way in (_whole, _lazily, _placed):
        try:
            way(data)
        except Problem as problem:
            if not problem.where or not problem.message:
                raise AssertionError(data) from problem


def _whole(data: bytes) -> None:
    json.loads(canonical(decode(data, name="x").value))


def _lazily(data: bytes) -> None:
    json.loads(canonical(dict(members(data, name="x").items())))


def _placed(data: bytes) -> None:
    place = position(data, "/a/0/b")
    assert place is None or min(place) > 0


@given(st.binary(max_size=200))
@settings(max_examples=400, deadline=None)
def test_any_bytes_give_a_value_or_a_problem(data: bytes):
    _read(data)


@given(st.lists(st.sampled_from(_PIECES), max_size=40).map(b"".join))
@settings(max_examples=800, deadline=None)
def test_any_mixture_of_yaml_signs_gives_a_value_or_a_problem(data: bytes):
    _read(data)


@pytest.mark.parametrize("seed", range(4))
def test_documents_damaged_anywhere_give_a_value_or_a_problem(seed: int):
    draw = random.Random(seed)
    for _ in range(400):
        data = bytearray(draw.choice(_SEED))
        for _ in range(draw.choice((1, 1, 2, 4))):
            at = draw.randrange(len(data) + 1)
            if draw.random() < 0.6:
                data[at:at] = draw.choice(_PIECES)
            else:
                del data[at : at + draw.randrange(1, 12)]
        _read(bytes(data))


def test_real_documents_cut_anywhere_give_a_value_or_a_problem(shared: Path):
    draw = random.Random(7)
    for name in ("redocly-museum-3.1.yaml", "mermade-event-backend-invalid-3.0.json", "swagger-petstore-3.0.yaml"):
        data = (shared / "data" / "openapi" / name).read_bytes()
        for _ in range(20):
            _read(data[: draw.randrange(len(data))])


_KEYS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=8)
_SCALARS = (
    st.none() | st.booleans() | st.integers() | st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=12)
    | st.floats(allow_nan=False, allow_infinity=False)
)  # fmt: skip
_VALUES = st.recursive(
    _SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_KEYS, inner, max_size=4), max_leaves=20
)


@given(st.lists(_VALUES, max_size=4) | st.dictionaries(_KEYS, _VALUES, max_size=4), st.booleans(), st.booleans())
def test_json_reads_back_as_it_was_written_also_as_yaml(value: Any, ascii_only: bool, as_yaml: bool):  # noqa: FBT001
    """JSON is YAML: the two readers agree on every JSON document."""
    text = json.dumps(value, ensure_ascii=ascii_only)
    found = decode((f"# yaml\n{text}" if as_yaml else text).encode(), name="x")
    assert found.value == value
    assert found.format == ("yaml" if as_yaml else "json")
