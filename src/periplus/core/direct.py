"""Tools that an operator pins beside what a face offers, by `expose = "direct"` in the table of their source."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence

from periplus.model import DIRECT, Scope, SourceRecord, Tool
from periplus.ports import Store

_MOST = 300
"""More tools than this in one list are what discovery is there to avoid."""

_PAGE = 200
_KEPT = 100


class Direct:
    """The pinned tools by who may see them, read once for each revision of the catalog."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._known: OrderedDict[tuple[int, Scope, tuple[str, ...]], tuple[Tool, ...]] = OrderedDict()

    async def tools(self, scope: Scope, sources: Sequence[SourceRecord]) -> tuple[Tool, ...]:
        """In order of ref; the first of them where there are too many."""
        pinning = tuple(sorted(one.id for one in sources if DIRECT in one.spec.expose and one.spec.enabled))
        if not pinning:
            return ()
        place = (await self._store.revision(), scope, pinning)
        found = self._known.get(place)
        if found is None:
            found = self._known[place] = await self._read(pinning, scope)
            if len(self._known) > _KEPT:
                self._known.popitem(last=False)
        return found

    async def _read(self, pinning: Sequence[str], scope: Scope) -> tuple[Tool, ...]:
        tools: list[Tool] = []
        for source in pinning:
            after = ""
            while len(tools) < _MOST:
                lines = await self._store.tools(source, scope, after, _PAGE, deep=True)
                for line in lines[: _MOST - len(tools)]:
                    tool = await self._store.tool(line.ref, scope)
                    if tool is not None:
                        tools.append(tool)
                if len(lines) < _PAGE:
                    break
                after = str(lines[-1].ref)
        return tuple(tools)
