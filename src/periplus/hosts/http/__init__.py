"""HTTP: every operation of every face, the MCP endpoints, JSON-RPC, health and the OpenAPI document, in one app."""

from periplus.hosts.http.app import Faces, HttpParts, application

__all__ = ["Faces", "HttpParts", "application"]
