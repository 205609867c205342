"""The tree over the tools: a node is a place, and a tool may stand in several."""

from __future__ import annotations

import msgspec

from periplus.model.problem import Code, Problem
from periplus.model.ref import REF_MAX, segment


class NodeDraft(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An area as its source describes it; `path` holds the raw names from the source's root."""

    path: tuple[str, ...]
    title: str = ""
    summary: str = ""
    description: str = ""
    place: int = 0  # among the areas beside it, from 1, where the source has an order of its own


class Node(msgspec.Struct, frozen=True, kw_only=True):
    """A place in the catalog: `""` is the root, `source` a source, `source/area` what is below it."""

    path: str
    title: str = ""
    summary: str = ""
    tools: int = 0  # visible tools in the whole subtree, each counted once
    areas: int = 0  # direct child nodes
    place: int = 0  # among its neighbours as their source orders them, from 1; 0: after those, by name

    @property
    def name(self) -> str:
        return self.path.rpartition("/")[2]

    @property
    def parent(self) -> str:
        return self.path.rpartition("/")[0]


OWN_TREE = "~"
"""What the path of a place begins with that stands in a tree of its own, beside the sources."""


def place_of(source: str, path: str) -> str:
    """The whole path of a place that a tool of a source names."""
    if path.startswith(OWN_TREE):
        return path
    return f"{source}/{path}" if path else source


def area_path(names: tuple[str, ...]) -> str:
    """The path of an area below its source, from raw names."""
    return "/".join(segment(name) for name in names)


def check_node_path(text: str) -> str:
    """Read what a person types for a node: outer slashes do not matter, odd characters are refused."""
    path = text.strip().strip("/")
    if len(path) > REF_MAX * 2 or any(piece != segment(piece, "") for piece in path.split("/") if path):
        raise Problem(
            Code.UNKNOWN_PATH,
            f"not a path of the catalog: {text[:80]!r}",
            hints=("browse without a path lists the sources",),
        )
    return path
