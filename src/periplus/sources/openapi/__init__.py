"""OpenAPI 3.0 to 3.2 and Swagger 2.0: documents that describe HTTP operations."""

from periplus.sources.openapi.adapter import OpenAPISource

__all__ = ["OpenAPISource"]
