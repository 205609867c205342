"""Numbers as written: no digit of a document's number is lost, however many it has."""

from __future__ import annotations

from decimal import Decimal
from math import isfinite

# What Python converts between text and int without complaint; a longer "number" is nobody's number and stays text.
MOST_DIGITS = 4300
_ALWAYS_EXACT = 15  # significant digits that survive a trip through a double


def integer(text: str) -> int | str:
    """The integer that decimal digits spell."""
    return int(text) if len(text) <= MOST_DIGITS else text


def real(text: str) -> float | Decimal | str:
    """The float that text spells, or a Decimal where a float would change the value."""
    value = float(text)
    if len(text) <= _ALWAYS_EXACT and "e" not in text and "E" not in text:
        return value
    if len(text) > MOST_DIGITS or _exponent(text) > MOST_DIGITS:
        return text
    exact = Decimal(text)
    return value if isfinite(value) and Decimal(repr(value)) == exact else exact


def _exponent(text: str) -> int:
    _, _, exponent = text.replace("E", "e").partition("e")
    return abs(int(exponent)) if exponent else 0
