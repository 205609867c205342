"""The index kept in step with the store, by one process at a time, and made better than it has to be."""

from __future__ import annotations

import logging
import math
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, TypeVar

import anyio
import anyio.from_thread
import anyio.to_thread

from periplus.core.collecting import collecting_rarely
from periplus.core.connect import Progress, quiet
from periplus.core.jobs import Job, Jobs, Tell
from periplus.core.returning import give_back
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

    def __init__(self, store: Store, clock: Clock, load: Callable[[], SearchEngine], jobs: Jobs) -> None:
        self._store = store
        self._load = load
        self._engine: SearchEngine | None = None
        self._jobs = jobs
        self._turns = Turns(store, clock)
        self._one = anyio.Lock()

    async def listed(self, progress: Progress = quiet) -> SearchEngine:
        """The engine, over an index whose names and texts are those of the store's present revision.

        What the words of its tools mean is read on beside it, where there are very many of them.
        """
        engine = await self.loaded()
        if engine.revision != await self._store.revision() or engine.damage:
            await give_back()
            async with self._one:
                while not await self._in_step(engine):
                    await self._turns.alone(_LEASE, partial(self._catch_up, engine, progress))
        if engine.unread:
            self._reading()
        return engine

    async def ready(self, progress: Progress = quiet, *, wait_s: float = math.inf) -> SearchEngine:
        """The engine, once it has read every tool's words; after so long, with those that it has read by then."""
        engine = await self.listed(progress)
        if engine.unread:
            await self._reading().result(wait_s, partial(_tell, progress))
        return engine

    def _reading(self) -> Job[None]:
        """The work that reads words, going on in this process until there is nothing left to read."""
        return self._jobs.of("index", self._read)

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
        if not engine.revision or engine.damage:
            async with _read_by(self._store.walk(), progress) as pairs:
                await aside(engine.update, revision, pairs, (), anew=True)
            return
        changed, removed = await self._differing(engine)
        async with _read_by(self._tools(changed), progress) as pairs:
            await aside(engine.update, revision, pairs, removed)

    async def _differing(self, engine: SearchEngine) -> tuple[dict[str, set[str] | None], set[str]]:
        """The paths to index anew by source, None where that is all of them, and the refs to forget."""
        records = {record.id: record for record in await self._store.sources()}
        indexed = await aside(engine.sources)
        changed: dict[str, set[str] | None] = {}
        removed: set[str] = set()
        for source in indexed - records.keys():
            removed |= (await aside(engine.stale, source, {}))[1]
        for source, record in records.items():
            if record.revision > engine.revision and source in indexed:
                known = await self._store.known(source)
                wanted = {old.path: old.mark for old in known.values()}
                changed[source], gone = await aside(engine.stale, source, wanted)
                removed |= gone
            elif record.revision > engine.revision:
                changed[source] = None
        return changed, removed

    async def _tools(self, changed: Mapping[str, set[str] | None]) -> AsyncGenerator[Tool]:
        for source, paths in changed.items():
            if paths is None or len(paths) > _FEW:
                async for tool in self._store.walk(source):
                    if paths is None or tool.path in paths:
                        yield tool
                continue
            for ref in (ToolRef(source, path) for path in sorted(paths)):
                if found := await self._store.tool(ref, only(ref)):
                    yield found

    async def _read(self, tell: Tell) -> None:
        """Step by step, so that others can write in between."""
        engine = await self.loaded()
        total = engine.unread
        while await self._turns.alone(_LEASE, partial(self._settle, engine)):
            tell("index", total - engine.unread, total)
        await give_back()

    async def _settle(self, engine: SearchEngine) -> bool:
        await aside(engine.refresh)
        with collecting_rarely():
            return await aside(engine.settle)

    async def refine(self) -> int:
        """A slice of what makes answers better and takes long: how many tools it was about, 0 when all is done."""
        engine = await self.ready()
        if engine.outdated:
            return await self._turns.alone(_LEASE, partial(self._renew, engine))
        if engine.scattered:
            return int(await self._turns.alone(_LEASE, partial(self._settle, engine)))
        if not await aside(engine.lacking, 1):
            return 0
        return await self._turns.alone(_REFINING, partial(self._refine, engine))

    async def _renew(self, engine: SearchEngine) -> int:
        """Another version of the model encoded it: searches go on over what is there."""
        await aside(engine.refresh)
        if engine.outdated:
            revision = await self._store.revision()
            async with _read_by(self._store.walk(), quiet) as pairs:
                await aside(engine.rebuild, revision, pairs)
        return 1

    async def _refine(self, engine: SearchEngine) -> int:
        refs = [ToolRef.parse(ref) for ref in await aside(engine.lacking, _SLICE)]
        tools = [tool for ref in refs if (tool := await self._store.tool(ref, only(ref)))]
        return await aside(engine.refine, tools) if tools else 0


async def _tell(progress: Progress, done: float, total: float | None, stage: str) -> None:
    progress(stage, int(done), None if total is None else int(total))


@asynccontextmanager
async def _read_by(stream: AsyncIterator[Tool], progress: Progress) -> AsyncGenerator[Iterator[tuple[Tool, str]]]:
    """Tools with their one-line signatures, for a thread that reads them while this lasts."""

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
        yield pairs()


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
