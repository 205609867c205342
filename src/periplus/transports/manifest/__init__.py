"""Calls of tools that a service lists in its manifest: one address, and an envelope around every answer."""

from periplus.transports.manifest.transport import ManifestTransport

ADAPTER = ManifestTransport

__all__ = ["ADAPTER", "ManifestTransport"]
