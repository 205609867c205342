"""The way out for calls, as the settings want it."""

from __future__ import annotations

from pathlib import Path

from periplus.app.logins import SealedLogins
from periplus.core.seal import Seal
from periplus.net import Fetcher, HttpCalls
from periplus.ports import Clock
from periplus.settings import Settings


def http_calls(settings: Settings, fetcher: Fetcher, directory: Path, seal: Seal, clock: Clock) -> HttpCalls:
    """`HttpOut` with the credentials of the settings and the logins of the data directory; close it at the end."""
    logins = SealedLogins(directory, seal, clock)
    return HttpCalls(fetcher, clock, credentials=settings.credentials, logins=logins)
