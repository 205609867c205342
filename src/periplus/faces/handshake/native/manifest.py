"""`GET /.well-known/elemm-manifest.md` and `/search`: landmarks as markdown for models, as JSON for programs."""

from __future__ import annotations

import hashlib
import re
from typing import Any

import msgspec

from periplus.faces.handshake.inspecting import inspected
from periplus.faces.handshake.native.asking import NativeAsk
from periplus.faces.handshake.native.entries import action_entry, area_entry
from periplus.faces.handshake.native.listing import entries_of, rows_of, wanted
from periplus.faces.handshake.pages import Listed, joined
from periplus.faces.handshake.searching import searched
from periplus.faces.handshake.sites import Site
from periplus.faces.handshake.topology import heading, listed_areas, site_head
from periplus.faces.handshake.turn import Turn
from periplus.model import Code, Problem, ToolRef
from periplus.ports import HttpAnswer, HttpAsk

_ALL = "."
_PAIR = re.compile(r"<([^<>\n]*)>")
_HEAD = 500  # clients take an answer with a tag this near its beginning for a page of HTML
_MARKDOWN = "text/markdown; charset=utf-8"


class Text(msgspec.Struct, frozen=True):
    """An answer's body and what it is."""

    body: bytes
    media_type: str


async def manifest(turn: Turn, site: Site, ask: NativeAsk) -> Text:
    """The landmarks that were asked for."""
    async with turn.gateway.showing("browse", turn.principal, ", ".join(ask.ids) or site.id) as note:
        note.add(op="manifest")
        if ask.json:
            found = await _found(turn, site, ask, _ALL) if ask.full and site.sources else await _listed(turn, site, ask)
            note.weighed(len(found.body))
            return found
        listed = await _page(turn, site, ask)
        note.weighed(len(listed.text))
    return _markdown(listed.text)


async def search(turn: Turn, site: Site, ask: NativeAsk) -> Text:
    """What a pattern finds; without one, everything."""
    if not site.sources:  # nothing is configured, and there is nothing to look through
        return _json(site, ask, [], 0) if ask.json else _markdown(_nothing(ask))
    query = "|".join(ask.queries) or _ALL
    if ask.json:
        return await _found(turn, site, ask, query)
    turn.given |= {"query": query, **_scope(ask)}
    return _markdown((await searched(turn)).listed.text)


async def _listed(turn: Turn, site: Site, ask: NativeAsk) -> Text:
    rows = await rows_of(turn, site, ask.ids)
    entries = await entries_of(turn, site, rows, ask)
    return _json(site, ask, entries, rows.total)


async def _found(turn: Turn, site: Site, ask: NativeAsk, query: str) -> Text:
    """A page of matches; the texts that models would see are not needed, so they limit nothing."""
    turn.given |= {"query": query, **_scope(ask)}
    turn.settings = msgspec.structs.replace(turn.settings, search_chars=1 << 30)
    try:
        listed = (await searched(turn)).listed
    except Problem as problem:
        if problem.code is not Code.UNKNOWN_LANDMARK:
            raise
        return _json(site, ask, [], 0)
    if not listed.total:
        return _json(site, ask, [], 0)
    refs = [ToolRef.parse(str(item.row["ref"])) for item in listed.shown if item.is_action]
    made = {one.tool.ref: action_entry(site, one) for one in await turn.gateway.seen(refs, principal=turn.principal)}
    entries: list[dict[str, Any]] = []
    for item in listed.shown:
        if item.is_action:
            entries.append(made[ToolRef.parse(str(item.row["ref"]))])
        elif (node := site.area(str(item.row["id"]))) is not None:
            entries.append(area_entry(site, node, len(site.children(node)) or node.tools))
    return _json(site, ask, entries, listed.total)


def _scope(ask: NativeAsk) -> dict[str, Any]:
    said: dict[str, Any] = {"_limit": ask.items, "_offset": ask.offset}
    if ask.ids:
        said["landmark_id"] = ask.ids[0]
    if ask.type:
        said["type"] = ask.type
    return said


async def _page(turn: Turn, site: Site, ask: NativeAsk) -> Listed:
    """The layouts that the nine tools have: signatures of what was named, else areas as lines."""
    turn.given |= {"_offset": ask.offset, "_limit": min(ask.items, 50 if ask.ids else 500)}
    if ask.full:
        turn.given["full"] = True
    if ask.characters:
        turn.settings = msgspec.structs.replace(
            turn.settings, inspect_chars=ask.characters, manifest_chars=ask.characters
        )
    if not ask.ids:
        return await listed_areas(
            turn, "get_manifest", site, site.root, joined(site_head(site), heading(site, site.root))
        )
    found = await wanted(turn, site, ask.ids)
    if not found:
        return Listed(shown=(), offset=ask.offset, total=0, text=_nothing(ask))
    only = found[0].node if len(found) == 1 and not ask.technical else None
    if only is not None:
        turn.given["landmark_id"] = site.area_id(only)
        return await listed_areas(turn, "get_landmarks", site, only, heading(site, only))
    return await inspected(turn, site, [one.id for one in found])


def _nothing(ask: NativeAsk) -> str:
    names = ", ".join(repr(text[:60]) for text in ask.ids[:10]).replace("<", "\u2039")
    return f"### LANDMARK TOPOLOGY\n\n**WARNING**: there is nothing here by the name {names}.\n\n**Page**: no areas."


def _markdown(text: str) -> Text:
    head = _PAIR.sub("\u2039\\1\u203a", text[:_HEAD]).replace("<", "\u2039")
    return Text((head + text[_HEAD:] + "\n").encode(), _MARKDOWN)


def _json(site: Site, ask: NativeAsk, entries: list[dict[str, Any]], total: int) -> Text:
    if ask.characters is not None:
        entries = _within(entries, ask.characters)
    end = ask.offset + len(entries)
    body = {
        "version": "2.0",
        "parent_id": ask.ids[0] if len(ask.ids) == 1 else None,
        "is_root": not ask.ids,
        "welcome_message": site.title,
        "instructions": site.instructions,
        "revision": site.revision,
        "landmarks": entries,
        "pagination": {
            "total": total,
            "offset": ask.offset,
            "limit": ask.items,
            "has_more": bool(entries) and end < total,
        },
    }
    encoded = msgspec.json.encode(body)
    return Text(encoded.replace(b"<", b"\\u003c"), "application/json")  # only texts hold it, and it means the same


def _within(entries: list[dict[str, Any]], characters: int) -> list[dict[str, Any]]:
    """The first ones that fit, the very first always."""
    used, kept = 0, 0
    for entry in entries:
        used += len(msgspec.json.encode(entry))
        if kept and used > characters:
            break
        kept += 1
    return entries[:kept]


def answered(ask: HttpAsk, base: str, text: Text) -> HttpAnswer:
    """The answer, or that it is the one its asker has; with the way to the site itself."""
    tag = f'"{hashlib.sha256(text.body).hexdigest()[:32]}"'
    headers = {"link": f'<{base}/.well-known/elemm-manifest.md>; rel="elemm-manifest"', "etag": tag, "vary": "accept"}
    if tag in ask.headers.get("if-none-match", ""):
        return HttpAnswer(status=304, media_type=text.media_type, headers=headers)
    return HttpAnswer(body=text.body, media_type=text.media_type, headers=headers)
