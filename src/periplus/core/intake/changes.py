"""How the tools of a read differ from those that are stored, and what becomes of the ones that do."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from periplus.core.intake.pins import pinned_row
from periplus.core.intake.plan import Plan
from periplus.core.intake.versions import Kind, classify
from periplus.core.schema.closure import with_definitions
from periplus.model import Scope, Selector, SourceSpec, Tool, ToolRef
from periplus.ports import Known, Row, Store, unpack_tool


class _Pair(msgspec.Struct, frozen=True):
    """A tool as it is stored, and as it was read: bare, and with its definitions."""

    old: Tool
    bare: Tool
    full: Tool


class Pins(msgspec.Struct, frozen=True, kw_only=True):
    """What the operator of a source wants of tools that change (T-33)."""

    mode: str
    now: float
    pairs: dict[str, _Pair]

    def pinned(self, row: Row) -> Row:
        """The row as it is written: with a pin where its tool changed and its source pins."""
        pair = self.pairs.get(row.key)
        if pair is None:
            return row
        return pinned_row(row, pair.old, pair.bare, pair.full, quarantine=self.mode == "quarantine", now=self.now)


async def compared(
    store: Store, spec: SourceSpec, plan: Plan, known: Mapping[str, Known], now: float
) -> tuple[dict[str, Kind], Pins]:
    """The kind of each change, by key; and what pins the rows."""
    kinds: dict[str, Kind] = {}
    pairs: dict[str, _Pair] = {}
    for item in plan.changed:
        key = item.entry.want.key
        ref = ToolRef(spec.id, known[key].path)
        old = await store.tool(ref, Scope(allow=(Selector(ref=str(ref)),)))
        if old is None:
            continue
        new = unpack_tool(spec.id, item.named.path, item.stamped("0.0.0"))
        full = with_definitions(new, plan.shapes)
        kinds[key] = classify(old, full)
        if spec.pin:
            pairs[key] = _Pair(old, new, full)
    return kinds, Pins(mode=spec.pin, now=now, pairs=pairs)
