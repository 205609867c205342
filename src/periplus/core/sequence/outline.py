"""What a value looks like, without what is in it."""

from __future__ import annotations

from typing import Any

_NAMES = 3
_LOOKED_AT = 50
_KINDS: dict[type, str] = {
    type(None): "null",
    bool: "boolean",
    int: "number",
    float: "number",
    str: "text",
    list: "list",
}


def outline(value: Any) -> str:
    """`list of 150 {id, name, status, +3}`."""
    if isinstance(value, str):
        return f"text of {len(value):,} characters"
    if isinstance(value, list):
        return f"list of {len(value)}{_of(value)}"
    return _members(list(value)) if isinstance(value, dict) else _KINDS.get(type(value), type(value).__name__)


def _of(items: list[Any]) -> str:
    """What the items of a list have in common."""
    looked = items[:_LOOKED_AT]
    if looked and all(isinstance(one, dict) for one in looked):
        return f" {_members(list(dict.fromkeys(name for one in looked for name in one)))}"
    kinds = list(dict.fromkeys(_KINDS.get(type(one), "") for one in looked))
    return f" {kinds[0]}s" if len(kinds) == 1 and kinds[0] else ""


def _members(names: list[str]) -> str:
    more = f", +{len(names) - _NAMES}" if len(names) > _NAMES else ""
    return f"{{{', '.join(names[:_NAMES])}{more}}}"
