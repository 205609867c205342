"""The gateway as a native site: what other gateways of this protocol connect to (H-72 to H-75)."""

from periplus.faces.handshake.native.routes import native_routes

__all__ = ["native_routes"]
