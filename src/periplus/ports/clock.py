"""Time and randomness."""

from __future__ import annotations

from typing import Protocol


class Clock(Protocol):
    """Time and randomness, so that logic stays a function of its inputs."""

    def now(self) -> float:
        """Seconds since the epoch."""
        ...

    def token(self, size: int) -> bytes:
        """That many unpredictable bytes."""
        ...
