"""Calls of actions of native sites: one address for all, with the action and its parameters in the body."""

from periplus.transports.native.transport import NativeTransport

ADAPTER = NativeTransport

__all__ = ["ADAPTER", "NativeTransport"]
