"""A list read to its last page, from a server that may never say which one that is (S-93)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from periplus.documents import canonical
from periplus.model import Code, Problem
from periplus.net.mcp.timing import Timing
from periplus.ports import McpListing

Ask = Callable[[str, Mapping[str, Any]], Awaitable[dict[str, Any]]]
_BARREN_PAGES = 100

# What each word of `offers` asks for: method, member of the result, member of the listing.
_LISTS = {
    "tools": (("tools/list", "tools", "tools"),),
    "resources": (
        ("resources/list", "resources", "resources"),
        ("resources/templates/list", "resourceTemplates", "templates"),
    ),
    "prompts": (("prompts/list", "prompts", "prompts"),),
}


async def read_lists(
    ask: Ask,
    offers: tuple[str, ...],
    server: dict[str, Any],
    capabilities: Mapping[str, Any],
    protocol: str,
    timing: Timing,
) -> McpListing:
    """Everything wanted, or a `Problem`: half a list is none."""
    found: dict[str, tuple[dict[str, Any], ...]] = {}
    notes: list[str] = []
    lives: list[float] = []

    async def asked(method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        page = await ask(method, params)
        life = page.get("ttlMs")
        if isinstance(life, int | float) and life >= 0:
            lives.append(life / 1000)
        return page

    for word in dict.fromkeys(offers):
        for method, member, name in _LISTS.get(word, ()):
            try:
                found[name] = tuple(await _read(asked, method, member, timing, notes))
            except Problem as problem:
                # A server need not have resources; only one that promised them owes an explanation.
                if problem.code is not Code.UNSUPPORTED:
                    raise
                if word in capabilities:
                    notes.append(f"declares {word} but does not know {method}")
    return McpListing(
        server=server, protocol=protocol, notes=tuple(notes), fresh_seconds=min(lives, default=None), **found
    )


async def _read(ask: Ask, method: str, member: str, timing: Timing, notes: list[str]) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = []
    seen: set[str] = set()
    params: dict[str, Any] = {}
    barren = 0
    for _ in range(timing.pages):
        page = await ask(method, params)
        fresh = _items(page, method, member, notes)
        cursor = page.get("nextCursor")
        if isinstance(cursor, str) and cursor in seen:
            notes.append(f"{method} repeats the cursor {cursor[:60]!r}; read up to there")
            return items + _unseen(fresh, items)
        items += fresh
        if len(items) > timing.items:
            raise _over(method, f"{timing.items:,} entries", "operations")
        barren = 0 if fresh else barren + 1
        if cursor in (None, ""):
            return items
        if not isinstance(cursor, str) or barren >= _BARREN_PAGES:
            why = f"{_BARREN_PAGES} empty pages" if barren else f"a cursor that is no text: {cursor!r:.60}"
            notes.append(f"{method} ended early: {why}")
            return items
        seen.add(cursor)
        params = {"cursor": cursor}
    raise _over(method, f"{timing.pages:,} pages", "pages")


def _items(page: dict[str, Any], method: str, member: str, notes: list[str]) -> list[dict[str, Any]]:
    entries = page.get(member)
    if not isinstance(entries, list):
        raise Problem(Code.PARSE_ERROR, f"{method} answered without a list of {member}: {entries!r:.100}")
    strange = [entry for entry in entries if not isinstance(entry, dict)]
    notes += (f"{method} lists something that is no object: {entry!r:.60}" for entry in strange)
    return [entry for entry in entries if isinstance(entry, dict)]


def _unseen(fresh: list[dict[str, Any]], items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What a page brought that was not there: a server that ignores cursors sends its first page again."""
    known = {canonical(item) for item in items}
    return [item for item in fresh if canonical(item) not in known]


def _over(method: str, what: str, limit: str) -> Problem:
    return Problem(
        Code.OVER_LIMIT, f"{method} has more than {what} (limit {limit})", hints=("ask its author about paging",)
    )
