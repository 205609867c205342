"""Where an answer sends a request next, and what it may take along (S-14)."""

from __future__ import annotations

import msgspec

from periplus.model import Code, Problem
from periplus.net.urls import Target, join

STATUSES = frozenset({301, 302, 303, 307, 308})

# What tells another origin nothing about who asks.
_TRAVELS = frozenset({"accept", "accept-language", "content-type", "user-agent", "if-none-match", "if-modified-since"})


class Hop(msgspec.Struct, frozen=True, kw_only=True):
    """One request of a chain; `at_home` until the chain leaves its first origin, and never again after that."""

    target: Target
    method: str
    headers: dict[str, str]  # lower-case names
    body: bytes = b""
    at_home: bool = True


def next_hop(hop: Hop, status: int, location: str) -> Hop:
    """The request a redirect asks for, or a refusal of it."""
    target = join(hop.target, location)
    if hop.target.scheme == "https" and target.scheme == "http":
        raise Problem(
            Code.REFUSED_ADDRESS,
            f"{hop.target.shown} redirects from https to http: {target.shown}",
            hints=("give the http URL itself if it is meant",),
        )
    at_home = hop.at_home and target.origin == hop.target.origin
    headers = hop.headers if at_home else {name: text for name, text in hop.headers.items() if name in _TRAVELS}
    if hop.method in ("GET", "HEAD"):
        return msgspec.structs.replace(hop, target=target, headers=headers, at_home=at_home)
    if status == 303:
        bare = {name: text for name, text in headers.items() if not name.startswith("content-")}
        return Hop(target=target, method="GET", headers=bare, at_home=at_home)
    if status in (307, 308) and target.origin == hop.target.origin:
        return msgspec.structs.replace(hop, target=target, headers=headers, at_home=at_home)
    raise Problem(
        Code.UPSTREAM_ERROR,
        f"{hop.method} {hop.target.shown} answered {status} to {target.shown}; a request with a body is not sent there",
        hints=("give that URL in the source if it is meant",),
    )
