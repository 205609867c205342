"""The index kept in step with the store, by one process at a time, and made better than it has to be."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, TypeVar

import anyio
import anyio.from_thread
import anyio.to_thread

from periplus.core.collecting import collecting_rarely
from periplus.core.connect import Progress, quiet
from periplus.core.schema.signature import one_line
from periplus.core.turns import Turns
from periplus.model import Scope, Selector, Tool, ToolRef
from periplus.ports import Clock, SearchEngine, Store

_T = TypeVar("_T")
_log = logging.getLogger("periplus.search")
_LEASE, _REFINING = "index", "refining"
_SLICE = 64
_BATCH = 500
_FEW = 2000
_SIGNATURE_MAX = 400


class Indexing:
    """The engine of one gateway, loaded when it is first needed."""

    def __init__(self, store: Store, clock: Clock, load: Callable[[], SearchEngine]) -> None:
        self._store = store
        self._load = load
        self._engine: SearchEngine | None = None
        self._turns = Turns(store, clock)
        self._one = anyio.Lock()

    async def ready(self, progress: Progress = quiet) -> SearchEngine:
        """The engine, over an index of the store's present revision."""
        engine = await self.loaded()
        if engine.revision == await self._store.revision() and not engine.damage:
            return engine
        async with self._one:
            while not await self._in_step(engine):
                await self._turns.alone(_LEASE, partial(self._catch_up, engine, progress))
        return engine

    async def loaded(self) -> SearchEngine:
        """The engine as it is, for what does not ask about tools."""
        if self._engine is None:
            self._engine = await anyio.to_thread.run_sync(self._load)
        return self._engine

    async def _in_step(self, engine: SearchEngine) -> bool:
        await aside(engine.refresh)
        return engine.revision == await self._store.revision() and not engine.damage

    async def _catch_up(self, engine: SearchEngine, progress: Progress) -> None:
        if not await self._in_step(engine):  # another process was at it meanwhile: its files are ours too
            await self._bring_up(engine, progress)

    async def _bring_up(self, engine: SearchEngine, progress: Progress) -> None:
        """Index what differs between the files and the store; everything when there is nothing to start from."""
        revision = await self._store.revision()
        if engine.damage:
            _log.warning("the search index is built anew: %s", engine.damage)
        if not engine.revision or engine.damage or engine.outdated:
            await self._rebuild(engine, revision, progress)
            return
        records = {record.id: record for record in await self._store.sources()}
        refs: list[ToolRef] = []
        removed: set[str] = set()
        for source in await aside(engine.sources):
            if source not in records:
                removed |= (await aside(engine.stale, source, {}))[1]
        for source, record in records.items():
            if record.revision > engine.revision:
                known = await self._store.known(source)
                wanted = {old.path: old.mark for old in known.values()}
                paths, gone = await aside(engine.stale, source, wanted)
                refs += [ToolRef(source, path) for path in sorted(paths)]
                removed |= gone
        if len(refs) > _FEW:
            await self._rebuild(engine, revision, progress)
            return
        tools = [tool for ref in refs if (tool := await self._store.tool(ref, only(ref)))]
        pairs = [(tool, line_of(tool)) for tool in tools]
        await aside(engine.update, revision, pairs, removed)

    async def _rebuild(self, engine: SearchEngine, revision: int, progress: Progress) -> None:
        stream = self._store.walk()

        async def batch() -> list[Tool]:
            tools: list[Tool] = []
            async for tool in stream:
                tools.append(tool)
                if len(tools) == _BATCH:
                    break
            return tools

        def pairs() -> Iterator[tuple[Tool, str]]:
            done = 0
            while tools := anyio.from_thread.run(batch):
                done += len(tools)
                progress("index", done, None)
                for tool in tools:
                    yield tool, line_of(tool)

        with collecting_rarely():
            await anyio.to_thread.run_sync(lambda: engine.rebuild(revision, pairs()))

    async def refine(self) -> int:
        """A slice of what makes answers better and takes long: how many tools it was about, 0 when all is done."""
        engine = await self.ready()
        if engine.outdated:
            return await self._turns.alone(_LEASE, partial(self._renew, engine))
        if not await aside(engine.lacking, 1):
            return 0
        return await self._turns.alone(_REFINING, partial(self._refine, engine))

    async def _renew(self, engine: SearchEngine) -> int:
        """Another version of the model encoded it, or it is scattered: searches go on over what is there."""
        await aside(engine.refresh)
        if engine.outdated:
            await self._rebuild(engine, await self._store.revision(), quiet)
        return 1

    async def _refine(self, engine: SearchEngine) -> int:
        refs = [ToolRef.parse(ref) for ref in await aside(engine.lacking, _SLICE)]
        tools = [tool for ref in refs if (tool := await self._store.tool(ref, only(ref)))]
        return await aside(engine.refine, tools) if tools else 0


def line_of(tool: Tool) -> str:
    """The one-line signature a hit shows, without the ref it stands beside."""
    line = one_line(tool).removeprefix(str(tool.ref))
    return line if len(line) <= _SIGNATURE_MAX else f"{line[: _SIGNATURE_MAX - 1]}…"


def only(ref: ToolRef) -> Scope:
    """In which one tool is, and no other."""
    return Scope(allow=(Selector(ref=str(ref)),))


async def aside(work: Callable[..., _T], *values: Any, **named: Any) -> _T:
    """CPU work off the event loop."""
    return await anyio.to_thread.run_sync(partial(work, *values, **named))
