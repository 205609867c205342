"""Filling holes: areas that say they hold more than came are asked one by one (H-76)."""

from __future__ import annotations

from functools import partial

from periplus.model import Code, Problem
from periplus.sources.native.harvest import Harvest
from periplus.sources.native.pages import Page
from periplus.sources.native.requests import BrokenPage, Requests
from periplus.sources.native.together import together


class Walk:
    """From the root downwards, each area once."""

    def __init__(self, requests: Requests, harvest: Harvest) -> None:
        self.broken: dict[str, str] = {}  # areas that could not be read, and why
        self._requests = requests
        self._harvest = harvest
        self._walked: set[str] = set()

    async def on(self, page: Page) -> None:
        """The root, whose first page is here, to its end."""
        self._harvest.take(page)
        try:
            await self._rest("", page)
        except BrokenPage as broken:
            self.broken[""] = broken.problem.message

    async def down(self, *, everywhere: bool) -> None:
        """Every area that lacks something, and those that come to light meanwhile; or simply every area."""
        while todo := [id_ for id_ in self._harvest.areas if self._is_due(id_, everywhere=everywhere)]:
            self._walked.update(todo)
            await together(partial(self._area, id_) for id_ in todo)

    def _is_due(self, id_: str, *, everywhere: bool) -> bool:
        return id_ not in self._walked and (everywhere or self._harvest.lacks(id_))

    async def _area(self, id_: str) -> None:
        try:
            page = await self._requests.area(id_)
            self._harvest.take(page)
            await self._rest(id_, page)
        except BrokenPage as broken:
            self.broken[id_] = broken.problem.message
        except Problem as problem:
            if problem.code not in {Code.NOT_FOUND, Code.PARSE_ERROR}:
                raise
            self.broken[id_] = problem.message

    async def _rest(self, id_: str, page: Page) -> None:
        while page.next is not None:
            before, page = page, await self._requests.area(id_, page.next)
            if page.repeats(before):
                return
            self._harvest.take(page)
