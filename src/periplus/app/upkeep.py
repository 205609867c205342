"""Keeping a catalog fresh while a gateway serves: configured sources are read, and read again when they are due."""

from __future__ import annotations

import logging
import re
from collections.abc import AsyncGenerator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path

import anyio
import anyio.to_thread

from periplus.app.changes import Changes
from periplus.app.configured import connect_configured
from periplus.core.gateway import Gateway
from periplus.model import Code, Problem, SourceRecord, SourceSpec
from periplus.settings import Settings

_log = logging.getLogger("periplus.upkeep")
_LOOK_S = 2.0  # how often files are looked at, and clocks
_SWEEP_S, _DAY_S = 3600.0, 86_400.0
_FIRST_RETRY_S, _LAST_RETRY_S = 30.0, 3600.0
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
_DURATION = re.compile(r"(\d+)\s*([smhd])")


def seconds(text: str, what: str = "refresh") -> float | None:
    """`6h`, `30m`, `45s`, `1d` in seconds; None for `off` and nothing at all."""
    if text.strip().lower() in ("", "off", "never"):
        return None
    found = _DURATION.fullmatch(text.strip().lower())
    if found is None:
        raise Problem(Code.BAD_SETTING, f"{what} = {text!r} is no time", hints=('write "30m", "6h", "1d" or "off"',))
    return int(found[1]) * _UNITS[found[2]]


@asynccontextmanager
async def kept_up(
    gateway: Gateway, settings: Settings, sources: Sequence[SourceSpec], changes: Changes, *, indexing: bool = False
) -> AsyncGenerator[None]:
    """Keep the catalog fresh beside what the block does; what goes wrong in the block leaves as it is."""
    async with AsyncExitStack() as closing:
        tasks = anyio.create_task_group()
        await tasks.__aenter__()
        closing.push_async_callback(tasks.__aexit__, None, None, None)
        closing.callback(tasks.cancel_scope.cancel)
        tasks.start_soon(changes.follow, gateway)
        tasks.start_soon(partial(keep_up, gateway, settings, sources, indexing=indexing))
        tasks.start_soon(improve, gateway)
        tasks.start_soon(sweep, gateway, settings)
        yield


async def keep_up(
    gateway: Gateway, settings: Settings, sources: Sequence[SourceSpec], *, indexing: bool = False
) -> None:
    """Read what the command line and the settings name, then what becomes due; one's failure is its own.

    `indexing`: bring the search index up at once after each change, so that no search has to wait for it.
    """
    watch = _Watch(gateway, indexing=indexing)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(watch.index)
        tasks.start_soon(connect_configured, gateway, settings.sources)
        for spec in sources:
            tasks.start_soon(_connect, gateway, spec)
    while True:
        await watch.index()
        await anyio.sleep(_LOOK_S)
        await watch.look()


async def improve(gateway: Gateway) -> None:
    """Learn from use, and make answers better than they have to be, while nobody waits for it."""
    while True:
        await anyio.sleep(_LOOK_S)  # first of all: who starts a gateway waits for its first answer
        try:
            await gateway.learn()
            while await gateway.indexed() and await gateway.refine():
                pass
        except Problem as problem:
            _log.warning("search is not improved: %s", problem.message)


async def sweep(gateway: Gateway, settings: Settings) -> None:
    """Forget conversations that are over, workflows among them, which are over last."""
    if not settings.workflow.session_ttl_days:
        return
    idle_s = max(settings.workflow.session_ttl_days * _DAY_S, float(settings.calls.session_idle_seconds))
    while True:
        try:
            if gone := await gateway.forget_idle(idle_s):
                _log.info("%d conversations are forgotten", gone)
        except Problem as problem:
            _log.warning("idle conversations are not forgotten: %s", problem.message)
        await anyio.sleep(_SWEEP_S)


async def _connect(gateway: Gateway, spec: SourceSpec) -> None:
    try:
        report = await gateway.connect(spec)
    except Problem as problem:
        _log.warning("%s could not be read: %s", spec.location, problem.message)
        return
    _log.info("%s: %d tools", report.source, report.counts.tools)


class _Watch:
    """What is due: by its refresh time, by a changed file, or again after a failure."""

    def __init__(self, gateway: Gateway, *, indexing: bool) -> None:
        self._gateway = gateway
        self._indexing = indexing
        self._due: dict[str, float] = {}
        self._failures: dict[str, int] = {}
        self._seen: dict[str, int] = {}

    async def look(self) -> None:
        """Read again what is due now."""
        try:
            records = await self._gateway.sources()
        except Problem as problem:  # the store is away: nothing to look at until it is back
            _log.warning("the sources cannot be listed: %s", problem.message)
            return
        for record in records:
            if record.spec.enabled and await self._is_due(record):
                await self._read(record)

    async def index(self) -> None:
        """Bring the index up to the catalog, if that is wanted ahead of the next search."""
        if not self._indexing:
            return
        try:
            if await self._gateway.indexed() != await self._gateway.revision():
                await self._gateway.index()
        except Problem as problem:  # searches say the same to whoever asks
            _log.warning("the search index is not up to date: %s", problem.message)

    async def _is_due(self, record: SourceRecord) -> bool:
        if (changed := await self._changed(record)) is not None:
            return changed
        if (every := _every(record)) is None:
            return False
        now = self._gateway.clock.now()
        due = self._due.setdefault(record.id, now + every)
        return now >= due

    async def _changed(self, record: SourceRecord) -> bool | None:
        """Whether the file behind a source is another one than before; None when it is no file."""
        if "://" in record.spec.url or not record.spec.url or record.spec.kind == "python":
            return None
        stamp = await anyio.to_thread.run_sync(_stamp, record.spec.url)
        if stamp is None:
            return None
        before = self._seen.setdefault(record.id, stamp)
        self._seen[record.id] = stamp
        return stamp != before

    async def _read(self, record: SourceRecord) -> None:
        now = self._gateway.clock.now()
        try:
            await self._gateway.sync(record.id)
        except Problem as problem:
            failed = self._failures[record.id] = self._failures.get(record.id, 0) + 1
            self._due[record.id] = now + min(_FIRST_RETRY_S * 2 ** (failed - 1), _LAST_RETRY_S)
            _log.warning("%s could not be read again: %s", record.id, problem.message)
            return
        self._failures.pop(record.id, None)
        self._due[record.id] = now + (_every(record) or _LAST_RETRY_S)


def _every(record: SourceRecord) -> float | None:
    try:
        return seconds(record.spec.refresh)
    except Problem:
        return None


def _stamp(path: str) -> int | None:
    try:
        found = Path(path).stat()
    except OSError:
        return None
    return found.st_mtime_ns ^ found.st_size
