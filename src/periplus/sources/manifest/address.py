"""Where a manifest lies, and where the calls of its tools go: to the service it came from, or nowhere (M-58)."""

from __future__ import annotations

import re
from urllib.parse import urlencode, urljoin, urlsplit, urlunsplit

import msgspec

from periplus.documents.schemas import Findings, shown
from periplus.model import FindingCode, SourceSpec
from periplus.sources.manifest.members import member, text

LIST = "/api/v1/tools"
EXECUTE = "/api/v1/tools/execute"
_PORTS = {"http": 80, "https": 443}
_PATH = re.compile(r"/(?!/)[!$%&'()*+,\-./0-9:;=@A-Z_a-z{}~]*")


class Target(msgspec.Struct, frozen=True):
    """What calls of all tools share: the service's address, empty where it is unknown, and the path below it."""

    base: str
    execute: str


def candidates(url: str) -> list[str]:
    """Where the manifest of what a person wrote may lie, likeliest first."""
    if not is_http(url):
        return [url]
    parts = urlsplit(url)
    path = parts.path.rstrip("/")
    if path.endswith(LIST):
        return [urlunsplit(parts._replace(path=path, fragment=""))]
    below = urlunsplit(parts._replace(path=path + LIST, fragment=""))
    return [urlunsplit(parts._replace(fragment="")), below] if path else [below]


def with_query(url: str, **members: str) -> str:
    parts = urlsplit(url)
    kept = [each for each in parts.query.split("&") if each and each.partition("=")[0] not in members]
    return urlunsplit(parts._replace(query="&".join([*kept, urlencode(members)])))


def target_of(spec: SourceSpec, url: str, scenario: object, findings: Findings) -> Target:
    """Where calls go: the operator's word, else what the manifest says of its own origin."""
    execute = _execute(text(scenario, "execute_endpoint_template"), url, findings)
    if spec.base_url:
        return Target((urljoin(url, spec.base_url) if is_http(url) else spec.base_url).rstrip("/"), execute)
    written = member(scenario, "base_url")
    own = _own(url)
    if written in (None, "") or own == "":
        if not own:
            fix = (
                f'base_url = "{written}"'
                if isinstance(written, str) and is_http(written)
                else 'base_url = "https://..."'
            )
            message = "a manifest in a file does not decide where calls go"
            findings.lost(FindingCode.NO_SERVER, "/scenario/base_url", "", message, fix=f"{fix} in the source's table")
        return Target(own, execute)
    if isinstance(written, str) and (absolute := _joined(url, written)) and origin(absolute) == origin(url):
        return Target(urlunsplit(urlsplit(absolute)._replace(query="", fragment="")).rstrip("/"), execute)
    message = f"base_url {shown(written)} is not where the manifest came from; calls go to {own}"
    fix = 'base_url = "..." in the source\'s table, if that address is meant'
    findings.lost(FindingCode.REF_REFUSED, "/scenario/base_url", "", message, fix=fix)
    return Target(own, execute)


def is_http(url: str) -> bool:
    try:
        return urlsplit(url).scheme.lower() in _PORTS
    except ValueError:
        return False


def origin(url: str) -> tuple[str, str, int | None]:
    """What of an address says who answers there; of what is no address, something no other has."""
    try:
        parts = urlsplit(url)
        scheme = parts.scheme.lower()
        return scheme, (parts.hostname or "").lower(), parts.port or _PORTS.get(scheme)
    except ValueError:
        return "", url, None


def _own(url: str) -> str:
    """The service's address, as the manifest's own address has it."""
    if not is_http(url):
        return ""
    parts = urlsplit(url)
    path = parts.path.rstrip("/")
    kept = path.removesuffix(LIST) if path.endswith(LIST) else ""
    return f"{parts.scheme}://{parts.netloc}{kept}"


def _execute(written: str, url: str, findings: Findings) -> str:
    if not written:
        return EXECUTE
    path = written
    if "://" in written and is_http(url) and origin(written) == origin(url):
        path = urlsplit(written).path
    if _PATH.fullmatch(path) and not {".", ".."} & set(path.split("/")):
        return path
    message = f"{shown(written)} is no path of the service the manifest came from; {EXECUTE} is used"
    findings.lost(FindingCode.REF_REFUSED, "/scenario/execute_endpoint_template", "", message)
    return EXECUTE


def _joined(url: str, reference: str) -> str:
    try:
        return urljoin(url, reference)
    except ValueError:
        return ""
