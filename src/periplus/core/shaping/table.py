"""The table inside a result: the rows that somebody means by "the rows" (H-58)."""

from __future__ import annotations

from typing import Any

import msgspec

_NAMES = ("items", "results", "data", "records", "rows", "edges")


class Table(msgspec.Struct, frozen=True, kw_only=True):
    """Rows, and where they stand in the value; `()` is the value itself."""

    rows: list[Any]
    path: tuple[str, ...] = ()

    def replaced(self, value: Any, rows: list[Any]) -> Any:
        """The value with other rows in the same place, the rest as it is."""
        return _put(value, self.path, rows)


def table_of(value: Any) -> Table | None:
    """The list itself; else its only list of objects, or the one with a telling name; else none."""
    if isinstance(value, list):
        return Table(rows=value)
    return _inside(value, ()) if isinstance(value, dict) else None


def _inside(value: dict[str, Any], path: tuple[str, ...]) -> Table | None:
    lists = {name: item for name, item in value.items() if isinstance(item, list)}
    of_objects = [name for name, item in lists.items() if item and all(isinstance(row, dict) for row in item)]
    named = next((name for name in _NAMES if name in lists), None)
    chosen = named if named is not None else of_objects[0] if len(of_objects) == 1 else None
    if chosen is not None:
        return Table(rows=lists[chosen], path=(*path, chosen))
    if path:
        return None
    inner = [name for name in ("data", "result", "response") if isinstance(value.get(name), dict)]
    inner = inner or ([next(iter(value))] if len(value) == 1 else [])
    below = value.get(inner[0]) if inner else None
    return _inside(below, (inner[0],)) if isinstance(below, dict) else None


def _put(value: Any, path: tuple[str, ...], rows: list[Any]) -> Any:
    if not path:
        return rows
    return {**value, path[0]: _put(value[path[0]], path[1:], rows)}
