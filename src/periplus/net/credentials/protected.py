"""What an MCP server says of itself as a protected resource (RFC 9728, S-98): its name, and who gives tokens for it."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

import msgspec

from periplus.net.urls import Target
from periplus.ports import Fetched

_WELL_KNOWN = "/.well-known/oauth-protected-resource"


class Protected(msgspec.Struct, frozen=True, kw_only=True):
    """A resource, and the first of the servers that give tokens for it."""

    resource: str
    issuer: str


def places(target: Target) -> tuple[str, ...]:
    """Where the metadata of the server at this address may lie: for its path, then for all of its host."""
    path = target.path.partition("?")[0].rstrip("/")
    whole = f"{target.origin}{_WELL_KNOWN}"
    return (f"{whole}{path}", whole) if path else (whole,)


def read(answer: Fetched, target: Target) -> Protected | None:
    """What the metadata says; None where it is none, or of another resource than this address lies in."""
    try:
        said: Any = msgspec.json.decode(answer.body) if answer.status == 200 else None
    except msgspec.DecodeError:
        return None
    servers = said.get("authorization_servers") if isinstance(said, dict) else None
    resource = said.get("resource") if isinstance(said, dict) else None
    if not (isinstance(servers, list) and servers and isinstance(servers[0], str) and isinstance(resource, str)):
        return None
    return Protected(resource=resource, issuer=servers[0]) if _holds(resource, target) else None


def _holds(resource: str, target: Target) -> bool:
    parts = urlsplit(resource)
    inside = f"{target.path.partition('?')[0].rstrip('/')}/".startswith(f"{parts.path.rstrip('/')}/")
    return f"{parts.scheme}://{parts.netloc}".lower() == target.origin and inside
