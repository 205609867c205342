"""A value made to fit: cut at the borders of its items, never inside one, the first always shown (H-25, H-60)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from periplus.core.shaping.table import table_of
from periplus.documents.canonical import canonical

_PREVIEW = 400


class Cut(msgspec.Struct, frozen=True, kw_only=True):
    """The part that fits. `shown` of `total` are rows, members or characters."""

    value: Any
    is_cut: bool = False
    total: int | None = None
    shown: int | None = None
    what: str = ""  # "rows", "members", "characters"


def size_of(value: Any) -> int:
    """Characters of its compact JSON, as good as exactly: bytes."""
    try:
        return len(msgspec.json.encode(value))
    except (OverflowError, ValueError):
        return len(canonical(value))


def cut(value: Any, budget: int) -> Cut:
    """As much of a value as a budget of characters holds."""
    if isinstance(value, str):
        return _cut_text(value, budget)
    if size_of(value) <= budget:
        return Cut(value=value)
    table = table_of(value)
    if table is not None and table.rows:
        around = size_of(table.replaced(value, []))
        if around < budget:
            fit = _fitting(table.rows, budget - around)
            rows = table.rows[:fit] or [reduced(table.rows[0], budget - around)]
            return Cut(
                value=table.replaced(value, rows), is_cut=True, total=len(table.rows), shown=max(fit, 1), what="rows"
            )
    if isinstance(value, dict):
        return _cut_members(value, budget)
    if isinstance(value, list):
        return Cut(value=[reduced(value[0], budget)], is_cut=True, total=len(value), shown=1, what="rows")
    return Cut(value=value)


def _fitting(rows: Sequence[Any], budget: int) -> int:
    left = budget
    for number, row in enumerate(rows):
        left -= size_of(row) + 1
        if left < 0:
            return number
    return len(rows)


def _cut_text(text: str, budget: int) -> Cut:
    if len(text) <= budget:
        return Cut(value=text)
    end = max(1, budget)
    border = text.rfind("\n", end // 2, end)
    end = border + 1 if border > 0 else end
    return Cut(value=text[:end], is_cut=True, total=len(text), shown=end, what="characters")


def _cut_members(value: dict[str, Any], budget: int) -> Cut:
    kept: dict[str, Any] = {}
    left = budget - 2
    for name, item in value.items():
        size = size_of(item) + len(name) + 4
        shown = item if size <= left else reduced(item, max(left // 2, _PREVIEW))
        kept[name] = shown
        left -= size_of(shown) + len(name) + 4
        if left <= 0:
            break
    return Cut(value=kept, is_cut=True, total=len(value), shown=len(kept), what="members")


def reduced(value: Any, budget: int) -> Any:
    """One item that alone is too large, as something that tells what it is."""
    if size_of(value) <= budget:
        return value
    if isinstance(value, str):
        return f"{value[: min(budget, _PREVIEW)]}… ({len(value):,} characters)"
    if isinstance(value, list):
        fit = _fitting(value, budget)
        return [*value[:fit], f"… {len(value) - fit:,} more items"]
    if isinstance(value, dict):
        return _cut_members(value, budget).value if budget > _PREVIEW else f"… an object of {len(value)} members"
    return value
