"""What is told of an answer beside its value (S-73, S-76)."""

from __future__ import annotations

from typing import Any
from urllib.parse import urljoin

from periplus.answers.received import Asked, Received

_TOLD = frozenset({"location", "etag", "link", "retry-after", "x-total-count"})
_TOLD_FAMILIES = ("ratelimit", "x-ratelimit-")
_NEVER = frozenset(
    {
        *("set-cookie", "set-cookie2", "cookie", "authorization", "proxy-authorization", "www-authenticate"),
        *("proxy-authenticate", "authentication-info", "proxy-authentication-info"),
    }
)
_POLLS = ("operation-location", "azure-asyncoperation", "location")
_ACCEPTED = 202


def meta_of(received: Received, asked: Asked) -> dict[str, Any]:
    """Status, media type, size, the headers worth telling, and where to ask for a result that is not ready."""
    meta: dict[str, Any] = {"http_status": received.status}
    if received.media.type:
        meta["media_type"] = received.media.type
    meta["bytes"] = len(received.body)
    headers = told_headers(received, asked)
    if headers:
        meta["headers"] = headers
    poll = _poll(received, asked)
    return meta | ({"poll": poll} if poll else {})


def told_headers(received: Received, asked: Asked) -> dict[str, str]:
    """Declared headers and those everybody wants; never what sets a cookie or says who asks."""
    told: dict[str, str] = {}
    for name, text in received.headers:
        wanted = name in _TOLD or name in asked.headers or name.startswith(_TOLD_FAMILIES)
        if wanted and name not in _NEVER:
            shown = received.redact(text)
            told[name] = f"{told[name]}, {shown}" if name in told else shown
    return told


def _poll(received: Received, asked: Asked) -> dict[str, str]:
    """Where a 202 says its result will be: the header its description declares, else the usual ones."""
    if received.status != _ACCEPTED:
        return {}
    place = next(filter(None, map(received.header, (asked.poll, *_POLLS))), "")
    return {"method": "GET", "url": received.redact(urljoin(received.url, place))} if place else {}
