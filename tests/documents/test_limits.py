"""Documents over a limit are refused by its name before anything is expanded (S-6, section 14)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from periplus.documents import DEFAULT_LIMITS, DecodeLimits, decode, members
from periplus.model import Code, Problem


def refused(data: bytes | str, limits: DecodeLimits = DEFAULT_LIMITS) -> str:
    with pytest.raises(Problem) as caught:
        decode(data.encode() if isinstance(data, str) else data, name="big", limits=limits)
    assert caught.value.code is Code.OVER_LIMIT
    return caught.value.message


def test_a_document_over_the_size_is_refused():
    message = refused(b"a: 1" + b" " * 100, DecodeLimits(document_bytes=100))
    assert "104 bytes" in message
    assert "document_bytes is 100" in message


def test_a_bomb_of_aliases_is_refused_without_being_expanded():
    """Section 14: YAML bomb."""
    layers = [f"b{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 40)]
    assert "nodes" in refused("\n".join(["a: &a0 [x, x]", *layers]))


def test_a_bomb_of_merges_is_refused_without_being_expanded():
    base = "a: &a {" + ", ".join(f"k{i}: 1" for i in range(2000)) + "}\n"
    assert "nodes" in refused(base + "".join(f"b{i}: {{<<: *a}}\n" for i in range(2000)), DecodeLimits(nodes=100_000))


def test_a_chain_of_aliases_deeper_than_the_nesting_is_refused():
    chain = "".join(f"b{i}: &a{i} [*a{i - 1}]\n" for i in range(1, 500))
    assert "nesting" in refused("a: &a0 [x]\n" + chain)


def test_an_alias_inside_its_own_anchor_is_refused():
    assert "own anchor" in refused("a: &a [1, {b: *a}]\n")


@pytest.mark.parametrize(
    "text", ["[" * 10_000, '{"a":' * 10_000, "[" * 10_000 + "]" * 10_000, "a: " + "[" * 10_000, "- " * 10_000,
             "\n".join(" " * i + "a:" for i in range(300)), "[{a: " * 1000],
)  # fmt: skip
def test_nesting_of_ten_thousand_is_refused(text: str):
    """Section 14."""
    assert "the limit nesting is 200" in refused(text)


@pytest.mark.parametrize("levels", [200, 201])
def test_the_nesting_limit_is_the_same_in_json_and_yaml_and_by_alias(levels: int):
    half = levels // 2
    deep = "[" * levels + "]" * levels
    alias = f"{{a: &a {'[' * (levels - half)}{']' * (levels - half)}, b: {'[' * (half - 1)}*a{']' * (half - 1)}}}"
    for text in (deep, "# yaml\n" + deep, "# yaml\n" + alias):
        if levels > 200:
            refused(text)
        else:
            assert decode(text.encode(), name="x").value


def test_numbers_of_nodes_are_limited_in_json_and_yaml():
    limits = DecodeLimits(nodes=1000)
    assert "nodes" in refused("[" + "1," * 2000 + "1]", limits)
    assert "nodes" in refused("- 1\n" * 2000, limits)
    assert decode(b'["' + b"," * 5000 + b'"]', name="x", limits=limits).value
    with pytest.raises(Problem) as caught:
        members(b'{"a": [' + b"1," * 2000 + b"1]}", name="x", limits=limits)
    assert caught.value.code is Code.OVER_LIMIT


_TEXTS = st.text(alphabet='[]{}"\\,:a', max_size=6)
_VALUES = st.recursive(
    _TEXTS | st.none() | st.integers(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_TEXTS, inner, max_size=3),
    max_leaves=12,
)


@given(_VALUES.map(lambda inner: [inner]))
def test_json_nesting_is_counted_exactly_whatever_the_texts_hold(value: Any):
    """Brackets and quotes inside texts neither hide nor feign depth."""
    depth = _depth(value)
    data = json.dumps(value).encode()
    assert decode(data, name="x", limits=DecodeLimits(nesting=depth)).value == value
    if depth > 1:
        assert "nesting" in refused(data, DecodeLimits(nesting=depth - 1))


def _depth(value: Any) -> int:
    if not isinstance(value, list | dict):
        return 0
    return 1 + max((_depth(item) for item in (value.values() if isinstance(value, dict) else value)), default=0)
