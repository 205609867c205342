"""What may stand in an argument that somebody is typing: asked of the server that has it, else read from its schema."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from periplus.core.calls.checking import site_of
from periplus.model import Code, Principal, Problem, SourceRecord, Tool
from periplus.ports import Calling, CallWires, McpRequest

_MOST = 100  # what the protocol allows in one answer
_SECONDS = 10.0
_METHOD = "completion/complete"
_REFERENCES = {"prompts/get": ("ref/prompt", "name"), "resources/read": ("ref/resource", "uri")}


class Completion(msgspec.Struct, frozen=True, kw_only=True):
    """Values that fit what was typed, and whether there are more."""

    values: tuple[str, ...] = ()
    total: int | None = None
    has_more: bool = False


async def complete(
    wires: CallWires, tool: Tool, sources: Sequence[SourceRecord], asked: Mapping[str, Any], principal: Principal
) -> Completion:
    """`asked` is the argument's name and value and the other arguments, as MCP has them."""
    reference = _REFERENCES.get(str(tool.binding.get("method")))
    if reference is None:
        return _listed(tool, asked["argument"])
    kind, member = reference
    named = tool.binding.get("uriTemplate") or tool.binding.get("name") or tool.binding.get("uri")
    request = McpRequest(method=_METHOD, params={"ref": {"type": kind, member: named}, **asked})
    try:
        result = await wires.mcp.call(request, site_of(tool, sources), Calling(principal=principal, timeout_s=_SECONDS))
    except Problem as problem:
        if problem.code is Code.UNSUPPORTED:  # a server need not know any
            return Completion()
        raise
    return _read(result.get("completion"))


def _listed(tool: Tool, argument: Mapping[str, Any]) -> Completion:
    schema = tool.args_schema.get("properties", {}).get(argument.get("name"), {})
    values = schema.get("enum", ()) if isinstance(schema, dict) else ()
    fit = [text for text in map(str, values) if text.startswith(str(argument.get("value", "")))]
    return Completion(values=tuple(fit[:_MOST]), total=len(fit), has_more=len(fit) > _MOST)


def _read(said: Any) -> Completion:
    if not isinstance(said, dict) or not isinstance(said.get("values"), list):
        return Completion()
    total = said.get("total")
    return Completion(
        values=tuple(map(str, said["values"][:_MOST])),
        total=total if isinstance(total, int) else None,
        has_more=said.get("hasMore") is True,
    )
