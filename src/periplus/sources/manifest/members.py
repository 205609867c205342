"""Members of a manifest in whichever dialect each is written: plain JSON, or that of protocol buffers (M-2)."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

_WHOLE = re.compile(r"-?[0-9]{1,18}")
_WORD_START = re.compile(r"(?<=[a-z0-9])([A-Z])")
_WORD_END = re.compile(r"_([a-z0-9])")


def member(owner: Any, name: str) -> Any:
    """The member of that snake_case name in either case style; None where it is absent, null, or there is no owner."""
    if not isinstance(owner, dict):
        return None
    value = owner.get(name)
    return owner.get(camel(name)) if value is None else value


def camel(name: str) -> str:
    return _WORD_END.sub(lambda found: found.group(1).upper(), name)


def snaked(value: Any) -> Any:
    """The value with every name in it in snake_case; only for objects whose names are all the protocol's."""
    if isinstance(value, dict):
        return {_snake(name): snaked(inner) for name, inner in value.items()}
    return [snaked(inner) for inner in value] if isinstance(value, list) else value


def text(owner: Any, name: str) -> str:
    value = member(owner, name)
    return value if isinstance(value, str) else ""


def objects(owner: Any, name: str) -> list[Any]:
    """The entries of a list, whatever they are; nothing where there is no list."""
    value = member(owner, name)
    return value if isinstance(value, list) else []


def number(value: Any) -> int | float | None:
    """A number, also one written as text because it may need 64 bits."""
    if isinstance(value, str) and _WHOLE.fullmatch(value):
        return int(value)
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def flag(value: Any) -> bool | None:
    """What a flag says; None where it says neither."""
    if isinstance(value, bool):
        return value
    return {"true": True, "false": False}.get(value.lower()) if isinstance(value, str) else None


def plain(value: Any) -> Any:
    """The JSON value that a typed union stands for, and any other value as it is."""
    if not isinstance(value, dict) or len(value) != 1:
        return value
    ((name, inner),) = value.items()
    read = _UNION.get(camel(name) if isinstance(name, str) else "")
    found = read(inner) if read else _NO_UNION
    return value if found is _NO_UNION else found


def plain_object(value: Any) -> dict[str, Any]:
    """An object, also one written as `{"fields": {...}}` with typed values; any other value is none."""
    if not isinstance(value, dict):
        return {}
    fields = value.get("fields")
    if len(value) == 1 and isinstance(fields, dict) and all(_is_typed(each) for each in fields.values()):
        return _fields(value)
    found = plain(value)
    return found if isinstance(found, dict) else {}


def _fields(value: dict[str, Any]) -> dict[str, Any]:
    fields = value.get("fields")
    return {name: plain(each) for name, each in fields.items()} if isinstance(fields, dict) else {}


def _number(inner: Any) -> Any:
    found = number(inner)
    return _NO_UNION if found is None else found


def _as(*types: type) -> Callable[[Any], Any]:
    return lambda inner: inner if isinstance(inner, types) else _NO_UNION


_NO_UNION = object()
_UNION: dict[str, Callable[[Any], Any]] = {
    "boolValue": _as(bool),
    "stringValue": _as(str),
    "bytesValue": _as(str),
    "intValue": _number,
    "doubleValue": _number,
    "nullValue": lambda _: None,
    "listValue": lambda inner: (
        [plain(each) for each in objects(inner, "values")] if isinstance(inner, dict) else _NO_UNION
    ),
    "objectValue": lambda inner: _fields(inner) if isinstance(inner, dict) else _NO_UNION,
}


def _is_typed(value: Any) -> bool:
    return isinstance(value, dict) and len(value) == 1 and plain(value) is not value


def _snake(name: str) -> str:
    return _WORD_START.sub(lambda found: f"_{found.group(1).lower()}", name)
