"""What a JSON value must not be to be read any further: nested too deep, or impossible to write down."""

from __future__ import annotations

from decimal import Decimal
from math import isfinite
from typing import Any

_LEAST, _MOST = -(2**63), 2**64 - 1


def shallow(value: Any, limit: int) -> Any:
    """The value itself where it nests no deeper than that, else a copy that ends there in empty values."""
    return _cut(value, limit) if _is_deeper(value, limit) else value


def _is_deeper(value: Any, limit: int) -> bool:
    level = [value]
    for _ in range(limit + 1):
        level = [inner for each in level for inner in _members(each)]
        if not level:
            return False
    return True


def _members(value: Any) -> list[Any]:
    members = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [member for member in members if isinstance(member, (dict, list))]


def _cut(value: Any, limit: int) -> Any:
    if isinstance(value, dict):
        return {name: _cut(member, limit - 1) for name, member in value.items()} if limit > 0 else {}
    if isinstance(value, list):
        return [_cut(member, limit - 1) for member in value] if limit > 0 else []
    return value


def encodable(value: Any) -> Any:
    """The value with lone surrogates, which JSON can spell and UTF-8 cannot, replaced."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {encodable(name): encodable(member) for name, member in value.items()}
    if isinstance(value, list):
        return [encodable(member) for member in value]
    return value


def storable(value: Any) -> Any:
    """The value with numbers that a catalog can hold: those beyond 64 bits and long decimals as floats, or as text."""
    if isinstance(value, Decimal) or (isinstance(value, int) and not _LEAST <= value <= _MOST):
        try:
            near = float(value)
        except OverflowError:
            return str(value)
        return near if isfinite(near) else str(value)
    if isinstance(value, float) and not isfinite(value):
        return None
    if isinstance(value, dict):
        return {name: storable(member) for name, member in value.items()}
    if isinstance(value, list):
        return [storable(member) for member in value]
    return value
