"""Sources that the settings name: read when they are new to the catalog or configured otherwise than before."""

from __future__ import annotations

from collections.abc import Mapping

import anyio
import msgspec

from periplus.core.gateway import Gateway
from periplus.model import Problem, SourceSpec


async def connect_configured(gateway: Gateway, wanted: Mapping[str, SourceSpec]) -> None:
    """Read configured sources that are new or configured otherwise, side by side; one's failure is its own."""
    if not wanted:
        return
    stored = {record.id: record for record in await gateway.sources()}

    async def connect(spec: SourceSpec) -> None:
        try:
            await gateway.connect(spec)
        except Problem as problem:
            await gateway.keep(spec, problem)

    async with anyio.create_task_group() as tasks:
        for name, spec in wanted.items():
            record = stored.get(name)
            if spec.enabled and (record is None or not _configured_as(record.spec, spec)):
                tasks.start_soon(connect, spec)


def _configured_as(stored: SourceSpec, spec: SourceSpec) -> bool:
    """Whether what is stored came from this table: looking may have added a kind and a nearer address."""
    if stored.asked:
        stored = msgspec.structs.replace(stored, url=stored.asked, asked="")
    return stored == (spec if spec.kind else msgspec.structs.replace(spec, kind=stored.kind))
