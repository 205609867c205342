"""Where calls go: the chosen server with its variables filled, as an absolute URL (S-51)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urljoin, urlsplit

import msgspec

from periplus.model import FindingCode, Severity, SourceSpec
from periplus.sources.openapi.operations import Place
from periplus.sources.openapi.references import Library
from periplus.sources.openapi.report import Report

_VARIABLE = re.compile(r"\{([^{}]+)\}")
_HOST = re.compile(r"[A-Za-z0-9._~!$&'()*+,;=:\[\]%-]+")


class Site(msgspec.Struct, frozen=True, kw_only=True):
    """One place to send to. Without `base` no call can be made, and `missing` says what would allow it."""

    base: str = ""
    missing: str = ""

    def to_json(self) -> dict[str, str]:
        return {"base": self.base} if self.base else {"base": "", "missing": self.missing}


class Servers:
    """The servers of one document as its operator wants them chosen."""

    def __init__(self, spec: SourceSpec, library: Library, report: Report, *, swagger: bool) -> None:
        self._spec = spec
        self._library = library
        self._retrieved = library.root.url
        self._swagger = swagger
        self._report = report
        self._memo: dict[bytes, Site] = {}

    def of_root(self, root: Mapping[str, Any]) -> Site:
        """What all operations share that declare no servers of their own."""
        if self._spec.base_url:
            return Site(base=_without_slash(self._spec.base_url))
        servers = _swagger_servers(root, self._retrieved) if self._swagger else declared(root)
        servers = servers or [{"url": "/"}]
        wanted = self._spec.server
        if wanted is not None and _chosen(servers, wanted) is None:
            self._report.add(
                Severity.ERROR,
                FindingCode.NO_SERVER,
                "/servers",
                f"server = {wanted!r} names none of {[_url(server) for server in servers]}; the first is used",
                fix=f"[sources.{self._spec.id}] server = an index, url or name of that list",
            )
        return self._site(servers, "/servers", self._retrieved)

    def of_part(self, owner: Mapping[str, Any], place: Place) -> Site | None:
        """What a path item or operation declares for itself, if it does."""
        servers = [] if self._spec.base_url or self._swagger else declared(owner)
        if not servers:
            return None
        retrieved = self._library.book(place.base).url
        key = msgspec.json.encode((servers, retrieved))
        if key not in self._memo:
            self._memo[key] = self._site(servers, place.below("servers").where, retrieved)
        return self._memo[key]

    def _site(self, servers: list[dict[str, Any]], where: str, retrieved: str) -> Site:
        server = _chosen(servers, self._spec.server) or servers[0]
        template = _url(server)
        declarations = server.get("variables")
        declarations = declarations if isinstance(declarations, dict) else {}
        filled = template
        for name in dict.fromkeys(_VARIABLE.findall(template)):
            value, fault = self._value(name, declarations.get(name))
            if fault:
                setting = f"[sources.{self._spec.id}.server_variables] {name}"
                self._report.add(
                    Severity.ERROR,
                    FindingCode.SERVER_VARIABLE_UNSET,
                    where,
                    f"server {template!r}: {fault}; its tools cannot be called",
                    fix=f'set {setting} = "..." or base_url',
                )
                return Site(missing=f"{setting} ({fault})")
            filled = filled.replace(f"{{{name}}}", value)
        return self._absolute(filled, where, retrieved)

    def _value(self, name: str, declaration: object) -> tuple[str, str]:
        """The value of a server variable, or why it has none."""
        declaration = declaration if isinstance(declaration, dict) else {}
        legal = declaration.get("enum")
        legal = [str(item) for item in legal] if isinstance(legal, list) else []
        if name in self._spec.server_variables:
            value = self._spec.server_variables[name]
            if legal and value not in legal:
                return "", f"variable {name!r} is set to {value!r}, which is none of {', '.join(legal)}"
            return value, ""
        default = declaration.get("default")
        if isinstance(default, str | int | float) and not isinstance(default, bool):
            return str(default), ""
        return "", f"variable {name!r} has neither a default nor a setting"

    def _absolute(self, url: str, where: str, retrieved: str) -> Site:
        base = _callable(_beside(retrieved, url))
        if base:
            return Site(base=base)
        setting = f"[sources.{self._spec.id}] base_url"
        self._report.add(
            Severity.ERROR,
            FindingCode.NO_SERVER,
            where,
            f"the document names no server that can be called: {url!r}",
            fix=f'set {setting} = "https://..."',
        )
        return Site(missing=f"{setting} (the document names no server that can be called: {url!r})")


def _beside(retrieved: str, url: str) -> str:
    """A server's URL beside the document; one beside a file has no address."""
    try:
        return urljoin(retrieved, url) if _is_http(retrieved) and not urlsplit(url).scheme else url
    except ValueError:
        return url


def _callable(url: str) -> str:
    """The URL if requests can be sent there, without its end."""
    try:
        parts = urlsplit(url)
        good = parts.scheme in {"http", "https"} and parts.hostname and (parts.port or True)
    except ValueError:
        return ""
    if not good or "@" in parts.netloc:
        return ""
    return _without_slash(parts._replace(query="", fragment="").geturl())


def declared(owner: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The server objects of a root, path item or operation; one written alone or as a text counts too."""
    servers = owner.get("servers")
    if isinstance(servers, dict | str):
        servers = [servers]
    found = [{"url": server} if isinstance(server, str) else server for server in _items(servers)]
    return [server for server in found if isinstance(server, dict) and isinstance(server.get("url", "/"), str)]


def _items(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _chosen(servers: list[dict[str, Any]], wanted: int | str | None) -> dict[str, Any] | None:
    if wanted is None:
        return servers[0]
    if isinstance(wanted, int):
        return servers[wanted] if 0 <= wanted < len(servers) else None
    wanted = wanted.rstrip("/")
    return next((server for server in servers if wanted in {_url(server).rstrip("/"), server.get("name")}), None)


def _swagger_servers(root: Mapping[str, Any], retrieved: str) -> list[dict[str, Any]]:
    """2.0: host, basePath and schemes, https preferred, each defaulting to the document's own."""
    own = urlsplit(retrieved) if _is_http(retrieved) else urlsplit("")
    host, path = root.get("host"), root.get("basePath")
    host = host.strip() if isinstance(host, str) and host.strip() else own.netloc
    path = path.strip() if isinstance(path, str) and path.strip() else "/"
    schemes = [item.lower() for item in _items(root.get("schemes")) if isinstance(item, str)]
    schemes = [item for item in schemes if item in {"http", "https"}]
    scheme = "https" if "https" in schemes else next(iter(schemes), own.scheme.lower() or "https")
    if "://" in host:  # people write the whole URL there
        scheme, _, host = host.partition("://")
    first, slash, rest = host.partition("/")
    if not first or not _HOST.fullmatch(first):
        return [{"url": path}]
    return [{"url": f"{scheme}://{first}{slash}{rest}".rstrip("/") + "/" + path.lstrip("/")}]


def _url(server: Mapping[str, Any]) -> str:
    url = server.get("url", "/")
    return url.strip() if isinstance(url, str) else "/"


def _is_http(url: str) -> bool:
    return url[:8].lower().startswith(("http://", "https://"))


def _without_slash(url: str) -> str:
    return url.rstrip("/")
