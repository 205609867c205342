"""What a plain YAML scalar means under the 1.2 core schema: `yes`, dates and `=` are text."""

from __future__ import annotations

import re
from decimal import Decimal
from math import inf, nan
from typing import TypeAlias

from periplus.documents.numbers import MOST_DIGITS, integer, real

Scalar: TypeAlias = str | int | float | Decimal | bool | None

_NONE: dict[str, Scalar] = dict.fromkeys(("", "~", "null", "Null", "NULL"))
_BOOLEANS: dict[str, Scalar] = {
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_SPECIAL: dict[str, Scalar] = {
    **{sign + word: inf for sign in ("", "+") for word in (".inf", ".Inf", ".INF")},
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), -inf),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), nan),
}
_WORDS = _NONE | _BOOLEANS | _SPECIAL
_NUMBER_START = frozenset("0123456789+-.")
_INTEGER = re.compile(r"[-+]?[0-9]+")
_BASED = re.compile(r"0(?:o[0-7]+|x[0-9a-fA-F]+)")
_REAL = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_TAG = "tag:yaml.org,2002:"


def plain(text: str) -> Scalar:
    """The value of an unquoted scalar."""
    if text in _WORDS:
        return _WORDS[text]
    if text[0] in _NUMBER_START:
        return _number(text)
    return text


def tagged(text: str, tag: str, *, quoted: bool) -> Scalar:
    """The value of a scalar with a tag: the core tags are obeyed where they fit, all others ignored."""
    if tag in {"!", _TAG + "str"}:
        return text
    if tag == _TAG + "null" and text in _NONE:
        return None
    if tag == _TAG + "bool" and text in _BOOLEANS:
        return _BOOLEANS[text]
    if tag in {_TAG + "int", _TAG + "float"} and text:
        return _SPECIAL[text] if text in _SPECIAL else _number(text)
    return text if quoted else plain(text)


def _number(text: str) -> Scalar:
    if _INTEGER.fullmatch(text):
        return integer(text)
    if _REAL.fullmatch(text):
        return real(text)
    if _BASED.fullmatch(text):
        # Shorter than the decimal limit, so that the value can be written out again.
        return int(text[2:], 8 if text[1] == "o" else 16) if len(text) < MOST_DIGITS // 2 else text
    return text
