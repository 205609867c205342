"""Hints without parts: scalars, files, enums, literals."""

from __future__ import annotations

import numbers
from collections.abc import Iterable
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum, Flag
from ipaddress import IPv4Address, IPv6Address
from pathlib import PurePath
from typing import Any
from uuid import UUID

from periplus.model import Schema
from periplus.provider.docstrings import parse
from periplus.provider.values import Nothing, enum_value, jsonable

_FILE: Schema = {
    "anyOf": [
        {"type": "string"},
        {
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "base64": {"type": "string", "contentEncoding": "base64"},
                "text": {"type": "string"},
                "cache_ref": {"type": "string"},
                "filename": {"type": "string"},
                "media_type": {"type": "string"},
            },
            "oneOf": [{"required": ["base64"]}, {"required": ["text"]}, {"required": ["cache_ref"]}],
        },
    ],
    "x-periplus-file": True,
}
_DIGITS = r"^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?$"
# `format: time` wants an offset, which a time of day rarely has.
_TIME = r"^([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\.[0-9]+)?)?(Z|[+-][0-9]{2}:[0-9]{2})?$"

# A class before its base: the first that a class is, or derives from, counts.
_TABLE: tuple[tuple[type, Schema], ...] = (
    (bool, {"type": "boolean"}),
    (int, {"type": "integer"}),
    (float, {"type": "number"}),
    (str, {"type": "string"}),
    (bytes, _FILE),
    (bytearray, _FILE),
    (memoryview, _FILE),
    (datetime, {"type": "string", "format": "date-time"}),
    (date, {"type": "string", "format": "date"}),
    (time, {"type": "string", "format": "iso-time", "pattern": _TIME}),
    (timedelta, {"type": "string", "format": "duration"}),
    (UUID, {"type": "string", "format": "uuid"}),
    (Decimal, {"type": ["string", "number"], "format": "decimal", "pattern": _DIGITS}),
    (PurePath, {"type": "string", "format": "path"}),
    (IPv4Address, {"type": "string", "format": "ipv4"}),
    (IPv6Address, {"type": "string", "format": "ipv6"}),
    (type(None), {"type": "null"}),
    (numbers.Integral, {"type": "integer"}),
    (numbers.Real, {"type": "number"}),
)
_NAMES = {str: "string", bool: "boolean", int: "integer", float: "number", type(None): "null"}


_GIVEN_FILE: Schema = {
    "type": "object",
    "properties": {"$file": {"type": "object", "description": "A file: its type, size and cache_ref"}},
    "required": ["$file"],
    "x-periplus-file": True,
}


def scalar(kind: type, *, gives: bool = False) -> Schema | None:
    """The schema of a class that goes by one value; of bytes that are given, what stands for their file."""
    if gives and issubclass(kind, bytes | bytearray | memoryview):
        return dict(_GIVEN_FILE)
    if issubclass(kind, Enum):
        return _enum(kind)
    return next((dict(schema) for known, schema in _TABLE if issubclass(kind, known)), None)


def _enum(kind: type[Enum]) -> Schema:
    if issubclass(kind, Flag):
        return {"type": "integer", "minimum": 0} | _told(kind)
    return one_of(enum_value(member) for member in kind) | _told(kind)


def _told(kind: type) -> Schema:
    text = own_doc(kind)
    return {"description": text} if text else {}


def literal(values: Iterable[Any]) -> Schema | None:
    """The schema of `Literal`; None where a value has no JSON."""
    written = [jsonable(value) for value in values]
    return None if any(isinstance(value, Nothing) for value in written) else one_of(written)


def one_of(values: Iterable[Any]) -> Schema:
    """An enumeration, with its type where all values share one."""
    distinct: list[Any] = []
    for value in values:
        if not any(value == known and type(value) is type(known) for known in distinct):
            distinct.append(value)
    kinds = {_NAMES.get(type(value)) for value in distinct}
    kind = kinds.pop() if len(kinds) == 1 else None
    return ({"type": kind} if kind else {}) | {"enum": distinct}


def own_doc(kind: type) -> str:
    """What an author wrote of a class; not what it inherits, nor what `dataclass` and `NamedTuple` write."""
    text = kind.__dict__.get("__doc__")
    if not isinstance(text, str) or text.startswith(f"{kind.__name__}("):
        return ""
    return parse(text).description
