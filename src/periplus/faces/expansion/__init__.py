"""Tool Discovery & Expansion: pointers first, a schema only when exactly that tool is asked for, then the call."""

from periplus.faces.expansion.face import Expansion

ADAPTER = Expansion

__all__ = ["ADAPTER", "Expansion"]
