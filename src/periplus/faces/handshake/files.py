"""Files of a result, as blocks beside its text; their bytes are never in it (H-62)."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from typing import Any

from periplus.faces.handshake.turn import Turn
from periplus.model import Problem, Result

_MOST, _LARGEST = 8, 4 << 20


async def blocks_of(turn: Turn, result: Result) -> tuple[dict[str, Any], ...]:
    """Content that came with the result, pictures and sounds among it, then the files that its value names."""
    blocks = list(result.content)
    there = {block["data"] for block in blocks if isinstance(block.get("data"), str)}
    for said in list(_files(result.value))[:_MOST]:
        handle, size = said.get("cache_ref"), said.get("bytes")
        if not isinstance(handle, str) or not isinstance(size, int) or size > _LARGEST:
            continue
        try:
            data, _ = await turn.gateway.file(handle, principal=turn.principal)
        except Problem:
            continue  # it is named in the text, and can be asked for there
        block = _block(handle, str(said.get("media_type") or "application/octet-stream"), data)
        if block.get("data") not in there:
            blocks.append(block)
    return tuple(blocks)


def _files(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, list):
        for item in value:
            yield from _files(item)
    elif isinstance(value, dict):
        said = value.get("$file")
        if isinstance(said, dict):
            yield said
        for name, item in value.items():
            if name != "$file":
                yield from _files(item)


def _block(handle: str, media: str, data: bytes) -> dict[str, Any]:
    text = base64.b64encode(data).decode()
    kind = media.partition("/")[0]
    if kind in ("image", "audio"):
        return {"type": kind, "data": text, "mimeType": media}
    return {"type": "resource", "resource": {"uri": f"periplus:{handle}", "mimeType": media, "blob": text}}
