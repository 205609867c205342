"""inspect_landmark: signatures of actions, and what is in areas, as one sequence of items (H-31 to H-36)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from periplus.core.verbs.surveying import Seen
from periplus.faces.handshake import landmarks
from periplus.faces.handshake.calls import call_text
from periplus.faces.handshake.errors import refusal
from periplus.faces.handshake.pages import (
    Item,
    Listed,
    body_of,
    fitting,
    notes_text,
    page_line,
    page_of,
    room_in,
)
from periplus.faces.handshake.signatures import parameters_type, signature
from periplus.faces.handshake.sites import Site
from periplus.faces.handshake.topology import area_item, titled
from periplus.faces.handshake.turn import Turn
from periplus.model import Code, Node, Problem, ToolRef, Verdict

WHOLE_AREA = 50  # tools of a subtree that are shown together
_MOST_IDS = 50


class Run(msgspec.Struct, frozen=True, kw_only=True):
    """What one id stands for: areas, then actions, in the order they are shown."""

    site: Site
    heading: str = ""
    areas: Sequence[Node] = ()
    refs: Sequence[ToolRef] = ()  # all of them, where they are few
    path: str = ""  # else: the node whose own tools follow by number
    count: int = 0
    grouped: bool = False  # actions of several areas, under their headings

    @property
    def total(self) -> int:
        return len(self.areas) + self.count


async def run_of(turn: Turn, found: landmarks.Landmark) -> Run:
    """The items of a landmark (H-36)."""
    site = found.site
    if found.tool is not None:
        return Run(site=site, refs=(found.tool.ref,), count=1)
    node = found.node or site.root
    heading = f"### LANDMARK: {titled(site, node)}"
    if node.tools <= WHOLE_AREA and node.path:
        refs = await turn.gateway.tools_below(node.path, WHOLE_AREA, principal=turn.principal)
        return Run(site=site, heading=heading, refs=refs, count=len(refs), grouped=True)
    _, own = await turn.gateway.tools_from(node.path, 0, 0, principal=turn.principal)
    return Run(site=site, heading=heading, areas=site.children(node), path=node.path, count=own)


async def items_of(turn: Turn, run: Run, offset: int, limit: int, *, full: bool) -> list[Item]:
    """A part of a run."""
    site = run.site
    items = [
        msgspec.structs.replace(area_item(site, node), group=run.heading) for node in run.areas[offset : offset + limit]
    ]
    left = limit - len(items)
    start = max(offset - len(run.areas), 0)
    if left <= 0 or start >= run.count:
        return items
    if run.refs:
        refs: Sequence[ToolRef] = run.refs[start : start + left]
    else:
        refs, _ = await turn.gateway.tools_from(run.path, start, left, principal=turn.principal)
    seen = await turn.gateway.seen(refs, principal=turn.principal)
    return [*items, *(_action_item(site, one, _group(run, one), full=full) for one in seen)]


def _group(run: Run, seen: Seen) -> str:
    """The heading of the area an action stands in."""
    if not run.grouped:
        return run.heading
    place = f"{seen.tool.source}/{seen.tool.ref.area}".rstrip("/")
    node = run.site.at(place)
    if node is None or f"### LANDMARK: {titled(run.site, node)}" == run.heading:
        return run.heading
    return f"### LANDMARK: {titled(run.site, node)}"


def action_row(site: Site, seen: Seen) -> dict[str, Any]:
    """An action for programs."""
    tool = seen.tool
    row: dict[str, Any] = {
        "id": site.id_of(tool.ref),
        "ref": str(tool.ref),
        "summary": tool.summary,
        "effect": tool.effect.word,
    }
    if seen.call.verdict is Verdict.ASK or tool.requires_approval:
        row["requires_approval"] = True
    if tool.deprecated:
        row["deprecated"] = True
    return row


def action_item(site: Site, seen: Seen, group: str = "", *, full: bool = False, row: Mapping[str, Any] = {}) -> Item:
    """An action in a list with its whole signature."""
    return _action_item(site, seen, group, full=full, row=row)


def _action_item(
    site: Site, seen: Seen, group: str, *, full: bool, row: Mapping[str, Any] | None = None, reduced: bool = False
) -> Item:
    made = signature(seen, site.id_of(seen.tool.ref), full=full, reduced=reduced)
    schemas: dict[str, Any] = {}
    if seen.describe.verdict is not Verdict.DENY:
        schemas = {"parameters": seen.tool.args_schema, "returns": seen.tool.result_schema}
    return Item(
        text=made.text,
        row={**action_row(site, seen), **(row or {})},
        is_action=True,
        group=group,
        apart=True,
        tail={text: text for text in made.interfaces.values()},
        full=schemas,
    )


async def inspected(turn: Turn, site: Site, wanted: Sequence[str]) -> Listed:
    """One page over everything that was asked for."""
    runs, unknown = await _runs(turn, site, wanted)
    offset, limit = turn.given.get("_offset", 0), turn.given.get("_limit", 50)
    full = bool(turn.given.get("full"))
    total = sum(run.total for run in runs)
    items: list[Item] = []
    skip = offset
    head = "\n".join(unknown)
    call = ("inspect_landmark", _again(turn, wanted))
    room = room_in(turn.settings.inspect_chars, head, call, turn.notes, _OPENED)
    if full and total == 1:
        (item,) = await items_of(turn, next(run for run in runs if run.total), 0, 1, full=True)
        if len(item.text) > room:
            return _in_parts(turn, item, room, wanted)
    used = 0
    for run in runs:
        while skip < run.total and len(items) < limit and used <= room:
            part = await items_of(turn, run, skip, min(limit - len(items), _BATCH), full=full)
            if not part:
                break
            items += part
            used += sum(len(item.text) for item in part)
            skip += len(part)
        skip = max(skip - run.total, 0)
    if items and len(items[0].text) > room:
        items = await _oversized(turn, runs, items, full=full)
    shown = fitting(items, room)
    page = page_of(shown, offset, total, call)
    notes = notes_text([*turn.notes, *_open(turn, runs, page)])
    line = page_line(_what(runs), page, page.next)
    return page.said(head, body_of(shown), notes, line)


_BATCH = 20
_OPENED = 160  # what it takes to say how areas are opened


async def _runs(turn: Turn, site: Site, wanted: Sequence[str]) -> tuple[list[Run], list[str]]:
    runs: list[Run] = []
    unknown: list[str] = []
    refused: list[Problem] = []
    for text in wanted[:_MOST_IDS]:
        try:
            runs.append(await run_of(turn, await landmarks.landmark(turn, site, text)))
        except Problem as problem:
            if problem.code not in (Code.UNKNOWN_LANDMARK, Code.TOOL_NOT_FOUND, Code.AMBIGUOUS_NAME):
                raise
            refused.append(problem)
            near = problem.details.get("protocol", {}).get("valid_options") or ()
            said = f" Near: {', '.join(near)}." if near else ""
            unknown.append(f"**WARNING**: {problem.message}{said}")
    if refused and not runs:
        raise refused[0] if len(refused) == 1 else _all_unknown(site, wanted, refused)
    return runs, unknown


def _all_unknown(site: Site, wanted: Sequence[str], refused: Sequence[Problem]) -> Problem:
    near = [one for problem in refused for one in problem.details.get("protocol", {}).get("valid_options") or ()]
    names = ", ".join(repr(text[:60]) for text in wanted[:10])
    return refusal(
        Code.UNKNOWN_LANDMARK,
        f"None of {names} is a landmark of site {site.id}.",
        "Use one of the ids below, get_landmarks() or search_landmarks.",
        then=("get_landmarks", {}),
        valid_options=list(dict.fromkeys(near))[:10],
    )


async def _oversized(turn: Turn, runs: Sequence[Run], items: Sequence[Item], *, full: bool) -> list[Item]:
    """A first item that fills more than a page, shown reduced (H-26)."""
    if full or not items[0].is_action:
        return list(items)
    first = items[0]
    run = next(run for run in runs if run.site.id_of(ToolRef.parse(first.row["ref"])) == first.row["id"])
    (seen,) = await turn.gateway.seen([ToolRef.parse(first.row["ref"])], principal=turn.principal)
    name = str(first.row["id"])
    turn.notes.append(
        f"{name} is shown reduced; {call_text('inspect_landmark', {'landmark_id': name, 'full': True})} shows all of it"
    )
    return [_action_item(run.site, seen, first.group, full=False, reduced=True), *items[1:]]


def _in_parts(turn: Turn, item: Item, room: int, wanted: Sequence[str]) -> Listed:
    """The whole text of one action over several pages, cut at ends of lines (H-26)."""
    lines = body_of([item]).splitlines()
    parts: list[str] = []
    part: list[str] = []
    for line in (piece for whole in lines for piece in _pieces(whole, room)):
        if part and sum(len(one) + 1 for one in part) + len(line) > room:
            parts.append("\n".join(part))
            part = []
        part.append(line)
    parts.append("\n".join(part))
    offset = turn.given.get("_offset", 0)
    shown = [msgspec.structs.replace(item, text=text, tail={}) for text in parts[offset : offset + 1]]
    page = page_of(shown, offset, len(parts), ("inspect_landmark", _again(turn, wanted)))
    return page.said(shown[0].text if shown else "", notes_text(turn.notes), page_line("parts", page, page.next))


def _pieces(line: str, room: int) -> list[str]:
    """A line that alone is longer than a page, in pieces."""
    return [line[start : start + room] for start in range(0, len(line), room)] or [""]


def _what(runs: Sequence[Run]) -> str:
    areas = any(run.areas for run in runs)
    tools = any(run.count for run in runs)
    return "areas and tools" if areas and tools else "areas" if areas else "tools"


def _open(turn: Turn, runs: Sequence[Run], page: Listed) -> list[str]:
    """How the areas of a large landmark are opened."""
    first = next((run for run in runs if run.areas), None)
    if first is None or page.next:
        return []
    arguments: dict[str, Any] = {"landmark_id": first.site.area_id(first.areas[0])}
    if "site" in turn.given:
        arguments["site"] = turn.given["site"]
    return [f"areas are opened with {call_text('inspect_landmark', arguments)}"]


def _again(turn: Turn, wanted: Sequence[str]) -> dict[str, Any]:
    again: dict[str, Any] = {"landmark_id": wanted[0] if len(wanted) == 1 else list(wanted)}
    for name in ("site", "full", "_limit"):
        if turn.given.get(name):
            again[name] = turn.given[name]
    return again


__all__ = ["action_item", "action_row", "inspected", "parameters_type"]
