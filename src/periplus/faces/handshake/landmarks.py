"""From what a model wrote to the landmark it means: an area or an action, never guessed (H-28, H-29)."""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from periplus.faces.handshake.calls import action_text, call_text
from periplus.faces.handshake.errors import refusal
from periplus.faces.handshake.sites import Site
from periplus.faces.handshake.turn import Turn
from periplus.model import Code, Node, Problem, Tool, ToolRef, fold

_PREFIX = re.compile(r"^(?:elemm-gateway:|periplus:|mcp__[A-Za-z0-9-]+__)")
_NEAR = 3
_CHILDREN = 5


class Landmark(msgspec.Struct, frozen=True, kw_only=True):
    """What an id means on a site: an action or an area."""

    site: Site
    tool: Tool | None = None
    node: Node | None = None

    @property
    def id(self) -> str:
        if self.tool is not None:
            return self.site.id_of(self.tool.ref)
        return self.site.area_id(self.node) if self.node is not None else ""


def plain(text: str) -> str:
    """A name without what hosts put before it (H-5)."""
    return _PREFIX.sub("", text.strip())


async def landmark(turn: Turn, site: Site, text: str) -> Landmark:
    """The area or action of this spelling; an exact id counts before every other spelling."""
    wanted = plain(text)
    site, wanted = await _unqualified(turn, site, wanted)
    areas = site.spelled(wanted)
    if len(areas) == 1 and (wanted in ("", site.id) or site.area_id(areas[0]) == wanted):
        return Landmark(site=site, node=areas[0])
    if (tool := await _tool(turn, site, wanted)) is not None:
        return Landmark(site=site, tool=tool)
    if len(areas) == 1:
        return Landmark(site=site, node=areas[0])
    if areas:
        raise _ambiguous(wanted, [site.area_id(node) for node in areas])
    raise await unknown(turn, site, text)


async def action(turn: Turn, site: Site, text: str, parameters: dict[str, object] | None = None) -> Landmark:
    """The action of this spelling; an area is refused with what is in it, a near miss with the call that was meant."""
    wanted = plain(text)
    site, wanted = await _unqualified(turn, site, wanted)
    if (tool := await _tool(turn, site, wanted)) is not None:
        return Landmark(site=site, tool=tool)
    if (node := site.area(wanted)) is not None:
        raise await _structural(turn, site, node)
    raise await _missing(turn, site, text, parameters or {})


async def area(turn: Turn, site: Site, text: str) -> tuple[Site, Node]:
    """The area of this spelling."""
    wanted = plain(text)
    site, wanted = await _unqualified(turn, site, wanted)
    found = site.spelled(wanted)
    if len(found) == 1:
        return site, found[0]
    if found:
        raise _ambiguous(wanted, [site.area_id(node) for node in found])
    raise await unknown(turn, site, text)


async def _unqualified(turn: Turn, site: Site, text: str) -> tuple[Site, str]:
    """`<site>:<id>` is an id on that site, whichever is active (H-12)."""
    head, mark, rest = text.partition(":")
    if not mark or head == site.id or head not in {"catalog", *turn.state.sites}:
        return (site, rest) if mark and head == site.id and site.area(head) is site.root else (site, text)
    other = await turn.open(head)
    return (other, rest) if other is not None else (site, text)


async def _tool(turn: Turn, site: Site, text: str) -> Tool | None:
    """By exact id, else by any spelling that means one tool alone."""
    found = None
    path = site.path_of(text)
    if "/" in path:
        found = await turn.gateway.exact(path, site.sources, principal=turn.principal)
    return found or await _spelled(turn, site, text)


async def _spelled(turn: Turn, site: Site, text: str) -> Tool | None:
    try:
        return await turn.gateway.find(text, site.sources, principal=turn.principal)
    except Problem as problem:
        if problem.code is not Code.AMBIGUOUS_NAME:
            raise
        raise _ambiguous(text, [site.id_of(ToolRef.parse(ref)) for ref in problem.hints]) from problem


def _ambiguous(text: str, ids: Sequence[str]) -> Problem:
    return refusal(
        Code.AMBIGUOUS_NAME,
        f"{text[:120]!r} names {len(ids)} landmarks.",
        "Use one of the ids below as it is written.",
        valid_options=list(ids)[:8],
    )


