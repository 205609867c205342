"""The guarded way out, as the settings want it."""

from __future__ import annotations

from importlib.metadata import version

from periplus.net import Fetcher, FetchLimits, FetchPolicy
from periplus.settings import Settings


def fetcher(settings: Settings, *, exposed: bool) -> Fetcher:
    """A way out for one gateway; `exposed`: other machines reach it, so that loopback is not everybody's to name."""
    asked = settings.fetch
    policy = FetchPolicy(
        allow=asked.allow,
        deny=asked.deny,
        ref_hosts=asked.ref_hosts,
        file_roots=asked.file_roots,
        proxy=asked.proxy,
        ca=asked.ca,
        timeout_seconds=asked.timeout_seconds,
        loopback_allowed=not exposed,  # a gateway that serves nobody beyond this machine may go where its user may
    )
    limits = FetchLimits(document_bytes=settings.limits.document_bytes)
    return Fetcher(policy, limits, user_agent=f"periplus/{version('periplus')}")
