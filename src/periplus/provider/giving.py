"""Whatever a function gives as JSON, with its files beside it (S-103): the way out of what `hints` describe."""

from __future__ import annotations

import hashlib
import math
import numbers
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from datetime import date, time, timedelta
from decimal import Decimal
from enum import Enum
from itertools import islice
from pathlib import PurePath
from typing import Any
from uuid import UUID

import msgspec

from periplus.provider.foreign import Fault, attempt
from periplus.provider.values import enum_value

ITEMS_MAX = 10_000
_DEEPEST = 60
_LISTS = (list, tuple, AbstractSet)


class Given(msgspec.Struct, frozen=True, kw_only=True):
    """A result ready to be told."""

    value: Any = None
    files: dict[str, bytes] = {}  # by sha256, as `{"$file": ...}` in the value names them
    notes: tuple[str, ...] = ()
    truncated: bool = False


def given(value: Any) -> Given:
    """The JSON form of a value; nothing is refused, and what had to be bent is said."""
    giving = _Giving()
    told = giving.of(value, 0)
    return Given(value=told, files=giving.files, notes=tuple(dict.fromkeys(giving.notes)), truncated=giving.truncated)


class _Giving:
    """One result on its way."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.notes: list[str] = []
        self.truncated = False

    def of(self, value: Any, depth: int) -> Any:  # noqa: PLR0911 - one line per kind of value
        if value is None or isinstance(value, bool):
            return value
        if depth > _DEEPEST:
            return self._text(value, f"what nests deeper than {_DEEPEST} is given as text")
        if isinstance(value, Enum):
            return self.of(enum_value(value), depth + 1)
        if isinstance(value, str):
            return str(value).encode("utf-8", "replace").decode()
        if isinstance(value, int):
            return int(value)
        if isinstance(value, float):
            return self._real(float(value))
        if isinstance(value, date | time | timedelta | UUID | Decimal):
            return msgspec.to_builtins(value)
        if isinstance(value, bytes | bytearray | memoryview):
            return self._file(bytes(value))
        if isinstance(value, PurePath):
            return str(value)
        return self._gathered(value, depth + 1)

    def _gathered(self, value: Any, depth: int) -> Any:
        if isinstance(value, Mapping):
            return {self._name(name): self.of(item, depth) for name, item in value.items()}
        if isinstance(value, _LISTS):
            return [self.of(item, depth) for item in value]
        members = _members(value)
        if members is not None:
            return {name: self.of(item, depth) for name, item in members.items()}
        dumped = _dumped(value)
        if dumped is not None:
            return self.of(dumped[0], depth)
        return self._other(value, depth)

    def _other(self, value: Any, depth: int) -> Any:
        if isinstance(value, numbers.Integral):
            return int(value)
        if isinstance(value, numbers.Real):
            return self._real(float(value))
        if isinstance(value, Iterable):
            return self._listed(value, depth)
        return self._text(value, f"{type(value).__name__} has no JSON form and is given as text")

    def _listed(self, items: Iterable[Any], depth: int) -> list[Any]:
        taken = list(islice(items, ITEMS_MAX + 1))
        if len(taken) > ITEMS_MAX:
            self.truncated = True
            self.notes.append(f"the first {ITEMS_MAX:,} items; there are more")
        return [self.of(item, depth) for item in taken[:ITEMS_MAX]]

    def _real(self, value: float) -> float | None:
        if math.isfinite(value):
            return value
        self.notes.append("NaN and Infinity, which JSON does not have, are null")
        return None

    def _file(self, content: bytes) -> dict[str, Any]:
        digest = hashlib.sha256(content).hexdigest()
        self.files[digest] = content
        return {"$file": {"media_type": _media_type(content), "bytes": len(content), "sha256": digest}}

    def _name(self, name: Any) -> str:
        told = self.of(name, 0)
        return told if isinstance(told, str) else msgspec.json.encode(told).decode()

    def _text(self, value: Any, note: str) -> str:
        self.notes.append(note)
        text = attempt(lambda: str(value))
        return type(value).__name__ if isinstance(text, Fault) else text.encode("utf-8", "replace").decode()


def _members(value: Any) -> dict[str, Any] | None:
    """The fields of an object whose class is made of them, under the names they are written by."""
    if isinstance(value, msgspec.Struct):
        config = value.__struct_config__
        tag = {} if config.tag is None or config.tag_field is None else {config.tag_field: config.tag}
        return tag | {field.encode_name: getattr(value, field.name) for field in msgspec.structs.fields(value)}
    if callable(getattr(value, "model_dump", None)):
        return None
    for marks in ("__dataclass_fields__", "__attrs_attrs__"):
        fields = getattr(type(value), marks, None)
        if fields is not None:
            names = fields if isinstance(fields, Mapping) else [each.name for each in fields]
            return {name: getattr(value, name) for name in names if hasattr(value, name)}
    return None


def _dumped(value: Any) -> tuple[Any] | None:
    """What an object of another library says of itself: a pydantic model, an array, a number of numpy's."""
    dump = getattr(value, "model_dump", None)
    if callable(dump):
        for mode in ("json", "python"):
            dumped = attempt(lambda mode=mode: dump(mode=mode, by_alias=True))  # type: ignore[misc]
            if not isinstance(dumped, Fault):
                return (dumped,)
    for name in ("tolist", "item"):
        method = getattr(value, name, None)
        if callable(method) and not isinstance(value, type):
            plain = attempt(method)
            if not isinstance(plain, Fault) and plain is not value:
                return (plain,)
    return None


_MAGIC = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
    (b"%PDF-", "application/pdf"),
    (b"PK\x03\x04", "application/zip"),
)


def _media_type(content: bytes) -> str:
    return next((kind for start, kind in _MAGIC if content.startswith(start)), "application/octet-stream")
