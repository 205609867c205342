"""The times and sizes of links, in one value, so that a test can make them short."""

from __future__ import annotations

import msgspec


class Timing(msgspec.Struct, frozen=True, kw_only=True):
    """Seconds and bytes that hold for every server."""

    start_seconds: float = 20.0  # from starting a server to its first sensible answer (S-91)
    probe_seconds: float = 5.0  # how long `server/discover` may stay unanswered before `initialize` is tried
    request_seconds: float = 60.0  # one request, where neither caller nor source says otherwise
    list_seconds: float = 600.0  # a whole listing (S-6)
    polite_seconds: float = 2.0  # for a server to leave by itself once its input is closed
    grace_seconds: float = 2.0  # between asking its group to end and ending it
    retry_first_seconds: float = 1.0
    retry_most_seconds: float = 60.0
    fresh_least_seconds: float = 60.0  # a list is not read again sooner, however short-lived it says it is
    message_bytes: int = 128 << 20  # one message
    requests: int = 32  # at once, per server
    pages: int = 10_000  # of one list
    items: int = 250_000  # of one list

    def retry_after(self, failures: int) -> float:
        """How long to leave a server alone after that many failures in a row (S-92)."""
        if failures <= 0:
            return 0.0
        # The exponent is bounded before the result is: a float overflows at 2**1024.
        return min(self.retry_first_seconds * 2.0 ** min(failures - 1, 60), self.retry_most_seconds)
