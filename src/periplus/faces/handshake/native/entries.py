"""Landmarks as the JSON manifest has them: areas, and actions with every parameter (H-72, H-73)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from periplus.core.intake.texts import clean
from periplus.core.verbs.surveying import Seen
from periplus.faces.handshake.native.parameters import listed_parameters
from periplus.faces.handshake.sites import Site
from periplus.faces.handshake.topology import summary_of
from periplus.faces.handshake.types import Types
from periplus.model import Effect, Node, Verdict

_METHODS = {Effect.READ: "GET", Effect.WRITE: "POST", Effect.DESTROY: "DELETE"}


def area_entry(site: Site, node: Node, children: int) -> dict[str, Any]:
    """An area, with how many landmarks lie directly below it."""
    return {
        "id": site.area_id(node),
        "type": "navigation",
        "description": summary_of(site, node) or node.name,
        "parameters": [],
        "aliases": [],
        "is_tool": False,
        "child_count": children,
        "is_truncated": False,
        "meta": {"ref": node.path, "tools": node.tools, "areas": node.areas},
    }


def action_entry(site: Site, seen: Seen) -> dict[str, Any]:
    """An action; of one whose signature its asker may not read, only that it is there."""
    tool = seen.tool
    hidden = seen.describe.verdict is Verdict.DENY
    return {
        "id": site.id_of(tool.ref),
        "type": "action",
        "description": clean(tool.description or tool.summary or tool.title) or tool.ref.leaf,
        "parameters": [] if hidden else listed_parameters(tool.args_schema),
        "returns": "any" if hidden else _returns(tool.result_schema),
        "outputSchema": None if hidden else tool.result_schema,
        "remedy": _text(tool.metadata, "remedy"),
        "instructions": _text(tool.metadata, "instructions"),
        "aliases": [],
        "is_tool": True,
        "meta": {
            "ref": str(tool.ref),
            "effect": tool.effect.word,
            "method": _METHODS[tool.effect],
            "requires_approval": seen.call.verdict is Verdict.ASK or tool.requires_approval,
        },
    }


def _returns(schema: Mapping[str, Any] | None) -> str:
    return "any" if schema is None else Types(dict(schema.get("$defs", {}))).of(schema)


def _text(metadata: Mapping[str, Any], name: str) -> str:
    value = metadata.get(name)
    return clean(value) if isinstance(value, str) else ""
