"""MCP servers: what a server lists becomes tools, and its resources and prompts too where they are exposed."""

from periplus.sources.mcp.adapter import McpSource
from periplus.sources.mcp.config import GROUPS, servers

ADAPTER = McpSource

__all__ = ["ADAPTER", "GROUPS", "McpSource", "servers"]
