"""list_aliases: what is stored under which name, by its shape, and any of it to be read (H-60, H-61, H-71)."""

from __future__ import annotations

from typing import Any

from periplus.core.sequence.shelf import NUMBERED_MOST
from periplus.core.sequence.values import size_words
from periplus.faces.handshake.calls import call_text
from periplus.faces.handshake.errors import refusal
from periplus.faces.handshake.hygiene import part_of
from periplus.faces.handshake.pages import joined, notes_text, page_line
from periplus.faces.handshake.replies import Replies
from periplus.faces.handshake.results import compact, shown
from periplus.faces.handshake.sites import Site
from periplus.faces.handshake.turn import Turn
from periplus.model import Code, Problem, Result, ToolRef
from periplus.ports import Reply

_LIMIT = 100
_WHOLE = 1 << 62
_MINUTE, _HOUR, _DAY = 60, 3600, 86_400


async def listed(turn: Turn, replies: Replies) -> Reply:
    """The names of this session, newest last."""
    shelf = await turn.gateway.values(principal=turn.principal, session=turn.talk.name)
    sites: dict[str, Site] = {}
    for site in reversed(await turn.sites()):
        sites |= dict.fromkeys(site.sources, site)
    offset, limit = turn.given.get("_offset", 0), turn.given.get("_limit", _LIMIT)
    now = turn.gateway.clock.now()
    rows: list[dict[str, Any]] = []
    for name, one in list(shelf.names.items())[offset : offset + limit]:
        source, _, path = one.tool.partition("/")
        at = sites.get(source)
        action = at.id_of(ToolRef(source, path)) if at and path else one.tool
        rows.append(
            {"alias": name, "shape": one.outline, "bytes": one.size, "action": action, "age": round(now - one.at)}
        )
    if shelf.count > NUMBERED_MOST:
        turn.notes.append(f"of numbered results the newest {NUMBERED_MOST} are kept; those with an alias stay")
    lines = [_line(row) for row in rows]
    end = offset + len(rows)
    following = call_text("list_aliases", {"_offset": end, "_limit": turn.given.get("_limit")})
    total = len(shelf.names)
    line = page_line("aliases", (offset, len(rows), total), following if rows and end < total else None)
    text = joined("\n".join(lines) or "Nothing is stored in this session.", notes_text(turn.notes), line)
    page: dict[str, Any] = {"offset": offset, "shown": len(rows), "total": total}
    body = {"status": "success", "aliases": rows, "page": page, "notes": list(turn.notes)}
    return replies.said(text, body, session=turn.talk.minted)


def _line(row: dict[str, Any]) -> str:
    return (
        f"- **${row['alias']}**: {row['shape']} ({size_words(row['bytes'])}) from {row['action']}, {_ago(row['age'])}"
    )


def _ago(seconds: float) -> str:
    for size, word in ((_DAY, "d"), (_HOUR, "h"), (_MINUTE, "min")):
        if seconds >= size:
            return f"{int(seconds // size)} {word} ago"
    return "just now"


async def one(turn: Turn, path: str) -> tuple[Result, str]:
    """A stored value, or what a path in it leads to, shaped as asked; and the name to read on under."""
    part = part_of(turn.given)
    name = path.strip().removeprefix("$")
    try:
        found = await turn.gateway.value(
            name,
            principal=turn.principal,
            session=turn.talk.name,
            select=part.select,
            filter=part.filter,
            limit=part.limit,
            offset=part.offset,
            budget=_WHOLE,
        )
    except Problem as problem:
        if problem.code is not Code.PLACEHOLDER:
            raise
        raise _unknown(problem, path) from problem
    return found, name


def _unknown(problem: Problem, path: str) -> Problem:
    names = [f"${name}" for name in problem.details.get("names", ())]
    return refusal(
        Code.NOT_FOUND,
        f"Nothing is stored under {path[:120]!r} in this session.",
        "Use one of the names below." if names else "Call an action first: its result is stored as $r1.",
        then=("list_aliases", {}),
        valid_options=names,
    )


async def read(turn: Turn, path: str) -> Reply:
    """Its page, as a call's result would be shown."""
    found, name = await one(turn, path)
    part = part_of(turn.given)
    made = shown(found, part, name, (*turn.notes, *part.notes), turn.settings.result_chars)
    body: dict[str, Any] = {"status": "success", "alias": name, "data": made.data, "notes": list(made.notes)}
    if made.page:
        body["page"] = made.page
    structured = turn.settings.structured
    small = None if structured == "off" else body if structured == "full" else compact(body, len(made.text))
    return Reply(body=body | {"text": made.text}, text=made.text, structured=small, content=found.content)
