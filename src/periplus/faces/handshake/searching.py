"""search_landmarks: what matches, best first, with whole signatures and where to look further (H-49 to H-54)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import accumulate
from typing import Any

import msgspec

from periplus.core.charts import Chart
from periplus.core.indexing import aside
from periplus.core.searching import Results
from periplus.faces.handshake import landmarks
from periplus.faces.handshake.calls import call_text
from periplus.faces.handshake.errors import refusal
from periplus.faces.handshake.inspecting import action_item
from periplus.faces.handshake.pages import (
    Item,
    Listed,
    body_of,
    fitting,
    joined,
    notes_text,
    page_line,
    page_of,
    room_in,
)
from periplus.faces.handshake.sites import ALL, Site
from periplus.faces.handshake.topology import Tree, area_item, summary_of
from periplus.faces.handshake.turn import Turn
from periplus.model import Code, Grepped, Lines, Node, Selector, ToolRef
from periplus.ports import Grep

LONGEST = 500
_PLACES = ("whole id", "id", "parameter or tag", "text")
_RECOMMENDED = 2


class Search(msgspec.Struct, frozen=True, kw_only=True):
    """What a search came to."""

    site: Site
    listed: Listed
    more: dict[str, Any] = {}


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """A search that has been read: where, what for, and which part of the matches."""

    site: Site
    node: Node
    query: str
    kind: str
    offset: int
    limit: int
    again: Mapping[str, Any]  # the arguments that ask for the same

    @property
    def below(self) -> Sequence[tuple[Chart, slice]]:
        """The areas that are searched."""
        return () if self.kind == "action" else self.site.spans(self.node)


async def searched(turn: Turn) -> Search:
    """The page of matches that was asked for."""
    asked = await _asked(turn)
    async with turn.gateway.showing(
        "search", turn.principal, turn.gateway.goal(asked.query), session=turn.talk.name
    ) as note:
        await turn.paged(asked.site)
        spans = asked.below
        areas = [node for chart, span in spans for node in chart.nodes[span]]
        lines = await aside(_lines, asked.site, spans)  # of thousands of areas, when they are first searched
        found = await turn.gateway.grep(_grep(asked, lines), asked.site.sources, principal=turn.principal)
        if found.literal:
            turn.notes.append("the query is no regular expression this engine has; its words were searched as they are")
        if found.tools or found.area_total:
            made = await _matches(turn, asked, areas, found)
        else:
            made = await _by_meaning(turn, asked)
        note.shown(item.row.get("ref") or f"{item.row['id']}/" for item in made.listed.shown)
        note.weighed(len(made.listed.text))
    return made


async def _asked(turn: Turn) -> Asked:
    query = str(turn.given["query"]).strip()
    if not query:
        raise refusal(Code.BAD_INPUT, "query is empty", "Give a regular expression or words, or use get_landmarks().")
    if len(query) > LONGEST:
        raise refusal(
            Code.BAD_INPUT, f"query has {len(query)} characters; {LONGEST} are the most", "Search for less at once."
        )
    site = await turn.all_sites() if turn.given.get("site") == "*" else await turn.site()
    node = site.root
    if wanted := turn.given.get("landmark_id"):
        site, node = await landmarks.area(turn, site, str(wanted))
    names = ("query", "landmark_id", "type", "site", "_limit")
    return Asked(
        site=site,
        node=node,
        query=query,
        kind=str(turn.given.get("type") or ""),
        offset=turn.given.get("_offset", 0),
        limit=turn.given.get("_limit", turn.settings.search_limit),
        again={name: turn.given[name] for name in names if turn.given.get(name)},
    )


def _grep(asked: Asked, areas: Lines) -> Grep:
    site, node = asked.site, asked.node
    return Grep(
        pattern=asked.query,
        within=None if node is site.root else Selector(node=node.path),
        qualified=site.is_catalog,
        areas=areas,
        below=node.path,
        start=asked.offset,
        limit=asked.limit,
        tools=asked.kind != "navigation",
    )


def _lines(site: Site, spans: Sequence[tuple[Chart, slice]]) -> Lines:
    """What a pattern is looked for in: the lines of these areas."""
    blobs, ends, at = [], [], 0
    for chart, span in spans:
        whole = chart.once(f"lines of {site.is_catalog}", partial(_lines_of, site, chart))
        bounds = (0, *whole.ends)[span.start : span.stop + 1]
        blobs.append(whole.blob[bounds[0] : bounds[-1]])
        ends += [end - bounds[0] + at for end in bounds[1:]]
        at += len(blobs[-1])
    return Lines(b"".join(blobs), tuple(ends))


def _lines_of(site: Site, chart: Chart) -> Lines:
    """The ids of areas in both spellings and what is said of them."""
    texts = [
        f"{(name := site.area_id(node))}\n{name.replace(':', '_')}\n{summary_of(site, node)}\n".encode()
        for node in chart.nodes
    ]
    return Lines(b"".join(texts), tuple(accumulate(map(len, texts))))


async def _matches(turn: Turn, asked: Asked, areas: Sequence[Node], found: Grepped) -> Search:
    site = asked.site
    seen = await turn.gateway.seen(found.refs, principal=turn.principal)
    ranks = dict(zip(found.refs, found.ranks, strict=True))
    items = [action_item(site, one, row={"matched": _PLACES[ranks[one.tool.ref]]}) for one in seen]
    items += [area_item(site, areas[place]) for place in found.areas]
    total = found.tools + found.area_total
    counts = f"{_count(found.tools, 'tool')}, {_count(found.area_total, 'area')}"
    call = ("search_landmarks", asked.again)
    room = room_in(turn.settings.search_chars, asked.query, call, turn.notes)
    shown = fitting(items, room)
    if len(shown) < total:
        shown = fitting(items, max(room - _ADVICE - 3 * len(call_text(*call)), 0))
    page = page_of(shown, asked.offset, total, call)
    first, last = (asked.offset + 1, asked.offset + len(shown)) if shown else (0, 0)
    head = f"### SEARCH: {_quoted(asked.query)} ({counts}; {first}-{last} shown)"
    told, recommend = _advice(asked, found, page)
    text = page.said(head, body_of(shown), notes_text(turn.notes), told, page_line("matches", page, page.next))
    return Search(site=site, listed=text, more={"recommend": recommend} if recommend else {})


_ADVICE = 400  # what the warning takes beside the calls in it


def _count(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def _quoted(text: str) -> str:
    """A query in a heading: one line, whatever is in it."""
    return " ".join(text.split())


def _advice(asked: Asked, found: Grepped, page: Listed) -> tuple[str, list[dict[str, Any]]]:
    """What to do when there are more matches than are shown (H-51, H-52)."""
    total = page.total
    if len(page.shown) >= total or not page.shown:
        return "", []
    calls: list[tuple[str, dict[str, Any], str]] = []
    if found.first and (best := _area_of(asked.site, found.first)) is not None:
        arguments = {"landmark_id": asked.site.area_id(best), **_sited(asked)}
        calls.append(("inspect_landmark", arguments, f"{_count(best.tools, 'tool')}, holds the best match"))
    most = sorted(found.by_area.items(), key=lambda pair: (-pair[1], pair[0]))[:_RECOMMENDED]
    for path, count in most if len(found.by_area) > 1 else ():
        name = asked.site.id_of_path(path)
        arguments = {**asked.again, "landmark_id": name}
        calls.append(("search_landmarks", arguments, f"{count} matches"))
    if page.next:
        calls.append((page.next[0], dict(page.next[1]), "next page"))
    lines = [f"**WARNING**: {len(page.shown)} of {total} matches shown. Narrow it:"]
    lines += [f"- {call_text(tool, arguments)} - {why}" for tool, arguments, why in calls]
    return "\n".join(lines), [{"tool": tool, "arguments": arguments, "why": why} for tool, arguments, why in calls]


def _sited(asked: Asked) -> dict[str, Any]:
    return {"site": asked.again["site"]} if asked.again.get("site") not in (None, ALL) else {}


def _area_of(site: Site, ref: ToolRef) -> Node | None:
    """The area an action stands in."""
    return site.at(f"{ref.source}/{ref.area}".rstrip("/"))


async def _by_meaning(turn: Turn, asked: Asked) -> Search:
    """Nothing matches literally: what comes closest by meaning, or the way from the top (H-53)."""
    site = asked.site
    found = Results(hits=())
    if asked.kind != "navigation" and not asked.offset:
        path = "" if asked.node is site.root and site.is_catalog else asked.node.path
        found = await turn.gateway.meant(
            asked.query, site.sources, path=path, limit=asked.limit, principal=turn.principal
        )
    if found.ready < 1:
        share = f"{int(100 * found.ready)} %"
        turn.notes.append(
            f"tools are still being read: {share} of them can be found by meaning by now, all of them by text"
        )
    seen = await turn.gateway.seen([hit.ref for hit in found.hits], principal=turn.principal)
    scores = {hit.ref: round(hit.score, 3) for hit in found.hits}
    items = [_scored(action_item(site, one, row={"score": scores[one.tool.ref]})) for one in seen]
    head = f"### SEARCH: {_quoted(asked.query)} (0 tools, 0 areas)"
    call = ("search_landmarks", asked.again)
    shown = fitting(items, room_in(turn.settings.search_chars, head, call, turn.notes))
    if shown:
        page = page_of(shown, 0, len(shown), call)
        line = page_line("matches by meaning", page)
        text = page.said(
            joined(head, "No text matches; closest by meaning:"), body_of(shown), notes_text(turn.notes), line
        )
        return Search(site=site, listed=text)
    tree = Tree(site, asked.node)
    areas = fitting(tree.items(0, 100), room_in(turn.settings.search_chars, head, call, turn.notes))
    page = Listed(shown=areas, offset=asked.offset, total=0)
    text = page.said(head, "Nothing matches. The areas there are:", body_of(areas), notes_text(turn.notes),
                     page_line("matches", (asked.offset, 0, 0)))  # fmt: skip
    return Search(site=site, listed=text)


def _scored(item: Item) -> Item:
    return msgspec.structs.replace(item, text=f"score {item.row['score']}\n{item.text}")
