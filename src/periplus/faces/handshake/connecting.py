"""connect_to_site: an address becomes a site of this session, and the handshake starts over (H-9, H-12 to H-19)."""

from __future__ import annotations

import ipaddress
import re
from typing import Any
from urllib.parse import urlsplit

import msgspec

from periplus.faces.handshake.errors import refusal
from periplus.faces.handshake.session import State
from periplus.faces.handshake.sites import CATALOG, Site, one_line
from periplus.faces.handshake.turn import CONNECT_EXAMPLE, Turn
from periplus.model import Code, LoadReport, Problem, Severity, SourceRecord, SourceSpec, check_source_id, split_kind
from periplus.ports import Wire

KINDS = ("openapi", "graphql", "native", "mcp", "manifest")
_CATALOG_NAMES = frozenset({"catalog", "local", "mcp"})
_SCHEME = re.compile(r"^([A-Za-z][A-Za-z0-9+.-]*):(.*)$", re.DOTALL)
_PROBLEMS = 3
_UNREAD = "nothing Periplus knows stands at"


class Connected(msgspec.Struct, frozen=True, kw_only=True):
    """What connecting came to: a site, or one that is still being read."""

    text: str
    body: dict[str, Any]
    site: Site | None = None


async def connect(turn: Turn, rule: str) -> Connected:
    """Connect and say what was found. Whatever comes of it, the manifest has to be read again (H-9)."""
    if turn.talk.minted == "":
        turn.talk.distinguish()
    await turn.talk.change(lambda state: msgspec.structs.replace(state, loaded=False))
    spec = _spec(turn)
    if spec is None:
        return await _catalog(turn)
    await _permit(turn, spec, rule)
    try:
        report = await _joined(turn, spec)
    except Problem as problem:
        raise _told(problem) from problem
    if report is None:
        asked = {"connecting": spec.location, "named": spec.id}
        await turn.talk.change(lambda state: msgspec.structs.replace(state, **asked))
        text = f"CONNECTING to {one_line(spec.url)}: it is still being read. NEXT: Call 'get_manifest'."
        return Connected(text=text, body={"status": "connecting", "url": spec.url})
    return await _attached(turn, report.source, report)


async def awaited(turn: Turn) -> None:
    """Wait for a site that is still being read, as long again; the manifest is of it (H-19)."""
    location = turn.state.connecting
    if not location:
        return
    try:
        busy = await turn.gateway.joining(location, principal=turn.principal, wait_s=turn.settings.connect_wait_seconds)
    except Problem as problem:
        await turn.talk.change(_not_connecting)
        raise _told(problem) from problem
    if busy:
        raise refusal(
            Code.UNAVAILABLE,
            f"{location} is still being read.",
            "Call 'get_manifest' again.",
            then=("get_manifest", {}),
            retryable=True,
        )
    found = next((one for one in await turn.gateway.sources(principal=turn.principal) if _is_at(one, location)), None)
    if found is None:
        await turn.talk.change(_not_connecting)
        raise refusal(
            Code.NOT_CONNECTED,
            f"{location} was not read to the end.",
            "Connect it again.",
            then=("connect_to_site", {"url": location}),
        )
    turn.state = await turn.talk.change(lambda state: state.attached(found.id))


def _not_connecting(state: State) -> State:
    return msgspec.structs.replace(state, connecting="", named="")


def _is_at(record: SourceRecord, location: str) -> bool:
    return location in (record.spec.location, record.spec.asked)


async def _joined(turn: Turn, spec: SourceSpec) -> LoadReport | None:
    known = await _known(turn, spec.url)
    if known is not None and not turn.given.get("refresh"):
        spec = known.spec
    return await turn.gateway.join(
        spec,
        principal=turn.principal,
        refresh=bool(turn.given.get("refresh")),
        told=turn.request.progress,
        wait_s=turn.settings.connect_wait_seconds,
    )


async def _known(turn: Turn, name: str) -> SourceRecord | None:
    """The configured source with this id or address."""
    for record in await turn.gateway.sources(principal=turn.principal):
        if record.spec.trusted and (record.id == name or _is_at(record, name)):
            return record
    return None


def _spec(turn: Turn) -> SourceSpec | None:
    """What is to be connected; None for the catalog."""
    url = str(turn.given["url"]).strip()
    kind = str(turn.given.get("kind") or "").lower()
    if url.lower() in _CATALOG_NAMES or url.lower().startswith("mcp://"):
        return None
    named, url = split_kind(url, KINDS)
    kind = named or kind
    if kind and kind not in KINDS:
        raise refusal(Code.BAD_INPUT, f"{kind[:40]!r} is no kind of site", f"kind is one of {', '.join(KINDS)}.")
    name = str(turn.given.get("name") or "")
    if name:
        check_source_id(name)
    return SourceSpec(id=name, url=url.partition("#")[0].rstrip("/"), kind=kind)


