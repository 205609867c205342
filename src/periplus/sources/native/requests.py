"""Asking a native site: four requests at once, a page that fails is asked for again, and nothing is taken twice."""

from __future__ import annotations

from typing import NoReturn

import anyio
import anyio.to_thread

from periplus.model import Code, Problem, Validators
from periplus.ports import Fetched, FetchRequest, Wires
from periplus.sources.native.address import MANIFEST, SEARCH, Address, is_http, origin
from periplus.sources.native.pages import Page, read_page

_AT_ONCE = 4
_TRIES = 3
_PASSING = {408, 425, 429, 502, 503, 504}
_HINTS = {
    401: "add credentials for the host, see [[credentials]]",
    403: "add credentials that may read the site, see [[credentials]]",
}
_ACCEPT = "application/json, text/markdown;q=0.5, */*;q=0.1"


class BrokenPage(Exception):  # noqa: N818 - not an error of the read: the page is asked for in smaller pieces
    """The site failed over one page while it goes on answering others."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.problem = problem


class Requests:
    """The requests of one read."""

    def __init__(self, address: Address, wires: Wires) -> None:
        self.address = address
        self.limits = wires.limits
        self._fetch = wires.fetch
        self._turns = anyio.CapacityLimiter(_AT_ONCE)
        self._room = wires.limits.documents_bytes

    async def root(self, validators: Validators | None) -> Fetched:
        """The manifest's first page, conditional where it is known; whatever came, also a failure."""
        return await self._send(self.address.page(MANIFEST), validators)

    async def search(self, type_: str, offset: int = 0, limit: int | None = None) -> Page:
        """A page of all landmarks of a type."""
        size = {} if limit is None else {"limit": str(limit)}
        return await self._page(SEARCH, offset, query=".", type=type_, **size)

    async def search_text(self, type_: str, offset: int) -> Page:
        """One landmark as text, for one that the site cannot write as JSON."""
        return await self._page(SEARCH, offset, query=".", type=type_, limit="1", format="markdown")

    async def area(self, id_: str, offset: int = 0) -> Page:
        """A page of what lies directly below an area; of the root, where there is no id."""
        below = {"landmark_id": id_} if id_ else {}
        return await self._page(MANIFEST, offset, **below)

    async def _page(self, path: str, offset: int, **members: str) -> Page:
        behind = {"offset": str(offset)} if offset else {}
        fetched = await self._send(self.address.page(path, **members, **behind), None)
        return await self.read(fetched, offset)

    async def read(self, fetched: Fetched, offset: int = 0) -> Page:
        """The page in an answer; `BrokenPage` where the site failed over it."""
        if not 200 <= fetched.status < 300:
            _refuse(fetched)
        return await anyio.to_thread.run_sync(read_page, fetched, self.limits, offset)

    async def _send(self, url: str, validators: Validators | None) -> Fetched:
        request = FetchRequest(url=url, accept=_ACCEPT, validators=validators)
        async with self._turns:
            fetched = await self._tried(request)
        self._room -= len(fetched.body)
        if self._room < 0:
            raise Problem(
                Code.OVER_LIMIT,
                f"{self.address.base} says more than {self.limits.documents_bytes:,} bytes of itself",
                hints=("raise [limits] documents_bytes",),
            )
        if is_http(url) and origin(fetched.url) != origin(url):
            raise Problem(
                Code.REFUSED_ADDRESS,
                f"{url} leads to {fetched.url}; a site's pages are not taken from another place",
                hints=("give that address itself if it is meant",),
            )
        return fetched

    async def _tried(self, request: FetchRequest) -> Fetched:
        """An answer that is no passing fault, if one of three requests gets one."""
        for _ in range(_TRIES - 1):
            try:
                fetched = await self._fetch.send(request)
            except Problem as problem:
                if problem.code not in {Code.UNAVAILABLE, Code.TIMEOUT}:
                    raise
            else:
                if fetched.status not in _PASSING:
                    return fetched
        return await self._fetch.send(request)


def _refuse(fetched: Fetched) -> NoReturn:
    words = " ".join(fetched.body[:200].decode("utf-8", "replace").split())[:80]
    what = f"{fetched.url} answered {fetched.status} ({fetched.media_type or 'no media type'}): {words!r}"
    if fetched.status in _HINTS:
        code = Code.UPSTREAM_UNAUTHENTICATED if fetched.status == 401 else Code.FORBIDDEN
        raise Problem(code, what, hints=(_HINTS[fetched.status],))
    if fetched.status in _PASSING:
        code = Code.RATE_LIMITED if fetched.status == 429 else Code.UNAVAILABLE
        raise Problem(code, what, hints=("try again later",), retryable=True)
    if fetched.status >= 500:
        raise BrokenPage(Problem(Code.UPSTREAM_ERROR, what, hints=("its operator has to mend that",)))
    hints = ("give the site's base address, or its /.well-known/elemm-manifest.md",)
    raise Problem(Code.NOT_FOUND if fetched.status in {404, 405, 410} else Code.UPSTREAM_ERROR, what, hints=hints)
