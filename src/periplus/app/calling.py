"""The way out for calls, as the settings want it."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from periplus.app.logins import SealedLogins
from periplus.core.seal import Seal
from periplus.model import Principal, SourceSpec
from periplus.net import Fetcher, HttpCalls
from periplus.net.mcp import Learn
from periplus.ports import Clock
from periplus.settings import Settings

if TYPE_CHECKING:
    import httpx2


def http_calls(settings: Settings, fetcher: Fetcher, directory: Path, seal: Seal, clock: Clock) -> HttpCalls:
    """`HttpOut` with the credentials of the settings and the logins of the data directory; close it at the end.

    The fetcher reads with the same credentials.
    """
    logins = SealedLogins(directory, seal, clock)
    calls = HttpCalls(fetcher, clock, credentials=settings.credentials, logins=logins)
    fetcher.lend = calls.lend
    return calls


def mcp_transport(
    fetcher: Fetcher, calls: HttpCalls, spec: SourceSpec, principal: Principal, learn: Learn
) -> httpx2.AsyncBaseTransport:
    """The connections of an MCP server over HTTP, with the credentials that the principal has for it."""
    from periplus.net.credentialed import CredentialedTransport  # noqa: PLC0415 - see Fetcher.opened

    return CredentialedTransport(fetcher.transport(spec), partial(calls.lend, spec, principal=principal), learn)
