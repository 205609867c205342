"""search_landmarks: what matches, best first, with whole signatures and where to look further (H-49 to H-54)."""

from __future__ import annotations

from typing import Any

import msgspec

from periplus.faces.handshake import landmarks
from periplus.faces.handshake.inspecting import action_item
from periplus.faces.handshake.pages import Budget, Listed, body_of, fitting, notes_text, page_line, page_of
from periplus.faces.handshake.sites import Site
from periplus.faces.handshake.turn import Turn


class Search(msgspec.Struct, frozen=True, kw_only=True):
    """What a search came to."""

    site: Site
    listed: Listed
    more: dict[str, Any] = {}


async def searched(turn: Turn) -> Search:
    """The page of matches that was asked for."""
    site = await turn.site()
    node = site.root
    if wanted := turn.given.get("landmark_id"):
        site, node = await landmarks.area(turn, site, str(wanted))
    query = str(turn.given["query"])
    limit = turn.given.get("_limit", turn.settings.search_limit)
    results = await turn.gateway.search(query, principal=turn.principal, path=node.path, limit=limit)
    seen = await turn.gateway.seen([hit.ref for hit in results.hits], principal=turn.principal)
    head = f"### SEARCH: {query}"
    items = [action_item(site, one) for one in seen]
    shown = fitting(items, Budget(most=turn.settings.search_chars, before=len(head)).room)
    page = page_of(shown, 0, len(items), ("search_landmarks", {"query": query}))
    line = page_line("matches", page)
    return Search(site=site, listed=page.said(head, body_of(shown), notes_text(turn.notes), line))
