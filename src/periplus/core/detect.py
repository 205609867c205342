"""What stands at an address: probes in a fixed order, each judged by what came back, all named on failure."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from pathlib import PurePath
from urllib.parse import urlsplit, urlunsplit

import anyio
import msgspec

from periplus.documents.foreign import first_words, refuse_foreign, refuse_page
from periplus.model import Code, Problem, SourceSpec
from periplus.ports import Fetch, Fetched, FetchRequest

WELL_KNOWN = "/.well-known/elemm-manifest.md"
_PROBE_S, _ALL_S = 5.0, 30.0
_DOCUMENT = re.compile(r"\.(?:json|ya?ml|md|graphqls?|gql)$", re.IGNORECASE)
_SDL = re.compile(
    rb"^\s*(?:type|schema|interface|union|enum|input|scalar|directive|extend)\s+[@A-Za-z_{]", re.MULTILINE
)
_OPENAPI = re.compile(rb"""(?:^|[{,\s])["']?(?:openapi|swagger)["']?\s*:\s*["']?\d""", re.MULTILINE)
_TOPOLOGY = re.compile(rb"^#{1,6}[ \t]+LANDMARK TOPOLOGY\b", re.MULTILINE)
_BELOW = (
    "/graphql", "/openapi.json", "/swagger.json", "/api-docs", "/openapi.yaml", "/v3/api-docs",
    "/swagger/v1/swagger.json", "/api/v1/tools", "/mcp",
)  # fmt: skip
_LINK = re.compile(
    r"""(?:spec-?url|url)["']?\s*[=:]\s*["']([^"']+\.(?:json|ya?ml)|[^"']*api-docs[^"']*)["']""", re.IGNORECASE
)
_SERVICE = re.compile(r"""<([^>]+)>\s*;[^,]*rel="?service-desc"?""")
_FINAL = {Code.REFUSED_ADDRESS, Code.CREDENTIALS_MISSING, Code.BAD_INPUT}
_SLOW = "try again, or name the kind: then there is more time"
_USER = re.compile(r"//[^/]*@")
_TYPENAME = b'{"query":"query { __typename }"}'


class Found(msgspec.Struct, frozen=True):
    """A kind, and the address at which it was found."""

    kind: str
    url: str


class _Probe(msgspec.Struct, frozen=True):
    url: str
    what: str
    outcome: str
    kind: str = ""
    problem: Problem | None = None  # why there was no answer


async def detect(spec: SourceSpec, fetch: Fetch) -> Found:
    """The kind of a source nobody named one for. Raises a problem that lists every probe."""
    if spec.command:
        return Found("mcp", "")
    if not spec.url.lower().startswith(("http:", "https:")):
        return await _detect_file(spec, fetch)
    return await _Detection(fetch, _trimmed(spec.url)).run()


def judge(body: bytes, media_type: str) -> str:
    """The kind of a document, from what it says and never from how it is called."""
    head = body[:200_000]
    if media_type.startswith("text/html") or head.lstrip()[:1] == b"<":
        return ""
    members = _members(body)
    if members is not None:
        return _by_members(members)
    if _TOPOLOGY.search(head):
        return "native"
    if _OPENAPI.search(head):
        return "openapi"
    return "graphql" if _SDL.search(head) else ""


def _by_members(members: dict[str, msgspec.Raw]) -> str:
    if members.keys() & {"openapi", "swagger"}:
        return "openapi"
    data = members.get("data")
    if "__schema" in members or (data is not None and b"__schema" in bytes(data)[:4096]):
        return "graphql"
    if bytes(members.get("landmarks", b"")).startswith(b"["):
        return "native"
    if "mcpServers" in members:
        return "mcp-servers"
    return "manifest" if "tools" in members and members.keys() & _MANIFEST else ""


_MANIFEST = {"protocol_version", "protocolVersion", "scenario", "categories", "capabilities", "generated_at"}


def _members(body: bytes) -> dict[str, msgspec.Raw] | None:
    try:
        return msgspec.json.decode(body.removeprefix(b"\xef\xbb\xbf"), type=dict[str, msgspec.Raw])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None  # what nests too deeply is refused by its reader, which names the limit


async def _detect_file(spec: SourceSpec, fetch: Fetch) -> Found:
    reply = await fetch.send(FetchRequest(url=spec.url))
    if kind := judge(reply.body, reply.media_type):
        return Found(kind, spec.url)
    name = PurePath(spec.url).name
    refuse_foreign(reply.body, name, reply.media_type)
    refuse_page(reply.body, name, reply.media_type)
    raise Problem(
        Code.PARSE_ERROR,
        f"{name} is no description Periplus knows; it begins with {first_words(reply.body)!r}",
        hints=(
            "expected OpenAPI (JSON, YAML), GraphQL (SDL, introspection), a tool manifest, landmarks, mcpServers JSON",
            "say what it is: openapi:FILE, graphql:FILE, manifest:FILE, native:FILE",
        ),
        where=spec.url,
    )


def _trimmed(url: str) -> str:
    try:
        parts = urlsplit(url)
    except ValueError as error:
        raise Problem(
            Code.BAD_INPUT, f"not a URL: {_shown(url)[:80]!r} ({error})", hints=("check its host",)
        ) from error
    path = parts.path.rstrip("/").removesuffix(WELL_KNOWN).rstrip("/")
    return urlunsplit((parts.scheme, parts.netloc, path, parts.query, ""))


class _Detection:
    """One run over the probes; stops at the first that fits."""

    def __init__(self, fetch: Fetch, url: str) -> None:
        self._fetch = fetch
        self._url = url
        self._probes: list[_Probe] = []

    async def run(self) -> Found:
        with anyio.move_on_after(_ALL_S):
            async for probe in self._each():
                self._probes.append(probe)
                if probe.kind:
                    return Found(probe.kind, probe.url)
        raise self._failure()

    async def _each(self) -> AsyncIterator[_Probe]:
        """The probes of the published order; later ones look at what earlier ones brought."""
        yield await self._get(_join(self._url, WELL_KNOWN), "native")
        rpc = False
        if not _DOCUMENT.search(urlsplit(self._url).path):
            posted = await self._graphql(self._url)
            rpc = posted.outcome == "JSON-RPC"
            yield posted
        page = await self._get(self._url, "openapi", "graphql", "manifest", "native")
        yield page
        if page.problem and page.problem.code in _FINAL:
            return  # no other path of that host will do better
        if rpc or urlsplit(self._url).path.endswith(("/mcp", "/sse")):
            yield _Probe(self._url, "MCP", "speaks JSON-RPC", "mcp")
        for url in dict.fromkeys(_join(root, path) for root in (self._url, _origin(self._url)) for path in _BELOW):
            if url.endswith("/graphql"):
                yield await self._graphql(url)
            elif url.endswith("/mcp"):
                reply = await self._graphql(url)
                yield reply if reply.outcome != "JSON-RPC" else _Probe(url, "POST", reply.outcome, "mcp")
            else:
                yield await self._get(url, "manifest" if url.endswith("/tools") else "openapi")
        if link := self._linked:
            yield await self._get(link, "openapi")

    _linked: str = ""
    _page: Fetched | None = None  # what the address itself shows

    async def _get(self, url: str, *kinds: str) -> _Probe:
        reply = await self._send(FetchRequest(url=url, accept="application/json, */*;q=0.5"))
        if isinstance(reply, Problem):
            return _Probe(url, "GET", reply.message, problem=reply)
        if url == self._url:
            self._page = reply
            self._linked = _document_link(reply) if reply.media_type.startswith("text/html") else ""
        if reply.status != 200:
            return _Probe(url, "GET", str(reply.status))
        kind = judge(reply.body, reply.media_type)
        if kind in kinds:
            return _Probe(reply.url if url == self._url else url, "GET", "200", kind)
        return _Probe(url, "GET", f"200 {reply.media_type or 'without a type'}, no {' or '.join(kinds)} in it")

    async def _graphql(self, url: str) -> _Probe:
        request = FetchRequest(
            url=url,
            method="POST",
            body=_TYPENAME,
            headers={"content-type": "application/json"},
            accept="application/json",
        )
        reply = await self._send(request)
        if isinstance(reply, Problem):
            return _Probe(url, "POST", reply.message, problem=reply)
        members = _members(reply.body) or {}
        if "jsonrpc" in members:
            return _Probe(url, "POST", "JSON-RPC")
        if _speaks_graphql(members):
            return _Probe(url, "POST", "GraphQL", "graphql")
        return _Probe(url, "POST", str(reply.status))

    async def _send(self, request: FetchRequest) -> Fetched | Problem:
        """The reply, or why there is none: one bad probe never ends the others."""
        try:
            with anyio.fail_after(_PROBE_S):
                return await self._fetch.send(request)
        except TimeoutError:
            return Problem(Code.TIMEOUT, f"no answer in {_PROBE_S:g} s", hints=(_SLOW,), retryable=True)
        except Problem as problem:
            return problem

    def _failure(self) -> Problem:
        """Why nothing was found: what the address itself showed, then every probe with what came back (H-17)."""
        tried = (
            f"tried {'; '.join(f'{each.what} {_short(each.url, self._url)}: {each.outcome}' for each in self._probes)}"
        )
        shown = _shown(self._url)
        outcomes = {probe.outcome for probe in self._probes}
        if outcomes & {"401", "403"}:
            return Problem(
                Code.UPSTREAM_UNAUTHENTICATED,
                f"{shown} wants credentials before it shows what it is",
                hints=('set headers in its [sources.NAME] table, for example Authorization = "env:TOKEN"', tried),
                where=shown,
            )
        stopped = next(
            (probe.problem for probe in self._probes if probe.url == self._url and probe.what == "GET"), None
        )
        if stopped is None:
            silent = [probe.problem for probe in self._probes]
            stopped = silent[0] if silent and all(silent) else None
        if stopped:
            return _told(stopped, shown, tried)
        return Problem(
            Code.PARSE_ERROR,
            f"nothing Periplus knows stands at {shown}{_shows(self._page)}",
            hints=("name the document itself, or its kind: openapi:URL, graphql:URL, mcp:URL, manifest:URL", tried),
            where=shown,
        )


def _told(problem: Problem, url: str, tried: str) -> Problem:
    """What kept the address from being read, as the failure of the whole; never with a password in it."""
    url = _USER.sub("//...@", url)
    message = problem.message if url in problem.message else f"{url}: {problem.message}"
    hints = (*problem.hints, *(() if problem.code in {Code.UNAVAILABLE, *_FINAL} else (tried,)))
    return Problem(problem.code, message, hints=hints, where=url, retryable=problem.retryable)


def _shown(url: str) -> str:
    """An address for a reader: what may be a password or a secret of its query stays out."""
    bare, mark, _ = url.partition("?")
    return _USER.sub("//...@", bare) + ("?..." if mark else "")


def _shows(page: Fetched | None) -> str:
    """What came instead of a description: status, media type and first words (sources.md, 14)."""
    if page is None:
        return ""
    words = first_words(page.body)
    begins = f"beginning {words!r}" if words else "with nothing in it"
    return f": it answered {page.status} {page.media_type or 'without a media type'}, {begins}"


def _speaks_graphql(members: dict[str, msgspec.Raw]) -> bool:
    data = members.get("data")
    if data is not None and b'"__typename"' in bytes(data):
        return True
    errors = members.get("errors")
    return errors is not None and bytes(errors).lstrip().startswith(b"[{") and b'"message"' in bytes(errors)


def _document_link(reply: Fetched) -> str:
    """The API document a documentation page names, one hop."""
    header = _SERVICE.search(reply.headers.get("link", ""))
    found = header or _LINK.search(reply.body[:300_000].decode("utf-8", "replace"))
    if not found:
        return ""
    from urllib.parse import urljoin  # noqa: PLC0415 - only where a page was found

    return urljoin(reply.url, str(found.group(1)))


def _join(root: str, path: str) -> str:
    return root.partition("?")[0].rstrip("/") + path


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def _short(url: str, root: str) -> str:
    return _shown(url.removeprefix(_origin(root))) or "/"
