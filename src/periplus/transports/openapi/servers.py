"""Which server a call goes to, as an origin and the path before the template (S-51)."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final, NamedTuple
from urllib.parse import quote, urlsplit

from periplus.model import Code, Problem
from periplus.ports import Site

_SAFE: Final = "/:@!$&'()*+,;=~%-._"


class Server(NamedTuple):
    """Where requests go: `https://api.example.com:8443` and `/v1`."""

    origin: str
    path: str


def server(binding: dict[str, Any], site: Site) -> Server:
    """The operation's own server, else the source's; `base_url` stands above both."""
    spec = site.spec
    if spec.base_url:
        return _parted(spec.base_url)
    chosen = binding.get("site", site.site)
    base = chosen.get("base", "")
    if not base:
        missing = chosen.get("missing") or f"[sources.{spec.id}] base_url"
        raise Problem(Code.NOT_CALLABLE, f"no server to call: {missing}", hints=(f"set {missing.partition(' (')[0]}",))
    return _parted(base)


@lru_cache(maxsize=1024)
def _parted(url: str) -> Server:
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port, parts = None, None, urlsplit("")
    if not host or parts.scheme not in {"http", "https"} or "@" in parts.netloc:
        raise Problem(Code.NOT_CALLABLE, f"not a server that can be called: {url!r}", hints=("set base_url",))
    shown = f"[{host}]" if ":" in host else host
    origin = f"{parts.scheme}://{shown}" + (f":{port}" if port else "")
    return Server(origin, quote(parts.path.rstrip("/"), safe=_SAFE))
