"""Getting a manifest: asked for conditionally, page by page where it is too large for one (M-13, M-53 to M-55)."""

from __future__ import annotations

from typing import Any, NoReturn

import anyio.to_thread
import msgspec

from periplus.documents import DecodeLimits, decode
from periplus.documents.pruning import storable
from periplus.model import Code, Document, Problem, Validators
from periplus.ports import Fetched, FetchRequest, ReadLimits, Wires
from periplus.sources.manifest.address import candidates, is_http, origin, with_query
from periplus.sources.manifest.members import member, objects, text

_SECONDS = 10.0
_BYTES = 64 << 20
_PAGE = "1000"
_HINTS = {
    401: "add credentials for the host, see [[credentials]]",
    403: "add credentials that may read the manifest, see [[credentials]]",
}


class Pages(msgspec.Struct, frozen=True, kw_only=True):
    """A manifest as it came, its tools and categories joined from all pages; or that it is what it was."""

    asked: str
    url: str
    value: dict[str, Any]
    validators: Validators
    notes: tuple[str, ...]


class Manifests:
    """The requests for one manifest."""

    def __init__(self, wires: Wires, known: Document | None) -> None:
        self._fetch = wires.fetch
        self._limits = wires.limits
        self._known = {part.url: part.validators for part in known.parts} if known else {}

    async def read(self, url: str) -> Pages | None:
        """The manifest that belongs to an address; None where it is the one already known."""
        first: Problem | None = None
        for candidate in dict.fromkeys([*self._known, *candidates(url)]):
            try:
                return await self._at(candidate)
            except Problem as problem:
                first = first or problem
                if problem.code not in {Code.NOT_FOUND, Code.PARSE_ERROR}:
                    raise
        raise first or Problem(Code.BAD_INPUT, f"not an address: {url[:100]!r}")

    async def _at(self, url: str) -> Pages | None:
        fetched = await self._ask(url, self._known.get(url))
        if fetched.not_modified:
            return None
        if fetched.status == 413 and is_http(url):
            url = with_query(url, limit=_PAGE)
            fetched = await self._ask(url, None)
        value, notes = await self._decoded(fetched)
        return Pages(
            asked=url,
            url=fetched.url if is_http(fetched.url) else url,
            value=await self._joined(url, value),
            validators=fetched.validators,
            notes=notes,
        )

    async def _joined(self, url: str, first: dict[str, Any]) -> dict[str, Any]:
        """The first page with the tools and categories of those behind it."""
        tools, categories = objects(first, "tools"), objects(first, "categories")
        cursors: set[str] = set()
        page = first
        while is_http(url) and (cursor := text(page, "next_cursor")):
            if cursor in cursors or len(cursors) >= self._limits.documents:
                raise Problem(
                    Code.UPSTREAM_ERROR,
                    f"{url} pages in a circle: the cursor {cursor[:60]!r} comes again, or there is no end of pages",
                    hints=("its operator has to mend that",),
                )
            cursors.add(cursor)
            page, _ = await self._decoded(await self._ask(with_query(url, limit=_PAGE, cursor=cursor), None))
            tools, categories = [*tools, *objects(page, "tools")], [*categories, *objects(page, "categories")]
            check_count(url, len(tools), self._limits)
        if not cursors:
            return first
        unique = list({text(category, "id"): category for category in reversed(categories)}.values())
        return first | {"tools": tools, "categories": unique[::-1]}

    async def _ask(self, url: str, validators: Validators | None) -> Fetched:
        request = FetchRequest(
            url=url,
            accept="application/json",
            validators=validators,
            timeout_s=_SECONDS if is_http(url) else None,
            limit_bytes=_BYTES if self._limits.document_bytes > _BYTES else None,
        )
        try:
            fetched = await self._fetch.send(request)
        except Problem as problem:
            if problem.code is not Code.UNAVAILABLE:
                raise
            fetched = await self._fetch.send(request)  # a service that was started again may have moved (M-55)
        if is_http(url) and origin(fetched.url) != origin(url):
            raise Problem(
                Code.REFUSED_ADDRESS,
                f"{url} leads to {fetched.url}; a manifest is not taken from another place",
                hints=("give that address itself if it is meant",),
            )
        return fetched

    async def _decoded(self, fetched: Fetched) -> tuple[dict[str, Any], tuple[str, ...]]:
        if not 200 <= fetched.status < 300:
            _refuse(fetched)
        return await anyio.to_thread.run_sync(_manifest, fetched, self._limits)


def check_count(url: str, count: int, limits: ReadLimits) -> None:
    if count > limits.operations:
        raise Problem(
            Code.OVER_LIMIT,
            f"{url} lists {count:,} tools or more; the limit is {limits.operations:,}",
            hints=("raise [limits] operations",),
        )


def _manifest(fetched: Fetched, limits: ReadLimits) -> tuple[dict[str, Any], tuple[str, ...]]:
    bounds = DecodeLimits(document_bytes=limits.document_bytes, nesting=limits.nesting, nodes=limits.nodes)
    decoded = decode(fetched.body, name=fetched.url, media_type=fetched.media_type or None, limits=bounds)
    value = decoded.value
    tools = member(value, "tools")
    if not isinstance(value, dict) or not (isinstance(tools, list) or (tools is None and _says_so(value))):
        raise Problem(
            Code.PARSE_ERROR,
            f"{fetched.url} is no tool manifest: expected an object with a list of `tools`",
            hints=("give the address of the service, or of its /api/v1/tools",),
            where=fetched.url,
        )
    return storable(value), tuple(f"{note.where}: {note.message}" for note in decoded.notes)


def _says_so(value: Any) -> bool:
    """Whether a document without tools calls itself a manifest: the other dialect does not write an empty list."""
    return isinstance(member(value, "scenario"), dict) or member(value, "protocol_version") is not None


def _refuse(fetched: Fetched) -> NoReturn:
    words = " ".join(fetched.body[:200].decode("utf-8", "replace").split())[:80]
    what = f"{fetched.url} answered {fetched.status} ({fetched.media_type or 'no media type'}): {words!r}"
    if fetched.status in _HINTS:
        code = Code.UPSTREAM_UNAUTHENTICATED if fetched.status == 401 else Code.FORBIDDEN
        raise Problem(code, what, hints=(_HINTS[fetched.status],))
    if fetched.status in {408, 425, 429} or fetched.status >= 500:
        code = Code.RATE_LIMITED if fetched.status == 429 else Code.UNAVAILABLE
        raise Problem(code, what, hints=("try again later",), retryable=True)
    hints = ("give the address of the service, or of its /api/v1/tools",)
    raise Problem(Code.NOT_FOUND if fetched.status in {404, 405, 410} else Code.UPSTREAM_ERROR, what, hints=hints)
