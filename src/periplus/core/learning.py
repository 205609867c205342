"""What the trail teaches searches: which tool was called after which goal, and whether that went well (R-8)."""

from __future__ import annotations

from datetime import datetime

from periplus.model import Code, Event, EventFilter, Recorded, Use
from periplus.ports import Ledger

_BATCH = 500
_LOOKED_AT = 10  # searches before a call, in its session, that may have shown its tool
_WRONG = {Code.UPSTREAM_ERROR.value, Code.INVALID_ARGS.value}  # other refusals say nothing about the choice


async def uses_after(ledger: Ledger, seq: int) -> tuple[list[Use], int]:
    """Uses that calls after a row tell of, and the row up to which all are told."""
    tip = (await ledger.tip())[0]
    rows = await ledger.events(EventFilter(verb="call"), seq, _BATCH)
    uses = [use for row in rows if (use := await _use_of(ledger, row))]
    return uses, rows[-1].seq if len(rows) == _BATCH else max(tip, seq)


async def _use_of(ledger: Ledger, row: Recorded) -> Use | None:
    event = row.event
    well = event.outcome == "ok"
    if "op" in event.detail or not (well or event.outcome in _WRONG):
        return None
    goal = await _goal_before(ledger, row)
    if not goal:
        return None
    return Use(goal=goal, ref=event.subject, tenant=event.tenant, at=_seconds(event), well=well)


async def _goal_before(ledger: Ledger, row: Recorded) -> str:
    """What was searched for when the called tool was shown last, in the same conversation by the same caller."""
    event = row.event
    if not (event.session or event.trace):
        return ""
    place = {"session": event.session} if event.session else {"trace": event.trace}
    which = EventFilter(tenant=event.tenant, principal=event.principal, verb="search", **place)
    for found in await ledger.latest(which, row.seq, _LOOKED_AT):
        said = found.event
        if event.subject in said.shown and "op" not in said.detail:
            return "" if said.subject.startswith("sha256:") else said.subject
    return ""


def _seconds(event: Event) -> float:
    return datetime.fromisoformat(event.at).timestamp()
