"""The manifest and the landmarks: rules, the site's own words, and its areas as lines (H-22 to H-25)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from periplus.core.intake.texts import clean
from periplus.faces.handshake import landmarks
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
from periplus.faces.handshake.sites import Site, one_line
from periplus.faces.handshake.turn import Turn
from periplus.faces.handshake.wording import RULES, SITE_WORDS
from periplus.model import Node, fold

_WHOLE_TREE = 100  # a site with so many areas is shown whole, a larger one level by level
_INSTRUCTIONS = 1500
_FURTHER = 200  # what it takes to say how further areas are listed
_ROLLED_UP = re.compile(r"^\d+ tools?(?:: (.*))?$")
_ON = 'inspect_landmark(landmark_id="...") or search_landmarks(query="...")'


def counted(node: Node) -> str:
    """`1 tool`, `15 tools, 3 areas`."""
    tools = f"{node.tools} tool{'' if node.tools == 1 else 's'}"
    areas = f", {node.areas} area{'' if node.areas == 1 else 's'}" if node.areas else ""
    return tools + areas


def summary_of(site: Site, node: Node) -> str:
    """The area's sentence; what only repeats its count or its id says nothing."""
    text = one_line(node.summary or node.title)
    if rolled := _ROLLED_UP.match(text):
        text = rolled[1] or one_line(node.title)
    return "" if fold(text) in (fold(site.area_id(node)), fold(node.name)) else text


def area_line(site: Site, node: Node, depth: int = 0) -> str:
    """`- **berths**: (15 tools, 1 area) - Find and reserve places for ships`."""
    summary = summary_of(site, node)
    said = f" - {summary}" if summary else ""
    return f"{'  ' * depth}- **{site.area_id(node)}**: ({counted(node)}){said}"


def titled(site: Site, node: Node) -> str:
    """`berths (15 tools, 1 area) - Find and reserve places for ships`, as headings have it."""
    summary = summary_of(site, node)
    return f"{site.area_id(node)} ({counted(node)}){f' - {summary}' if summary else ''}"


def area_item(site: Site, node: Node, depth: int = 0) -> Item:
    row: dict[str, Any] = {"id": site.area_id(node), "tools": node.tools, "areas": node.areas}
    if summary := summary_of(site, node):
        row["summary"] = summary
    return Item(text=area_line(site, node, depth), row=row)


class Tree:
    """The areas below a node in the order they are listed: whole where they are few, else one level."""

    def __init__(self, site: Site, node: Node) -> None:
        self._site = site
        self._node = node
        whole = site.below(node, _WHOLE_TREE)
        self.is_whole = whole is not None
        self.nodes: Sequence[Node] = whole if whole is not None else site.children(node)
        if node is site.root and not site.is_catalog and self._has_own():
            self.nodes = [*self.nodes, node]  # tools in no area are found under the site's own name

    def _has_own(self) -> bool:
        return not self._node.areas or self._node.tools > sum(child.tools for child in self._site.children(self._node))

    def items(self, offset: int, limit: int) -> list[Item]:
        return [
            area_item(self._site, node, self._depth(node) if self.is_whole else 0)
            for node in self.nodes[offset : offset + limit]
        ]

    def _depth(self, node: Node) -> int:
        if node is self._node:
            return 0
        return node.path.count("/") - (self._node.path.count("/") + 1 if self._node.path else 0)

    @property
    def further(self) -> Node | None:
        """An area whose own areas are not in this list."""
        return (
            None
            if self.is_whole
            else next((node for node in self.nodes if node.areas and node is not self._node), None)
        )


async def listed_areas(turn: Turn, tool: str, site: Site, node: Node, head: str) -> Listed:
    """One page of areas below a node."""
    offset, limit = turn.given.get("_offset", 0), turn.given.get("_limit", 100)
    tree = Tree(site, node)
    call: tuple[str, Mapping[str, Any]] = (tool, asked_again(turn, site, node))
    room = room_in(turn.settings.manifest_chars, head, call, turn.notes, 0 if tree.is_whole else _FURTHER)
    shown = fitting(tree.items(offset, limit), room)
    page = page_of(shown, offset, len(tree.nodes), call)
    notes = list(turn.notes)
    if (further := tree.further) and not page.next:
        name = site.area_id(further)
        said = f'get_landmarks(landmark_id="{name}"{_site_argument(turn)})'
        notes.append(f"{said} lists the areas of {name}; those of others in the same way")
    on = page.next or (_ON if tree.nodes else ("inspect_landmark", {"landmark_id": site.area_id(node)}))
    return page.said(f"{head}\n{body_of(shown)}".strip(), notes_text(notes), page_line("areas", page, on))


def asked_again(turn: Turn, site: Site, node: Node) -> dict[str, Any]:
    """The arguments that ask for the same list again."""
    given = turn.given
    again: dict[str, Any] = {}
    if node is not site.root:
        again["landmark_id"] = site.area_id(node)
    if "site" in given:
        again["site"] = given["site"]
    if given.get("full"):
        again["full"] = True
    if "_limit" in given:
        again["_limit"] = given["_limit"]
    return again


def _site_argument(turn: Turn) -> str:
    return f', site="{turn.given["site"]}"' if "site" in turn.given else ""


async def start(turn: Turn) -> tuple[Site, Node]:
    """The site and the node that a list of areas begins at."""
    site = await turn.site()
    wanted = turn.given.get("landmark_id")
    if not wanted:
        return site, site.root
    return await landmarks.area(turn, site, str(wanted))


def heading(site: Site, node: Node) -> str:
    """`### LANDMARK TOPOLOGY`, below an area with its name."""
    return "### LANDMARK TOPOLOGY" if node is site.root else f"### LANDMARK TOPOLOGY: {titled(site, node)}"


def manifest_head(site: Site) -> str:
    """What stands before the areas in a manifest: our rules, then what the site says of itself."""
    return joined(RULES, site_head(site))


def site_head(site: Site) -> str:
    """What a site is, and its own words."""
    version = f" {site.version}" if site.version else ""
    what = f"{site.kind}, {counted(site.root).split(',')[0]} in {site.areas} area{'' if site.areas == 1 else 's'}"
    lines = f"### SITE: {site.title}{version} (id {site.id}, {what})"
    if said := quoted(site.instructions):
        lines += f"\n{SITE_WORDS}\n{said}"
    return lines


def quoted(text: str) -> str:
    """A site's own instructions, marked as such and cut at a sentence (H-27)."""
    plain = clean(text)
    if len(plain) > _INSTRUCTIONS:
        cut = plain[:_INSTRUCTIONS]
        ends = [cut.rfind(mark) for mark in (". ", "! ", "? ", ".\n")]
        plain = cut[: max(ends) + 1] if max(ends) > _INSTRUCTIONS // 4 else cut.rpartition(" ")[0] + " ..."
    return "\n".join(f"> {line}".rstrip() for line in plain.splitlines() if line.strip())
