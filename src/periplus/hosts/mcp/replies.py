"""A face's reply as an MCP result."""

from __future__ import annotations

from typing import Any

import mcp_types as types
from pydantic import TypeAdapter

from periplus.ports import Reply

_BLOCKS: TypeAdapter[Any] = TypeAdapter(list[types.ContentBlock])


def result_of(reply: Reply) -> types.CallToolResult:
    """Text first, then what else there is to see; the structured form beside it."""
    return types.CallToolResult(
        content=[types.TextContent(text=reply.text), *blocks(reply.content)],
        structured_content=reply.structured,
        is_error=reply.problem is not None,
        _meta=reply.meta or None,
    )


def blocks(content: tuple[dict[str, Any], ...]) -> list[Any]:
    """MCP content as it came on another wire."""
    return _BLOCKS.validate_python(list(content)) if content else []
