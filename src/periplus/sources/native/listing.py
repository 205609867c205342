"""A whole list by its pages, many at once, going on by what was received rather than by what was promised (H-76)."""

from __future__ import annotations

from functools import partial

from periplus.model import Code, Problem
from periplus.sources.native.harvest import Harvest
from periplus.sources.native.pages import Page
from periplus.sources.native.requests import BrokenPage, Requests
from periplus.sources.native.together import together

_SMALLER = (400, 20, 1)
_PROBES = [*((0, limit) for limit in _SMALLER), *((offset, 1) for offset in (1, 2, 5, 10))]
_PATIENCE = 200


class Listing:
    """Everything of one type that the search gives; `lost` are the places of what it could not."""

    def __init__(self, requests: Requests, harvest: Harvest, type_: str) -> None:
        self.total: int | None = None
        self.lost: list[int] = []
        self._requests = requests
        self._harvest = harvest
        self._type = type_
        self._first = Page(entries=(), size=0)
        self._failures = 0
        self._odd = 0  # entries that are no landmark, which the total counts all the same

    @property
    def missing(self) -> int:
        """How many actions have not come by any way."""
        return max((self.total or 0) - len(self._harvest.actions) - self._odd, 0)

    async def read(self) -> None:
        """Take all pages. Raises what the first one raises, and gives up on a site that only fails."""
        try:
            first = await self._requests.search(self._type)
        except BrokenPage as broken:
            first = await self._small(broken)
        self._first = first
        self._take(first)
        self.total = first.total
        if first.total is None:
            try:
                await self._one_after_another(first)
            except BrokenPage as broken:  # without a total there is no telling what lies behind it
                raise broken.problem from broken
            return
        self._harvest.check(first.total)
        step = first.size
        if step:
            starts = range(step, first.total, step)
            await together(partial(self._range, at, min(at + step, first.total)) for at in starts)

    async def _small(self, broken: BrokenPage) -> Page:
        """A first page of nothing, which says how much there is to ask for piece by piece."""
        for offset, limit in _PROBES:
            try:
                total = (await self._requests.search(self._type, offset, limit)).total
            except BrokenPage as again:
                broken = again
                continue
            if total is not None:
                await self._range(0, total)
                return Page(entries=(), size=0, total=total)
        raise broken.problem

    async def _one_after_another(self, page: Page) -> None:
        while page.next is not None:
            before, page = page, await self._requests.search(self._type, page.next)
            if page.repeats(before):
                return
            self._take(page)

    async def _range(self, start: int, end: int, limit: int | None = None) -> None:
        """All from one place to another, however few come at a time."""
        while start < end:
            try:
                page = await self._requests.search(self._type, start, limit)
            except BrokenPage as broken:
                await self._in_pieces(start, min(end, start + limit) if limit else end, broken)
                start = start + limit if limit else end
                continue
            if not page.size or (start and page.repeats(self._first)):
                return
            self._take(page)
            start += page.size

    def _take(self, page: Page) -> None:
        self._odd += len(page.odd)
        self._harvest.take(page)

    async def _in_pieces(self, start: int, end: int, broken: BrokenPage) -> None:
        """What a broken page holds, all but the landmarks that break it."""
        self._failures += 1
        if self._failures > _PATIENCE:
            raise broken.problem
        limit = next((smaller for smaller in _SMALLER if smaller < end - start), None)
        if limit is not None:
            await self._range(start, end, limit)
            return
        try:
            self._take(await self._requests.search_text(self._type, start))
        except BrokenPage:
            self.lost.append(start)
        except Problem as problem:
            if problem.code not in {Code.PARSE_ERROR, Code.NOT_FOUND}:
                raise
            self.lost.append(start)