async def _structural(turn: Turn, site: Site, node: Node) -> Problem:
    name = site.area_id(node)
    refs = await turn.gateway.tools_below(node.path, _CHILDREN, principal=turn.principal) if node.path else ()
    children = [site.id_of(ref) for ref in refs] or [site.area_id(child) for child in site.children(node)[:_CHILDREN]]
    return refusal(
        Code.NOT_CALLABLE,
        f"{name!r} is an area, not an action.",
        f"Look at what is in it: {call_text('inspect_landmark', {'landmark_id': name})}.",
        then=("inspect_landmark", {"landmark_id": name}),
        suggested_fix=call_text("inspect_landmark", {"landmark_id": name}),
        valid_options=children,
    )


async def unknown(turn: Turn, site: Site, text: str) -> Problem:
    """No landmark has that id; near ones are named, those of other sites with their site (H-12, H-42)."""
    if elsewhere := await _elsewhere(turn, site, text):
        return elsewhere
    near = await near_ids(turn, site, text)
    return refusal(
        Code.UNKNOWN_LANDMARK,
        f"There is no landmark {text[:120]!r} on site {site.id}.",
        "Use one of the ids below, get_landmarks() or search_landmarks.",
        then=("get_landmarks", {}),
        valid_options=near,
    )


async def near_ids(turn: Turn, site: Site, text: str) -> list[str]:
    """Visible areas and actions whose names share words with a text."""
    areas = [site.area_id(node) for node in site.near_areas(text, _NEAR)]
    refs = await turn.gateway.near(text, site.sources, _NEAR, principal=turn.principal)
    return list(dict.fromkeys((*areas, *(site.id_of(ref) for ref in refs))))[:_CHILDREN]


async def _missing(turn: Turn, site: Site, text: str, parameters: dict[str, object]) -> Problem:
    if elsewhere := await _elsewhere(turn, site, text, parameters):
        return elsewhere
    refs = await turn.gateway.near(text, site.sources, _NEAR, principal=turn.principal)
    near = [site.id_of(ref) for ref in refs]
    fix = action_text(near[0], parameters) if near and _is_clear(text, near) else None
    return refusal(
        Code.TOOL_NOT_FOUND,
        f"There is no action {text[:120]!r} on site {site.id}.",
        "Use one of the ids below or search_landmarks." if near else "Call search_landmarks to find it.",
        then=("search_landmarks", {"query": text[:120].rpartition(":")[2] or text[:120]}),
        suggested_fix=fix,
        valid_options=near,
    )


def _is_clear(text: str, near: Sequence[str]) -> bool:
    """Whether the first is so much nearer than the second that it is what was meant."""
    from difflib import SequenceMatcher  # noqa: PLC0415 - only on the way to a refusal

    likeness = [SequenceMatcher(None, fold(text), fold(one)).ratio() for one in near]
    return likeness[0] > 0.8 and (len(likeness) == 1 or likeness[0] - likeness[1] > 0.08)


async def _elsewhere(turn: Turn, site: Site, text: str, parameters: dict[str, object] | None = None) -> Problem | None:
    """An id of another site of this session is never used silently (H-12)."""
    for other in await turn.sites():
        if other.id == site.id:
            continue
        node = other.area(text) if text else None
        if node is None and not await _is_action(turn, other, text):
            continue
        acting = parameters is not None
        arguments = {"action": text, "parameters": parameters} if acting else {"landmark_id": text}
        tool = "call_action" if acting else "inspect_landmark"
        fix = action_text(text, parameters or {}, site=other.id) if acting else None
        return refusal(
            Code.TOOL_NOT_FOUND,
            f"{text[:120]!r} is not on site {site.id}; site {other.id} has it.",
            f'Call again with site="{other.id}".',
            then=(tool, arguments | {"site": other.id}),
            suggested_fix=fix or call_text(tool, arguments | {"site": other.id}),
        )
    return None


async def _is_action(turn: Turn, site: Site, text: str) -> bool:
    try:
        return await _tool(turn, site, text) is not None
    except Problem as problem:
        if problem.code is Code.AMBIGUOUS_NAME:
            return False
        raise
