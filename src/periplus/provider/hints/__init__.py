"""Type hints as JSON Schema 2020-12: what a parameter takes, what a result holds (M-46)."""

from periplus.provider.hints.definitions import Definitions
from periplus.provider.hints.reader import Hints

__all__ = ["Definitions", "Hints"]
