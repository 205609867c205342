"""Calls of what MCP servers list: tools, and the resources and prompts that are exposed as tools."""

from periplus.transports.mcp.transport import McpTransport

ADAPTER = McpTransport

__all__ = ["ADAPTER", "McpTransport"]
