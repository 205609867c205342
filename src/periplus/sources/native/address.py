"""Where a native site answers: one base, three well-known addresses below it."""

from __future__ import annotations

from urllib.parse import urlencode, urlsplit, urlunsplit

import msgspec

MANIFEST = "/.well-known/elemm-manifest.md"
SEARCH = "/.well-known/elemm/search"
EXECUTE = "/.well-known/elemm/execute"
_SPELLINGS = (MANIFEST, "/.well-known/elemm-inspect.md")
_OURS = {"format", "technical", "landmark_id", "full", "limit", "offset", "query", "type"}
_PORTS = {"http": 80, "https": 443}


class Address(msgspec.Struct, frozen=True):
    """A site's base without its last slash, and what its operator wants in every query."""

    base: str
    query: str = ""

    @property
    def manifest(self) -> str:
        return self.base + MANIFEST

    def page(self, path: str, **members: str) -> str:
        """The address of one page; `technical` asks for signatures where a site has no JSON."""
        asked = urlencode({"format": "json", "technical": "true"} | members)
        return f"{self.base}{path}?{self.query}&{asked}" if self.query else f"{self.base}{path}?{asked}"


def address_of(url: str) -> Address:
    """The site a person means by its base, or by the address of its manifest."""
    parts = urlsplit(url)
    path = parts.path.rstrip("/")
    for spelling in _SPELLINGS:
        path = path.removesuffix(spelling)
    kept = [each for each in parts.query.split("&") if each and each.partition("=")[0] not in _OURS]
    return Address(urlunsplit((parts.scheme, parts.netloc, path.rstrip("/"), "", "")), "&".join(kept))


def is_http(url: str) -> bool:
    try:
        return urlsplit(url).scheme.lower() in _PORTS
    except ValueError:
        return False


def origin(url: str) -> tuple[str, str, int | None]:
    """What of an address says who answers there."""
    parts = urlsplit(url)
    scheme = parts.scheme.lower()
    return scheme, (parts.hostname or "").lower(), parts.port or _PORTS.get(scheme)
