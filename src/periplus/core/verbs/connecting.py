"""The verb connect: sources come into the catalog, are read again, and leave it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from periplus.core import telling
from periplus.core.connect import Progress, quiet
from periplus.core.intake.pins import Changed
from periplus.core.wired import Wired
from periplus.model import LOCAL, LoadReport, Principal, Problem, SourceRecord, SourceSpec
from periplus.ports import no_progress
from periplus.ports.transports import Progress as Told


class ConnectVerbs(Wired):
    """What a catalog is read from."""

    async def connect(
        self,
        spec: SourceSpec | str,
        *,
        principal: Principal = LOCAL,
        refresh: bool = False,
        accept: bool = False,
        progress: Progress = quiet,
    ) -> LoadReport:
        """Read a source into the catalog; again, it costs one conditional request and writes nothing.

        As on the command line a text is a URL, a file, or one with its kind before it, such as `python:MODULE`.
        `refresh` reads it even if it says it has not changed; `accept` takes a change that is held back because
        it would remove most of its tools.
        """
        async with self._audit.event("connect", principal, telling.place_of(spec)) as note:
            if isinstance(spec, str):
                spec = await self._sourcing.located(spec)
            spec = await self._sourcing.settled(spec, principal)
            note.about(spec.id)
            report = await self._sourcing.connect(spec, progress, refresh=refresh, accept=accept)
            telling.connected(note, report)
        return report

    async def join(
        self,
        spec: SourceSpec,
        *,
        principal: Principal,
        refresh: bool = False,
        told: Told = no_progress,
        wait_s: float = 600.0,
    ) -> LoadReport | None:
        """Connect a source for this principal alone, as agents do; None when it takes longer and goes on by itself.

        Asked again meanwhile, it waits for the same work. A place that is in the catalog already is not read twice.
        """
        key = ("join", principal.tenant, principal.id, spec.location)
        job = self._jobs.of(key, partial(self._join, spec, principal, refresh))
        return await job.result(wait_s, told)

    async def joining(self, location: str, *, principal: Principal, wait_s: float) -> bool:
        """Wait for a source that `join` left to itself: whether it is still being read. Raises what it failed with."""
        job = self._jobs.running(("join", principal.tenant, principal.id, location))
        if job is None:
            return False
        await job.result(wait_s)
        return not job.is_over

    async def _join(
        self,
        spec: SourceSpec,
        principal: Principal,
        refresh: bool,  # noqa: FBT001 - handed on as it was given
        progress: Progress,
    ) -> LoadReport:
        async with self._audit.event("connect", principal, telling.place_of(spec)) as note:
            spec = await self._sourcing.invited(spec, principal)
            note.about(spec.id)
            report = await self._sourcing.connect(spec, progress, refresh=refresh, accept=False)
            telling.connected(note, report)
        await self._searching.listed(progress)
        return report

    async def sync(
        self, source: str, *, principal: Principal = LOCAL, accept: bool = False, progress: Progress = quiet
    ) -> LoadReport:
        """Read a stored source again as it is configured."""
        record = await self.source(source, principal=principal)
        return await self.connect(record.spec, principal=principal, accept=accept, progress=progress)

    async def keep(self, spec: SourceSpec, problem: Problem) -> None:
        """Keep a configured source that could not be read yet: listed, unavailable, with the reason."""
        await self._sourcing.keep(spec, problem)

    async def disconnect(self, source: str, *, principal: Principal = LOCAL) -> None:
        """Forget a source and its tools."""
        async with self._audit.event("connect", principal, source) as note:
            note.add(op="disconnect")
            await self._sourcing.disconnect(source, principal)

    async def changed(self, source: str, *, principal: Principal = LOCAL) -> tuple[Changed, ...]:
        """Tools whose texts or schemas changed since they were first seen or accepted, where the source pins them."""
        return await self._sourcing.changed(source, principal)

    async def accept(self, source: str, *tools: str, principal: Principal = LOCAL) -> tuple[str, ...]:
        """Take changed tools as they are now, these or all of the source; what was not shown is not taken."""
        async with self._audit.event("connect", principal, source) as note:
            note.add(op="accept")
            accepted = await self._sourcing.accept(source, tools, principal)
            note.shown(accepted)
        return accepted

    async def sources(self, *, principal: Principal = LOCAL) -> Sequence[SourceRecord]:
        """The sources a principal may see."""
        return await self._sourcing.all(principal)

    async def source(self, source: str, *, principal: Principal = LOCAL) -> SourceRecord:
        """One source with its load report."""
        return await self._sourcing.one(source, principal)

    def upstream_log(self, source: str) -> Sequence[str]:
        """The last lines the process behind a source wrote to stderr, while it runs."""
        return self._parts.upstream_log(source)
