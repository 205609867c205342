"""A request as the HTTP library takes it: what was asked for, and what it was given on the way out."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qsl, quote

import httpx2
import msgspec

from periplus.net.credentials import Credentials
from periplus.net.decoding import ACCEPTED
from periplus.net.redirects import Hop
from periplus.net.urls import Target

# These say how this connection carries the request, which is not for a description to decide.
FRAMING = frozenset(
    {"accept-encoding", "connection", "content-length", "keep-alive", "te", "transfer-encoding", "upgrade"}
)


def outgoing(hop: Hop, given: Credentials, connect_seconds: float, **extensions: Any) -> httpx2.Request:
    """One hop with its credentials in it."""
    target = with_query(hop.target, given.query)
    fixed = {name.lower(): value for name, value in given.headers.items() if name.lower() not in FRAMING}
    headers = {"host": _host(target), "accept-encoding": ACCEPTED} | hop.headers | fixed
    if given.cookies:
        named = [f"{name}={value}" for name, value in given.cookies.items()]
        headers["cookie"] = "; ".join([*filter(None, [headers.get("cookie")]), *named])
    if hop.body or hop.method in ("POST", "PUT", "PATCH"):
        headers["content-length"] = str(len(hop.body))
    return httpx2.Request(
        hop.method,
        target.url,
        headers=[(name.encode("ascii"), value.encode("latin-1")) for name, value in headers.items()],
        content=hop.body,
        # The library would write some characters of a path its own way; what was judged is what is sent.
        extensions={"target": target.path.encode("ascii"), "timeout": {"connect": connect_seconds}, **extensions},
    )


def with_query(target: Target, query: dict[str, str]) -> Target:
    """The target with fixed query members, where it does not have them already."""
    if not query:
        return target
    path, _, text = target.path.partition("?")
    present = {name for name, _ in parse_qsl(text, keep_blank_values=True)}
    added = [f"{quote(name, safe='')}={quote(value, safe='')}" for name, value in query.items() if name not in present]
    members = "&".join(filter(None, [text, *added]))
    return msgspec.structs.replace(target, path=f"{path}?{members}" if members else path)


def without_query(target: Target, query: dict[str, str]) -> Target:
    """The target as it may be stored: a server that echoes fixed members in a redirect must not get them in."""
    path, mark, text = target.path.partition("?")
    if not query or not mark:
        return target
    kept = [member for member in text.split("&") if dict(parse_qsl(member)).items().isdisjoint(query.items())]
    return msgspec.structs.replace(target, path=f"{path}?{'&'.join(kept)}" if kept else path)


def _host(target: Target) -> str:
    return target.origin.partition("://")[2]
