"""The manifest in full: every area with its actions below it, one line each, over as many pages as it takes."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from periplus.faces.handshake.inspecting import action_row
from periplus.faces.handshake.pages import Item, Listed, fitting, notes_text, page_line, page_of, room_in
from periplus.faces.handshake.sites import Site, one_line
from periplus.faces.handshake.topology import area_item, asked_again
from periplus.faces.handshake.turn import Turn
from periplus.model import Node

_MOST = 60  # actions that are read at once


async def whole_manifest(turn: Turn, site: Site, node: Node, head: str) -> Listed:
    """One page of areas and actions below a node."""
    nodes, sums = await _sequence(turn, site, node)
    total = sums[-1] if sums else 0
    offset, limit = turn.given.get("_offset", 0), turn.given.get("_limit", 100)
    items = await _items(turn, site, nodes, sums, offset, min(limit, _MOST))
    call = ("get_manifest", asked_again(turn, site, node))
    shown = fitting(items, room_in(turn.settings.manifest_chars, head, call, turn.notes))
    page = page_of(shown, offset, total, call)
    text = "\n".join(item.text for item in shown)
    line = page_line("areas and tools", page, page.next)
    return page.said(f"{head}\n{text}".strip(), notes_text(turn.notes), line)


async def _sequence(turn: Turn, site: Site, node: Node) -> tuple[Sequence[Node], Sequence[int]]:
    """The nodes in order, and how many lines there are up to the end of each one's own actions."""
    counts: dict[str, int] = {}
    for record in site.records:
        counts |= await turn.gateway.standing(record, principal=turn.principal)
    below = site.everything() if node is site.root else site.below(node, 1 << 30) or ()
    nodes = [node, *below] if counts.get(node.path) else list(below)
    return nodes, list(accumulate(1 + counts.get(one.path, 0) for one in nodes))


async def _items(
    turn: Turn, site: Site, nodes: Sequence[Node], sums: Sequence[int], offset: int, limit: int
) -> list[Item]:
    items: list[Item] = []
    before = 0
    for node, end in zip(nodes, sums, strict=True):
        if offset < end and len(items) < limit:
            if offset <= before:
                items.append(area_item(site, node))
            start = max(offset - before - 1, 0)
            items += await _actions(turn, site, node, start, min(end - before - 1 - start, limit - len(items)))
        before = end
    return items


async def _actions(turn: Turn, site: Site, node: Node, start: int, count: int) -> list[Item]:
    if count <= 0:
        return []
    refs, _ = await turn.gateway.tools_from(node.path, start, count, principal=turn.principal)
    seen = await turn.gateway.seen(refs, principal=turn.principal)
    return [
        Item(
            text=f"  - {site.id_of(one.tool.ref)} - {one_line(one.tool.summary)}",
            row=action_row(site, one),
            is_action=True,
        )
        for one in seen
    ]
