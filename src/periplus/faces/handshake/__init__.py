"""The face `handshake`: The Discovery Protocol."""

from periplus.faces.handshake.face import Handshake

ADAPTER = Handshake

__all__ = ["ADAPTER", "Handshake"]
