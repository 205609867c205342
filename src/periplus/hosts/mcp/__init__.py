"""MCP: any face as a server, over stdio and streamable HTTP, for every protocol revision from 2024-11-05 on."""

from periplus.hosts.mcp.server import McpHost

__all__ = ["McpHost"]
