"""The RFC 8785 form of a JSON value: equal values give equal bytes, whatever order they were written in."""

from __future__ import annotations

import re
from decimal import Decimal
from math import isfinite
from typing import Any

import msgspec

from periplus.model import Code, Problem

_ENCODER = msgspec.json.Encoder(order="sorted", decimal_format="number")
# What the encoder writes differently: some numbers with a point or an exponent, and the order of names where
# characters beyond U+FFFF meet those from U+E000 on. In compact JSON a number stands behind one of three marks,
# which is quick to look for; a text that imitates one costs only a second look without the texts.
_POINT = re.compile(rb"[:,\[]-?[0-9]+[.eE]")
_NUMBER = re.compile(rb"\.[0-9]*0(?![0-9])|[0-9][eE]")
_TEXT = re.compile(rb'"(?:[^"\\]|\\.)*"')
_ASTRAL_NAME = re.compile(rb'"[^"]*[\xf0-\xf4][^"]*":')
_BELOW_ASTRAL = bytes(range(0xF0))


def canonical(value: Any) -> bytes:
    """The one spelling of a JSON value, as bytes.

    Integers keep all digits, also beyond 2**53 where RFC 8785 would round them: two different limits must not hash
    alike. Infinity and NaN, which JSON cannot say, become null.
    """
    try:
        written = _ENCODER.encode(value)
        return _exact(value).encode() if _may_differ(written) else written
    except RecursionError as error:
        hints = ("flatten the value: nothing that is called nests this deep",)
        raise Problem(Code.OVER_LIMIT, "a value nests too deep to be written", hints=hints) from error


def _may_differ(written: bytes) -> bool:
    if not written.isascii() and written.translate(None, _BELOW_ASTRAL) and _ASTRAL_NAME.search(written):
        return True
    if written[:1] not in b"{[" or _POINT.search(written):
        return _NUMBER.search(_TEXT.sub(b"", written)) is not None
    return False


def _exact(value: Any) -> str:
    if isinstance(value, dict):
        pairs = sorted(value.items(), key=lambda pair: pair[0].encode("utf-16-be"))
        return "{" + ",".join(f"{_text(key)}:{_exact(item)}" for key, item in pairs) + "}"
    if isinstance(value, list | tuple):
        return "[" + ",".join(map(_exact, value)) + "]"
    if isinstance(value, float):
        return _number(value)
    if isinstance(value, Decimal):
        return _decimal(value)
    return _text(value)


def _text(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def _number(value: float) -> str:
    """A double as ECMAScript writes it: the shortest digits, plain between 1e-6 and 1e21."""
    if not isfinite(value):
        return "null"
    if value == 0:
        return "0"
    return _spelled(Decimal(repr(value)))


def _decimal(value: Decimal) -> str:
    return _spelled(value) if value.is_finite() and value else "0" if value.is_finite() else "null"


def _spelled(value: Decimal) -> str:
    sign, parts, power = value.as_tuple()
    assert isinstance(power, int)  # noqa: S101 - finite, as the callers saw
    written = "".join(map(str, parts)).lstrip("0")
    digits = written.rstrip("0")
    point = len(written) + power  # where the decimal point stands, counted from the first digit
    return "-" * sign + _placed(digits, point)


def _placed(digits: str, point: int) -> str:
    if len(digits) <= point <= 21:
        return digits + "0" * (point - len(digits))
    if 0 < point <= 21:
        return f"{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return "0." + "0" * -point + digits
    mantissa = digits if len(digits) == 1 else f"{digits[0]}.{digits[1:]}"
    return f"{mantissa}e{point - 1:+d}"
