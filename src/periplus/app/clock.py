"""The real time and the real randomness, in the only place that reads them."""

from __future__ import annotations

import secrets
import time


class SystemClock:
    """The clock of a running gateway."""

    def now(self) -> float:
        return time.time()

    def token(self, size: int) -> bytes:
        return secrets.token_bytes(size)
