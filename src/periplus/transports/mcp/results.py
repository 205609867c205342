"""What a server gives as a value, with its pictures, sounds, files and links beside it (S-96)."""

from __future__ import annotations

from typing import Any

import msgspec

from periplus.model import Answer, Code, Problem, Tool
from periplus.transports.mcp.blocks import Blocks

_OWN = "io.modelcontextprotocol/"
_MESSAGE, _BODY = 500, 2_000


def tool_answer(result: dict[str, Any], tool: Tool, limit: int) -> Answer:
    """`structuredContent`, else what the blocks of content say. An error in a result is the server's refusal."""
    size = _size(result, limit)
    blocks = Blocks(result.get("content"))
    structured = result.get("structuredContent")
    if result.get("isError") is True:
        raise _failure(blocks, structured, tool)
    notes: tuple[str, ...] = ()
    if structured is not None:
        value, content = structured, (*blocks.beside(structured), *blocks.media)
    else:
        value, notes = blocks.value(is_text=_wants_text(tool))
        content = blocks.media
    return Answer(
        value=value,
        meta=_meta(result, size),
        notes=(*notes, *blocks.notes),
        content=content,
        files=blocks.files,
    )


def resource_answer(result: dict[str, Any], tool: Tool, limit: int) -> Answer:  # noqa: ARG001 - as its neighbours
    """What stands in a resource; several parts are a list."""
    size = _size(result, limit)
    contents = result.get("contents")
    blocks = Blocks([{"type": "resource", "resource": each} for each in contents] if isinstance(contents, list) else [])
    value, notes = blocks.contents()
    return Answer(value=value, meta=_meta(result, size), notes=(*notes, *blocks.notes), files=blocks.files)


def prompt_answer(result: dict[str, Any], tool: Tool, limit: int) -> Answer:  # noqa: ARG001 - as its neighbours
    """The messages of a prompt, as the server prepared them."""
    size = _size(result, limit)
    value = {name: result[name] for name in ("description", "messages") if result.get(name) is not None}
    return Answer(value=value, meta=_meta(result, size))


def _failure(blocks: Blocks, structured: Any, tool: Tool) -> Problem:
    said = " ".join(" ".join(blocks.texts).split())
    if not said and structured is not None:
        said = msgspec.json.encode(structured).decode()
    name = tool.binding.get("name", tool.key)
    details = {"body": ("\n".join(blocks.texts) or said)[:_BODY]}
    return Problem(Code.UPSTREAM_ERROR, f"{name} failed: {said[:_MESSAGE] or 'no reason given'}", details=details)


def _size(result: dict[str, Any], limit: int) -> int:
    size = len(msgspec.json.encode(result))
    if size > limit:
        raise Problem(
            Code.TOO_LARGE,
            f"the server gave {size:,} bytes; the limit is {limit:,} (response_bytes)",
            hints=("ask for less, if the tool has an argument for it", "raise [limits] response_bytes"),
        )
    return size


def _meta(result: dict[str, Any], size: int) -> dict[str, Any]:
    """How much came, and what the server put beside its result; not what the protocol itself puts there."""
    meta: dict[str, Any] = {"bytes": size}
    beside = result.get("_meta")
    if isinstance(beside, dict) and (own := {name: beside[name] for name in beside if not name.startswith(_OWN)}):
        meta["_meta"] = own
    return meta


def _wants_text(tool: Tool) -> bool:
    """Whether text is what the tool declares, so that digits in it are no number."""
    return (tool.result_schema or {}).get("type") == "string"
