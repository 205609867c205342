"""Sessions with upstream MCP servers, pooled: the port `McpLinks`."""

from periplus.net.mcp.calls import McpCalls
from periplus.net.mcp.notices import CHANGES
from periplus.net.mcp.pool import Learn, McpPool, OnNotice, Transports, unheard
from periplus.net.mcp.timing import Timing

__all__ = ["CHANGES", "Learn", "McpCalls", "McpPool", "OnNotice", "Timing", "Transports", "unheard"]
