"""Values of the core in the words of this protocol: pointers, nodes, expansions."""

from __future__ import annotations

from typing import Any

import msgspec

from periplus.core.survey import Entry, Page
from periplus.model import Tool, place_of

_encode = msgspec.json.encode
_BYTES_OF_A_TOKEN = 4


class Shown:
    """Shows what stands in one tree; paths are told from its root."""

    def __init__(self, tree: str) -> None:
        self._tree = tree

    def path(self, place: str) -> list[str]:
        """A place as names from the root."""
        inside = place.removeprefix(self._tree).strip("/") if self._tree else place
        return inside.split("/") if inside else []

    def pointer(self, entry: Entry) -> dict[str, Any]:
        """A tool in one line."""
        assert entry.line is not None  # noqa: S101 - for the type checker: callers have looked
        shown = {
            "tool_id": str(entry.line.ref),
            "path": self.path(entry.place),
            "summary": entry.line.summary,
            "tags": list(entry.tags),
        }
        return shown | self._confidence(entry)

    def node(self, entry: Entry, *, bare: bool = False) -> Any:
        """An area, or its name."""
        node = entry.node
        assert node is not None  # noqa: S101 - as above
        if bare:
            return node.name
        shown = {"name": node.name, "path": self.path(entry.place), "summary": node.summary or node.title}
        return shown | {"tags": list(entry.tags), "tool_count": node.tools} | self._confidence(entry)

    def found_node(self, entry: Entry) -> dict[str, Any]:
        """An area that a search found."""
        shown: dict[str, Any] = self.node(entry)
        return {name: shown[name] for name in ("path", "summary", "confidence", "tool_count")}

    def listing(self, page: Page, *, bare: bool) -> dict[str, Any]:
        """A place of the tree."""
        return {
            "path": self.path(page.node.path),
            "nodes": [self.node(entry, bare=bare) for entry in page.entries if entry.node],
            "tools": [self.pointer(entry) for entry in page.entries if entry.line],
            "next_cursor": page.next_cursor,
            "total": page.total,
        }

    def expansion(self, tool: Tool, *, asks: bool) -> dict[str, Any]:
        """A tool whole; the same bytes each time, so the token comes later (E-30)."""
        places = [place_of(tool.source, path) for path in tool.paths or ("",)]
        paths = [self.path(place) for place in places if self._is_here(place)] or [self.path(places[0])]
        annotations: dict[str, Any] = {"idempotent": tool.idempotent, "deprecated": bool(tool.deprecated)}
        if isinstance(tool.deprecated, str):
            annotations["deprecation"] = tool.deprecated
        shown = {
            "tool_id": str(tool.ref),
            "path": paths[0],
            "paths": paths,
            "summary": tool.summary,
            "description": tool.description,
            "args_schema": tool.args_schema,
            "result_schema": tool.result_schema,
            "annotations": annotations,
            "side_effects": tool.effect.word,
            "cost": _cost(tool),
            "requires_approval": asks,
            "version": tool.version,
            "schema_hash": f"sha256:{tool.schema_hash}",
        }
        if tool.examples:
            shown["examples"] = [msgspec.to_builtins(example) for example in tool.examples]
        return shown | {"estimated_tokens": -(-len(_encode(shown)) // _BYTES_OF_A_TOKEN)}

    def _is_here(self, place: str) -> bool:
        return place.startswith(self._tree) if self._tree else not place.startswith("~")

    def _confidence(self, entry: Entry) -> dict[str, float]:
        return {} if entry.chance is None else {"confidence": entry.chance}


def _cost(tool: Tool) -> float:
    said = tool.metadata.get("cost")
    return float(said) if isinstance(said, int | float) and not isinstance(said, bool) else 0.0
