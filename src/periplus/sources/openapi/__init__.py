"""OpenAPI 3.0 to 3.2 and Swagger 2.0: documents that describe HTTP operations."""

from periplus.sources.openapi.adapter import OpenAPISource

ADAPTER = OpenAPISource

__all__ = ["ADAPTER", "OpenAPISource"]
