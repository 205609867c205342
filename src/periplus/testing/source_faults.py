"""Descriptions as nobody should write them, made from one that is right."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st

_DEEP = 5000
_ALWAYS = (
    b"", b" ", b"null", b"[]", b"{}", b"0", b'"text"', b"{", b"[" * _DEEP, b'{"a":' * _DEEP, b"\xff\xfe{\x00}\x00",
    b"\xef\xbb\xbf{}", b"<!doctype html><title>Sign in</title>", b"\x00\x01\x02", b"%PDF-1.7", b"a: &a [*a, *a]",
)  # fmt: skip
_ODD = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.just(10**400),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=20),
    st.sampled_from(["\ud800", "\u202e", "../..", "$ref", "#/", "a/b", "*", "\n### X", "{x}", " "]),
    st.sampled_from([[], {}, [[]], [None], {"": None}, {"$ref": "#"}, {"a": {"a": {"a": []}}}]),
)


def spoiled(text: bytes) -> st.SearchStrategy[bytes]:
    """The description cut, torn, repeated, with members replaced or taken away; and what is none at all."""
    return st.one_of(st.sampled_from(_ALWAYS), st.binary(max_size=200), _torn(text), _replaced(text))


@st.composite
def _torn(draw: st.DrawFn, text: bytes) -> bytes:
    """Without a piece, or with it twice, or ending early."""
    start = draw(st.integers(0, len(text)))
    end = draw(st.integers(start, min(len(text), start + 200)))
    kept = draw(st.sampled_from([text[end:], text[start:], b""]))
    return text[:start] + draw(st.one_of(st.just(b""), st.binary(max_size=8))) + kept


@st.composite
def _replaced(draw: st.DrawFn, text: bytes) -> bytes:
    """A JSON description with odd values in it; another one torn."""
    try:
        value = json.loads(text)
    except ValueError:
        return draw(_torn(text))
    for _ in range(draw(st.integers(1, 3))):
        value = _with(value, draw)
    return json.dumps(value).encode("utf-8", "replace")


def _with(value: Any, draw: st.DrawFn) -> Any:
    """The value with one thing in it, at any depth, replaced, taken away or repeated."""
    names = list(value) if isinstance(value, dict) else list(range(len(value))) if isinstance(value, list) else []
    if not names or draw(st.integers(0, 9)) == 0:
        return draw(_ODD)
    name = draw(st.sampled_from(names))
    action = draw(st.sampled_from(["into", "into", "into", "into", "drop", "twice"]))
    if action == "into":
        inner = _with(value[name], draw)
        if isinstance(value, dict):
            return {**value, name: inner}
        return [*value[:name], inner, *value[name + 1 :]]
    if isinstance(value, dict):
        rest = {key: member for key, member in value.items() if key != name}
        return rest if action == "drop" else {**value, f"{name}2": value[name]}
    return [
        *value[:name],
        *value[name + (1 if action == "drop" else 0) :],
        *(value[name:] if action == "twice" else []),
    ]
