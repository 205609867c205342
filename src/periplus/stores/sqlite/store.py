"""The store as the core sees it: each method is one transaction on a worker thread."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from anyio import CancelScope, CapacityLimiter, from_thread, to_thread

from periplus.model import Node, Placed, Scope, SourceRecord, Tool, ToolLine, ToolRef
from periplus.ports import Change, Known
from periplus.stores.sqlite import browse, read
from periplus.stores.sqlite import change as changing
from periplus.stores.sqlite.connect import CATALOG, connect_reader, connect_writer
from periplus.stores.sqlite.faults import told
from periplus.stores.sqlite.readers import READERS, Readers
from periplus.stores.sqlite.unchanged import Unchanged

_T = TypeVar("_T")
_WALK = 500  # tools that are in memory at once while an index is built
_SOURCES = "sources"
_LIGHT = 32 << 10  # bytes of a tool that are read again on the event loop: a fraction of a millisecond


class SqliteStore:
    """One connection writes, a few read. WAL lets each reader see one whole revision while the writer works."""

    def __init__(self, path: Path, writer: sqlite3.Connection) -> None:
        self._path = path
        self._writer = writer
        self._readers = Readers(path, CATALOG)
        self._read = self._readers.read
        self._writing = CapacityLimiter(1)
        self._walking = CapacityLimiter(READERS)
        self._browser = browse.Browser()
        self._records = read.Records()
        self._unchanged = Unchanged(path)

    @classmethod
    async def open(cls, directory: Path) -> SqliteStore:
        """Open the catalog in this data directory, which is made if need be."""
        path = directory / CATALOG.file
        return cls(path, await to_thread.run_sync(connect_writer, path, CATALOG))

    async def close(self) -> None:
        """Wait for what is being written, then let go of the file."""
        with CancelScope(shield=True):
            self._readers.shut()
            await to_thread.run_sync(self._let_go, limiter=self._writing)

    async def revision(self) -> int:
        return await self._read(read.revision)

    async def sources(self) -> Sequence[SourceRecord]:
        self._readers.check_open()
        known: Sequence[SourceRecord] | None = self._unchanged.known(_SOURCES)
        if known is None:
            state = self._unchanged.state()
            known = tuple(await self._read(self._records.sources))
            self._unchanged.keep(_SOURCES, known, state)
        return list(known)

    async def source(self, source: str) -> SourceRecord | None:
        return await self._read(read.source, source)

    async def known(self, source: str) -> Mapping[str, Known]:
        return await self._read(read.known, source)

    async def retired(self, source: str, since: float) -> Mapping[str, str]:
        return await self._read(read.retired, source, since)

    async def apply(self, change: Change, at: float) -> int:
        return await self._write(changing.apply, change, at, from_thread.check_cancelled)

    async def mark(self, record: SourceRecord) -> None:
        await self._write(changing.mark, record)

    async def remove(self, source: str, at: float) -> int:
        return await self._write(changing.remove, source, at, from_thread.check_cancelled)

    async def tool(self, ref: ToolRef, scope: Scope) -> Tool | None:
        self._readers.check_open()
        known: read.Rows | None = self._unchanged.known((ref, scope))
        if known is not None:
            return read.made(ref, known)
        state = self._unchanged.state()
        rows, tool = await self._read(read.found, ref, scope)
        if read.weight(rows) <= _LIGHT:
            self._unchanged.keep((ref, scope), rows, state)
        return tool

    async def resolve(self, folded: str, scope: Scope, limit: int) -> Sequence[tuple[ToolRef, tuple[str, ...]]]:
        return await self._read(read.resolve, folded, scope, limit)

    async def node(self, path: str, scope: Scope) -> Node | None:
        return await self._read(self._browser.node, path, scope)

    async def nodes_at(self, paths: Sequence[str], scope: Scope) -> Sequence[Node]:
        return await self._read(self._browser.nodes_at, paths, scope)

    async def children(self, path: str, scope: Scope, after: str, limit: int, *, depth: int = 1) -> Sequence[Node]:
        return await self._read(partial(self._browser.children, depth=depth), path, scope, after, limit)

    async def tags(self, paths: Sequence[str], scope: Scope, limit: int) -> Mapping[str, tuple[str, ...]]:
        return await self._read(browse.tags, paths, scope, limit)

    async def tools(self, path: str, scope: Scope, after: str, limit: int, *, deep: bool = False) -> Sequence[ToolLine]:
        return await self._read(partial(browse.tools, deep=deep), path, scope, after, limit)

    async def nodes(self, path: str, scope: Scope) -> Sequence[Node]:
        return await self._read(self._browser.nodes, path, scope)

    async def tools_from(self, path: str, scope: Scope, offset: int, limit: int) -> tuple[Sequence[ToolRef], int]:
        return await self._read(self._browser.tools_from, path, scope, offset, limit)

    async def standing(self, path: str, scope: Scope) -> Mapping[str, int]:
        return await self._read(browse.standing, path, scope)

    async def several(self, refs: Sequence[ToolRef], scope: Scope) -> Sequence[Tool]:
        return await self._read(read.several, refs, scope)

    async def placed(self, refs: Sequence[ToolRef], scope: Scope) -> Mapping[ToolRef, Placed]:
        return await self._read(browse.placed, refs, scope)

    async def walk(self, source: str | None = None) -> AsyncIterator[Tool]:
        """On a connection of its own, so that one revision is seen to the end and nobody waits for it."""
        connection = await to_thread.run_sync(self._begin_walk, limiter=self._walking)
        try:
            place: Any = None
            while True:
                more = partial(self._told, read.batch, connection, source, place, _WALK)
                place, tools = await to_thread.run_sync(more, limiter=self._walking)
                for tool in tools:
                    yield tool
                if len(tools) < _WALK:
                    return
        finally:
            connection.close()

    async def near(self, words: Sequence[str], scope: Scope, limit: int) -> Sequence[ToolRef]:
        return await self._read(read.near, words, scope, limit)

    async def lease(self, name: str, holder: str, until: float, now: float) -> bool:
        return await self._write(changing.take_lease, name, holder, until, now)

    async def _write(self, act: Callable[..., _T], *values: Any) -> _T:
        return await to_thread.run_sync(partial(self._act, act, *values), limiter=self._writing)

    def _act(self, act: Callable[..., _T], *values: Any) -> _T:
        self._readers.check_open()
        with told(self._path):
            self._writer.execute("BEGIN IMMEDIATE")
            try:
                result = act(self._writer, *values)
                self._writer.execute("COMMIT")
            except BaseException:
                # A full disk has rolled back already; then there is nothing left to undo.
                if self._writer.in_transaction:
                    self._writer.execute("ROLLBACK")
                raise
        return result

    def _told(self, ask: Callable[..., _T], *values: Any) -> _T:
        with told(self._path):
            return ask(*values)

    def _begin_walk(self) -> sqlite3.Connection:
        self._readers.check_open()
        connection = connect_reader(self._path, CATALOG)
        with told(self._path):
            connection.execute("BEGIN")
        return connection

    def _let_go(self) -> None:
        self._unchanged.close()
        self._readers.let_go()
        self._writer.close()


@asynccontextmanager
async def open_store(directory: Path) -> AsyncGenerator[SqliteStore, None]:
    """The catalog in this data directory, for as long as the block runs."""
    store = await SqliteStore.open(directory)
    try:
        yield store
    finally:
        await store.close()
