"""Who may call: security schemes in one form, and which of them an operation asks for (S-65)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from periplus.model import FindingCode, Severity
from periplus.sources.openapi.report import Report

Requirement = dict[str, list[str]]  # scheme name -> scopes; all of them together
_PLACES = frozenset({"header", "query", "cookie"})
_HTTP = frozenset({"basic", "bearer", "digest"})
_SWAGGER_FLOWS = {"application": "clientCredentials", "accessCode": "authorizationCode"}
_URLS = ("authorizationUrl", "tokenUrl", "refreshUrl", "deviceAuthorizationUrl")


class Security:
    """The security schemes of one document; `schemes` is what a call needs to know of each."""

    def __init__(self, declared: object, resolve: Callable[[Any], Any], report: Report, where: str) -> None:
        self.schemes: dict[str, dict[str, Any]] = {}
        self._report = report
        self._resolve = resolve
        self._keys: dict[frozenset[str], frozenset[tuple[str, str]]] = {}
        for name, scheme in declared.items() if isinstance(declared, Mapping) else ():
            self._declare(name, scheme, f"{where}/{_escaped(name)}")

    def requirements(self, owner: Mapping[str, Any], where: str) -> list[Requirement] | None:
        """OR over AND, in order; None where nothing is declared, an empty list switches security off."""
        declared = owner.get("security")
        if isinstance(declared, dict):
            declared = [declared]
        if not isinstance(declared, list):
            return None
        found = [_requirement(item) for item in declared if isinstance(item, dict)]
        for requirement in found:
            for name in requirement:
                if name not in self.schemes:
                    self._undeclared(name, where)
        return found

    def keys(self, requirements: list[Requirement]) -> frozenset[tuple[str, str]]:
        """Where the keys of these requirements go: (in, name), headers in lower case."""
        used = frozenset(name for requirement in requirements for name in requirement)
        if used not in self._keys:
            keys = [self.schemes[name] for name in used if name in self.schemes]
            self._keys[used] = frozenset(
                (key["in"], key["name"].lower() if key["in"] == "header" else key["name"])
                for key in keys
                if key["type"] == "apiKey"
            )
        return self._keys[used]

    def _undeclared(self, name: str, where: str) -> None:
        if "/" in name or "#" in name or "." in name:  # 3.2: a requirement may name its scheme by URI
            self._declare(name, {"$ref": name}, where)
        if name not in self.schemes:
            self._refuse(name, where, "is not declared")

    def _declare(self, name: str, scheme: object, where: str) -> None:
        scheme = self._resolve(scheme)
        if not isinstance(scheme, dict):
            self._refuse(name, where, "is no security scheme")
            return
        known, fault = _scheme(scheme)
        self.schemes[name] = known
        if fault:
            self._refuse(name, where, fault)

    def _refuse(self, name: str, where: str, what: str) -> None:
        self.schemes.setdefault(name, {"type": "unsupported"})
        self._report.add(
            Severity.WARNING,
            FindingCode.SECURITY_UNSUPPORTED,
            where,
            f"security scheme {name!r} {what}; other alternatives still count",
        )


def _requirement(item: Mapping[str, Any]) -> Requirement:
    return {
        name: [scope for scope in scopes if isinstance(scope, str)] if isinstance(scopes, list) else []
        for name, scopes in item.items()
    }


def _scheme(scheme: Mapping[str, Any]) -> tuple[dict[str, Any], str]:
    """A scheme with the members that matter for sending, and why it cannot be used, if so."""
    kind = scheme.get("type")
    read = _KINDS.get(kind.lower()) if isinstance(kind, str) else None
    return read(scheme) if read else ({"type": "unsupported"}, f"has the unknown type {kind!r}")


def _api_key(scheme: Mapping[str, Any]) -> tuple[dict[str, Any], str]:
    place, name = scheme.get("in"), scheme.get("name")
    if isinstance(place, str) and place in _PLACES and isinstance(name, str) and name:
        return {"type": "apiKey", "in": place, "name": name}, ""
    return {"type": "unsupported"}, f"says neither where its key goes nor its name: in={place!r}"


def _http(scheme: Mapping[str, Any]) -> tuple[dict[str, Any], str]:
    word = str(scheme.get("scheme", "")).lower()
    return {"type": "http", "scheme": word}, "" if word in _HTTP else f"uses the HTTP scheme {word!r}"


def _open_id(scheme: Mapping[str, Any]) -> tuple[dict[str, Any], str]:
    url = scheme.get("openIdConnectUrl")
    return {"type": "openIdConnect", "openIdConnectUrl": url if isinstance(url, str) else ""}, ""


def _oauth2(scheme: Mapping[str, Any]) -> dict[str, Any]:
    flows = scheme.get("flows")
    if not isinstance(flows, dict):
        flow = scheme.get("flow")
        flows = {_SWAGGER_FLOWS.get(flow, flow): scheme} if isinstance(flow, str) else {}
    found = {"flows": {name: _flow(flow) for name, flow in flows.items() if isinstance(flow, dict)}}
    metadata = scheme.get("oauth2MetadataUrl")
    return found | ({"oauth2MetadataUrl": metadata} if isinstance(metadata, str) else {})


def _flow(flow: Mapping[str, Any]) -> dict[str, Any]:
    scopes = flow.get("scopes")
    urls = {name: flow[name] for name in _URLS if isinstance(flow.get(name), str)}
    return {**urls, "scopes": sorted(scopes) if isinstance(scopes, dict) else []}


_KINDS: dict[str, Callable[[Mapping[str, Any]], tuple[dict[str, Any], str]]] = {
    "apikey": _api_key,
    "basic": lambda _: ({"type": "http", "scheme": "basic"}, ""),
    "http": _http,
    "oauth2": lambda scheme: ({"type": "oauth2", **_oauth2(scheme)}, ""),
    "openidconnect": _open_id,
    "mutualtls": lambda _: ({"type": "mutualTLS"}, ""),
}


def _escaped(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")
