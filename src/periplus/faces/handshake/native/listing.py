"""Which landmarks a request means, as one sequence with one count: areas first, then actions (H-73)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from periplus.faces.handshake import landmarks
from periplus.faces.handshake.native.asking import NativeAsk
from periplus.faces.handshake.native.entries import action_entry, area_entry
from periplus.faces.handshake.sites import Site
from periplus.faces.handshake.turn import Turn
from periplus.model import Code, Node, Problem, ToolRef

_UNKNOWN = frozenset({Code.UNKNOWN_LANDMARK, Code.TOOL_NOT_FOUND, Code.AMBIGUOUS_NAME})


class Rows(msgspec.Struct, frozen=True, kw_only=True):
    """Areas, then actions: some by name, or those right at a node by number."""

    areas: Sequence[Node] = ()
    refs: Sequence[ToolRef] = ()
    at: str = ""
    count: int = 0

    @property
    def total(self) -> int:
        return len(self.areas) + len(self.refs) + self.count


async def wanted(turn: Turn, site: Site, ids: Sequence[str]) -> list[landmarks.Landmark]:
    """The landmarks of these ids; what nobody can see is left out."""
    found: list[landmarks.Landmark] = []
    for text in ids:
        try:
            found.append(await landmarks.landmark(turn, site, text))
        except Problem as problem:
            if problem.code not in _UNKNOWN:
                raise
    return found


async def rows_of(turn: Turn, site: Site, ids: Sequence[str]) -> Rows:
    """The root's areas, what is in one area, or the landmarks that were named themselves."""
    if not ids:
        return await _inside(turn, site, site.root)
    found = await wanted(turn, site, ids)
    if len(ids) == 1 and found and found[0].node is not None:
        return await _inside(turn, site, found[0].node)
    return Rows(
        areas=[one.node for one in found if one.node is not None],
        refs=[one.tool.ref for one in found if one.tool is not None],
    )


async def _inside(turn: Turn, site: Site, node: Node) -> Rows:
    """What lies directly below a node."""
    count = await _own(turn, node)
    return Rows(areas=site.children(node), at=node.path, count=count)


async def _own(turn: Turn, node: Node) -> int:
    """How many actions stand right at a node; the catalog's root has none."""
    if not node.path:
        return 0
    _, count = await turn.gateway.tools_from(node.path, 0, 0, principal=turn.principal)
    return count


async def entries_of(turn: Turn, site: Site, rows: Rows, ask: NativeAsk) -> list[dict[str, Any]]:
    """A page of them, as the JSON manifest has landmarks."""
    areas = rows.areas[ask.offset : ask.offset + ask.items]
    made = [area_entry(site, node, len(site.children(node)) + await _own(turn, node)) for node in areas]
    left = ask.items - len(made)
    start = max(ask.offset - len(rows.areas), 0)
    if left <= 0:
        return made
    if rows.count:
        refs, _ = await turn.gateway.tools_from(rows.at, start, left, principal=turn.principal)
    else:
        refs = rows.refs[start : start + left]
    seen = await turn.gateway.seen(refs, principal=turn.principal)
    return [*made, *(action_entry(site, one) for one in seen)]