async def _permit(turn: Turn, spec: SourceSpec, rule: str) -> None:
    """Refuse what is no address of a site, and what the operator keeps agents from (H-14)."""
    if (known := await _known(turn, spec.url)) is not None:
        turn.given["url"] = known.spec.url
        return
    scheme = _SCHEME.match(spec.url)
    if scheme is None or (scheme[1].lower() in ("http", "https") and not _has_host(spec.url)):
        raise refusal(
            Code.BAD_INPUT, f"not a URL: {spec.url[:120]!r}", f"Give a whole address: {CONNECT_EXAMPLE}.",
            example=CONNECT_EXAMPLE,
        )  # fmt: skip
    if scheme[1].lower() not in ("http", "https"):
        raise refusal(
            Code.FORBIDDEN,
            f"sites are not connected by {scheme[1].lower()}: addresses, only by http and https",
            "An operator can add it: periplus add, or [sources.NAME] in periplus.toml.",
        )
    if rule != "any":
        said = "nothing" if rule == "off" else "only the addresses of configured sources"
        raise refusal(
            Code.FORBIDDEN,
            f'agents may connect {said} here ([handshake] connect = "{rule}")',
            'Use the sites there are: connect_to_site(url="catalog").',
            then=("connect_to_site", {"url": "catalog"}),
        )


def _has_host(url: str) -> bool:
    try:
        return bool(urlsplit(url).hostname)
    except ValueError:
        return False


def connect_rule(setting: str, listens: str, wire: Wire) -> str:
    """What agents may connect: as set, else anything where only this machine is served (H-14)."""
    if setting:
        return setting
    return "any" if wire is Wire.STDIO or _is_loopback(listens) else "known"


def _is_loopback(address: str) -> bool:
    host = address.rpartition(":")[0].strip("[]") or "127.0.0.1"
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


async def _catalog(turn: Turn) -> Connected:
    site = await turn.open(CATALOG)
    if site is None:
        raise refusal(
            Code.NOT_CONNECTED,
            "No sources are configured here, so there is no catalog.",
            "Connect a site by its address.",
            example=CONNECT_EXAMPLE,
        )
    turn.state = await turn.talk.change(lambda state: msgspec.structs.replace(state, active=CATALOG))
    return _reply(site, (), 0)


async def _attached(turn: Turn, source: str, report: LoadReport) -> Connected:
    record = next(one for one in await turn.gateway.sources(principal=turn.principal) if one.id == source)
    turn.state = await turn.talk.change(lambda state: state.attached(source))
    site = await turn.open(source)
    if site is None:
        raise turn.disconnected()
    told = [one for one in report.problems if one.severity is not Severity.NOTE]
    if not site.root.tools and not told:
        told = list(report.problems)
    lines = [one_line(f"{one.severity.value}: {one.message} ({one.where})", 300) for one in told[:_PROBLEMS]]
    count = sum(one.count for one in told)
    if not site.root.tools and not lines:
        lines = [f"no tool of {record.id} can be used or seen here"]
    return _reply(site, lines, count)


def _reply(site: Site, problems: list[str] | tuple[str, ...], count: int) -> Connected:
    tools, areas = site.root.tools, site.areas
    version = f" {site.version}" if site.version else ""
    sums = f"{tools} tool{_s(tools)} in {areas} area{_s(areas)} | {count} problem{_s(count)}"
    where = f" at {site.url}" if site.url else ""
    kind = "CATALOG" if site.is_catalog else f"{site.kind} API"
    lines = [
        f"CONNECTED to {kind}{where}",
        f"Site: {site.id} | {site.title}{version} | {sums}",
        *(f"- {line}" for line in problems),
        "NEXT: Call 'get_manifest'.",
    ]
    body: dict[str, Any] = {
        "status": "success",
        "site": site.id,
        "kind": site.kind,
        "url": site.url,
        "title": site.title,
        "version": site.version,
        "tools": tools,
        "areas": areas,
        "revision": site.revision,
        "problems": list(problems),
    }
    return Connected(text="\n".join(lines), body=body, site=site)


def _s(count: int) -> str:
    return "" if count == 1 else "s"


def _told(problem: Problem) -> Problem:
    """A failure of reading, with every probe where looking found nothing (H-17)."""
    tried = next((hint for hint in problem.hints if hint.startswith("tried ")), "")
    if not tried:
        return problem
    missing = problem.message.startswith(_UNREAD)
    return refusal(
        Code.NOT_FOUND if missing else problem.code,
        f"{problem.message}; {tried}",
        problem.hints[0] if problem.hints[0] != tried else "Name the document itself, or its kind: openapi:URL.",
        then=None,
        retryable=problem.retryable,
    )
