"""A URL taken apart once, so that what is judged, what is connected to and what is sent are the same."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from urllib.parse import quote, urljoin

import msgspec

from periplus.model import Code, Problem
from periplus.net.addresses import Address, address_of

DEFAULT_PORTS = {"http": 80, "https": 443}

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.\-]+):")  # one letter is a drive
_URL = re.compile(r"(?P<scheme>[^:]+)://(?P<authority>[^/?#\\]*)(?P<path>[^?#]*)(?P<query>\?[^#]*)?(#.*)?", re.DOTALL)
_AUTHORITY = re.compile(r"(?:\[(?P<v6>[^\[\]]*)\]|(?P<host>[^:\[\]]*))(?::(?P<port>[0-9]*))?")
_HOST = re.compile(r"[a-z0-9_]([a-z0-9_\-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_\-]*[a-z0-9_])?)*")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_DOTS = re.compile("[\u3002\uff61]")  # full stops of other scripts, which resolvers read as "."
_LONGEST = 65_000
_AS_IT_IS = "!#$%&'()*+,-./:;=?@[]_~"


class Target(msgspec.Struct, frozen=True, kw_only=True):
    """Where one request goes. `host` is an ASCII name or the plain form of `address`, never another spelling."""

    scheme: str
    host: str
    port: int
    path: str  # with the query, as it is sent
    address: Address | None = None

    @property
    def place(self) -> str:
        """`host:port`, the way `[fetch] allow` writes it."""
        return place(self.host, self.port)

    @property
    def origin(self) -> str:
        host = bracketed(self.host)
        return f"{self.scheme}://{host}" + ("" if DEFAULT_PORTS[self.scheme] == self.port else f":{self.port}")

    @property
    def url(self) -> str:
        return self.origin + self.path

    @property
    def shown(self) -> str:
        """The URL for a reader: a query may hold a secret, so that there is one is all it says."""
        path, mark, _ = self.path.partition("?")
        return self.origin + path + ("?..." if mark else "")


def bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def place(host: str, port: int) -> str:
    return f"{bracketed(host)}:{port}"


def scheme_of(text: str) -> str:
    """The scheme a location starts with, in lower case; empty for a bare path."""
    found = _SCHEME.match(text.strip())
    return found[1].lower() if found else ""


def parse_target(text: str) -> Target:
    """Read an http or https URL, refusing what two parsers could read differently."""
    text = text.strip()
    found = _URL.fullmatch(text)
    scheme = scheme_of(text)
    if scheme not in DEFAULT_PORTS:
        raise Problem(
            Code.REFUSED_ADDRESS,
            f"the scheme {scheme or 'missing'!r} is not one that is fetched: {_start(text)!r}",
            hints=("use http or https",),
        )
    if found is None or len(text) > _LONGEST or _CONTROL.search(text) or "\\" in text.partition("?")[0]:
        raise Problem(Code.BAD_INPUT, f"not a URL: {_start(text)!r}")
    authority = found["authority"]
    if "@" in authority:
        raise Problem(
            Code.REFUSED_ADDRESS,
            f"a URL with a user name or password is refused: {scheme}://...@{authority.rpartition('@')[2]}",
            hints=("give the credential as a header or under [[credentials]]",),
        )
    host, port, address = _place_of(authority, scheme)
    # What may stand in a path or query is left byte for byte; spaces, quotes and other scripts are encoded.
    path = quote((found["path"] or "/") + (found["query"] or ""), safe=_AS_IT_IS)
    return Target(scheme=scheme, host=host, port=port, path=path, address=address)


@lru_cache(maxsize=1024)
def _place_of(authority: str, scheme: str) -> tuple[str, int, Address | None]:
    """A place is asked often: one that is written the same is the same."""
    parts = _AUTHORITY.fullmatch(authority)
    if parts is None or not (parts["v6"] or parts["host"]):
        raise Problem(Code.BAD_INPUT, f"not a host and port: {authority[:80]!r}")
    host, address = parse_host(parts["v6"] or parts["host"])
    return host, port_of(parts["port"], DEFAULT_PORTS[scheme]), address


def parse_host(text: str) -> tuple[str, Address | None]:
    """The one spelling of a host, and its address where it is one."""
    host = unicodedata.normalize("NFKC", text[:1000]).lower()
    if not host.isascii():
        host = _DOTS.sub(".", host)
    if not host.isascii():
        host = _idna(host)
    address = address_of(host)
    if address is not None:
        return str(address), address
    name = host.removesuffix(".")
    if len(name) > 253 or not _HOST.fullmatch(name):
        raise Problem(Code.BAD_INPUT, f"not a host name: {text[:80]!r}")
    return name, None


def join(target: Target, location: str) -> Target:
    """Where a redirect leads."""
    return parse_target(urljoin(target.url, location.strip()))


def _idna(host: str) -> str:
    import idna  # noqa: PLC0415 - 10 ms of tables for the few hosts that are not ASCII

    try:
        return idna.encode(host, uts46=True).decode("ascii").lower()
    except idna.IDNAError as error:
        raise Problem(Code.BAD_INPUT, f"not a host name: {host[:80]!r}") from error


def port_of(text: str | None, default: int) -> int:
    if not text:
        return default
    if len(text) > 5 or not 0 < int(text) < 65536:
        raise Problem(Code.BAD_INPUT, f"not a port: {text[:20]!r}")
    return int(text)


def _start(text: str) -> str:
    """The beginning of something that is no URL, without what may be a password or a query."""
    return re.sub(r"//[^/]*@", "//...@", text.partition("?")[0])[:80]
