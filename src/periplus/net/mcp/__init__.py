"""Sessions with upstream MCP servers, pooled: the port `McpLinks`."""

from periplus.net.mcp.pool import McpPool, OnNotice, Transports
from periplus.net.mcp.timing import Timing

__all__ = ["McpPool", "OnNotice", "Timing", "Transports"]
