"""Native sites: an API that describes itself by landmarks, areas and the actions in them."""

from periplus.sources.native.adapter import NativeSource

ADAPTER = NativeSource

__all__ = ["ADAPTER", "NativeSource"]
