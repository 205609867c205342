"""Time that stands still until a test moves it, and randomness that repeats."""

from __future__ import annotations

import hashlib


class SettableClock:
    """A `Clock` whose hands a test holds. Tokens are all different, and the same in every run."""

    def __init__(self, at: float = 1_900_000_000.0) -> None:
        self.at = at
        self._tokens = 0

    def now(self) -> float:
        return self.at

    def advance(self, seconds: float) -> None:
        self.at += seconds

    def token(self, size: int) -> bytes:
        self._tokens += 1
        return hashlib.shake_256(str(self._tokens).encode()).digest(size)
