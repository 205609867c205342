"""What happened in a session, read back from the trail in pages."""

from __future__ import annotations

from typing import Any

from periplus.core.workflows import tracing
from periplus.model import EventFilter, Recorded
from periplus.ports import Ledger

_PAGE = 1000


async def timeline(ledger: Ledger, sid: str) -> list[dict[str, Any]]:
    """Every event of a session as get_trace shows it, oldest first."""
    return [tracing.told(row.event, sid) for row in await steps_after(ledger, sid, 0)]


async def steps_after(ledger: Ledger, sid: str, after: int) -> list[Recorded]:
    """The calls of a session that were recorded after a row of the trail."""
    which = EventFilter(session=sid, verb="run")
    rows: list[Recorded] = []
    while True:
        page = await ledger.events(which, after, _PAGE)
        rows += [row for row in page if tracing.is_step(row)]
        if len(page) < _PAGE or len(rows) > tracing.SHOWN:
            return rows
        after = page[-1].seq
