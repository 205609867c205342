"""The canonical form is RFC 8785, by its published table and against a plain implementation of its rules."""

from __future__ import annotations

import json
import struct
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from periplus.documents import canonical, decode
from periplus.model import Code, Problem

# RFC 8785, appendix B: the bits of a double and how it is written.
_PUBLISHED = [
    ("0000000000000000", "0"),
    ("8000000000000000", "0"),
    ("0000000000000001", "5e-324"),
    ("8000000000000001", "-5e-324"),
    ("7fefffffffffffff", "1.7976931348623157e+308"),
    ("ffefffffffffffff", "-1.7976931348623157e+308"),
    ("4340000000000000", "9007199254740992"),
    ("c340000000000000", "-9007199254740992"),
    ("4430000000000000", "295147905179352830000"),
    ("44b52d02c7e14af5", "9.999999999999997e+22"),
    ("44b52d02c7e14af6", "1e+23"),
    ("44b52d02c7e14af7", "1.0000000000000001e+23"),
    ("444b1ae4d6e2ef4e", "999999999999999700000"),
    ("444b1ae4d6e2ef4f", "999999999999999900000"),
    ("444b1ae4d6e2ef50", "1e+21"),
    ("3eb0c6f7a0b5ed8c", "9.999999999999997e-7"),
    ("3eb0c6f7a0b5ed8d", "0.000001"),
    ("41b3de4355555553", "333333333.3333332"),
    ("41b3de4355555554", "333333333.33333325"),
    ("41b3de4355555555", "333333333.3333333"),
    ("41b3de4355555556", "333333333.3333334"),
    ("41b3de4355555557", "333333333.33333343"),
    ("becbf647612f3696", "-0.0000033333333333333333"),
    ("43143ff3c1cb0959", "1424953923781206.2"),
]


@pytest.mark.parametrize(("bits", "written"), _PUBLISHED)
def test_numbers_are_written_as_the_rfc_publishes(bits: str, written: str):
    number = struct.unpack(">d", bytes.fromhex(bits))[0]
    assert canonical(number) == written.encode()
    assert canonical({"a": [number]}) == b'{"a":[' + written.encode() + b"]}"


def test_the_rfc_s_example_comes_out_as_published():
    """RFC 8785, section 3.2.2 and 3.2.3."""
    text = r"""{
      "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
      "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
      "literals": [null, true, false]
    }"""
    expected = (
        '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],'
        r'"string":"€$\u000f\nA' + "'" + r'B\"\\\\\"/"}'
    )
    assert canonical(json.loads(text)).decode() == expected


def test_the_rfc_s_order_of_names_is_that_of_utf16():
    names = {"\u20ac": 1, "\r": 2, "\ufb33": 3, "1": 4, "\U0001f600": 5, "\u0080": 6, "\u00f6": 7}
    assert list(json.loads(canonical(names)).values()) == [2, 4, 6, 7, 1, 5, 3]


def test_every_character_is_escaped_as_the_rfc_says():
    short = {0x08: "\\b", 0x09: "\\t", 0x0A: "\\n", 0x0C: "\\f", 0x0D: "\\r", 0x22: '\\"', 0x5C: "\\\\"}
    for code in [*range(0x300), 0x2028, 0x2029, 0xFEFF, 0xFFFF, 0x1F600]:
        expected = short.get(code) or (f"\\u{code:04x}" if code < 0x20 else chr(code))
        assert canonical(chr(code)).decode() == f'"{expected}"'


def test_digits_beyond_a_double_are_kept():
    """Where RFC 8785 would round, two different limits would hash alike."""
    assert canonical(2**70 + 1) == str(2**70 + 1).encode()
    assert canonical(Decimal("3.14159265358979323846")) == b"3.14159265358979323846"
    assert canonical([Decimal("1E+400"), Decimal("-1.50"), Decimal("0E+3")]) == b"[1e+400,-1.5,0]"
    assert canonical(decode(b'{"a": 1e400, "b": 10000000000000000000001}', name="x").value) == (
        b'{"a":1e+400,"b":10000000000000000000001}'
    )


def test_infinity_is_null_and_endless_nesting_a_problem():
    assert canonical([float("inf"), float("nan"), 1.0]) == b"[null,null,1]"
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(Problem) as caught:
        canonical(deep)
    assert caught.value.code is Code.OVER_LIMIT
    while deep:  # taken apart by hand: Python's own way to free it is as deep
        deep = deep[0]


_TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=6) | st.sampled_from(
    ["1.0", "v2.0,", "1e5", "\ufb33", "\U0001f600"]
)
_FLOATS = st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(2**40), 2**40).map(lambda n: n / 8)
_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | _FLOATS | _TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_TEXTS, inner, max_size=4),
    max_leaves=12,
)


@given(_VALUES)
@example({"\U0001f600": 1, "\ufb33": 2})
@example([1e16, 123456789012345680000.0, 1e-5, 1.5e-7, -0.0, 5e-324])
@settings(max_examples=400)
def test_the_fast_way_and_the_plain_rules_agree(value: Any):
    assert canonical(value) == _plain(value).encode()


def _plain(value: Any) -> str:
    """RFC 8785 word for word, with ECMAScript's Number::toString spelled out."""
    if isinstance(value, dict):
        order = sorted(value, key=lambda key: key.encode("utf-16-be"))
        return "{" + ",".join(f"{_quoted(key)}:{_plain(value[key])}" for key in order) + "}"
    if isinstance(value, list):
        return "[" + ",".join(_plain(item) for item in value) + "]"
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, float):
        return _number(value)
    return (
        {None: "null", True: "true", False: "false"}[value]
        if value is None or value is True or value is False
        else str(value)
    )


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _number(value: float) -> str:
    if value == 0:
        return "0"
    if value < 0:
        return "-" + _number(-value)
    mantissa, _, power = f"{Decimal(repr(value)):e}".partition("e")
    digits = mantissa.replace(".", "").rstrip("0") or "0"
    n, k = int(power) + 1, len(digits)
    if k <= n <= 21:
        return digits + "0" * (n - k)
    if 0 < n <= 21:
        return digits[:n] + "." + digits[n:]
    if -6 < n <= 0:
        return "0." + "0" * -n + digits
    sign = "+" if n > 0 else "-"
    return (digits if k == 1 else digits[0] + "." + digits[1:]) + f"e{sign}{abs(n - 1)}"
