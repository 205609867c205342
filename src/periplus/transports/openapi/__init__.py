"""Calls of OpenAPI operations: a binding and arguments become an HTTP request."""

from periplus.transports.openapi.transport import OpenAPITransport

ADAPTER = OpenAPITransport

__all__ = ["ADAPTER", "OpenAPITransport"]
