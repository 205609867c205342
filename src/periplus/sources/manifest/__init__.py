"""Tool manifests: a service that publishes its tools as one HTTP document, in either of its dialects."""

from periplus.sources.manifest.adapter import ManifestSource

ADAPTER = ManifestSource

__all__ = ["ADAPTER", "ManifestSource"]
