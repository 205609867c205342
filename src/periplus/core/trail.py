"""Reading the trail: its rows for those who may see them, the way that led to a call, proof, and export."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Sequence

import anyio.to_thread
import msgspec

from periplus.core.chain import Anchor, Chain, Checked
from periplus.model import LOCAL, Code, EventFilter, Principal, Problem, Recorded
from periplus.ports import Ledger

_BATCH = 1000
_ALL = EventFilter()
_encode = msgspec.json.Encoder(order="deterministic").encode


class _Tip(msgspec.Struct, frozen=True):
    seq: int
    hash: str


class _Last(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The last line of an export."""

    tip: _Tip


_row = msgspec.json.Decoder(Recorded).decode
_last = msgspec.json.Decoder(_Last).decode


class FoundBy(msgspec.Struct, frozen=True, kw_only=True):
    """Where somebody had a tool from: the row that showed it, and at which place there."""

    seq: int
    rank: int


class Trail:
    """The audit trail of one gateway."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    async def latest(
        self, which: EventFilter = _ALL, *, principal: Principal = LOCAL, before: int | None = None, limit: int = 50
    ) -> Sequence[Recorded]:
        """The newest rows, oldest of them first."""
        mine = _admitted(which, principal)
        return list(await self._ledger.latest(mine, before, limit))[::-1] if mine else []

    async def after(
        self, seq: int, which: EventFilter = _ALL, *, principal: Principal = LOCAL, limit: int = _BATCH
    ) -> Sequence[Recorded]:
        """The rows that came after one, oldest first."""
        mine = _admitted(which, principal)
        return await self._ledger.events(mine, seq, limit) if mine else []

    async def tip(self) -> int:
        """The number of the last row."""
        return (await self._ledger.tip())[0]

    async def verify(self, anchor: Anchor | None = None, *, principal: Principal = LOCAL) -> Checked:
        """Follow the whole chain as it stands now."""
        _check_operator(principal)
        tip = await self._ledger.tip()
        chain = Chain(anchor)
        async for rows in self._batches(0, tip[0]):
            await anyio.to_thread.run_sync(_follow, chain, rows)
        return chain.end(tip)

    async def export(self, after: int = 0, *, principal: Principal = LOCAL) -> AsyncIterator[bytes]:
        """One line for each row after a number, with its hashes, and one that says where the trail ended."""
        _check_operator(principal)
        seq, hash_ = await self._ledger.tip()
        async for rows in self._batches(after, seq):
            for row in rows:
                yield _encode(row) + b"\n"
        yield _encode(_Last(tip=_Tip(seq, hash_))) + b"\n"

    async def _batches(self, after: int, last: int) -> AsyncIterator[Sequence[Recorded]]:
        """Rows up to a last one: what is written meanwhile is another time's."""
        while after < last:
            rows = [row for row in await self._ledger.events(_ALL, after, _BATCH) if row.seq <= last]
            if not rows:
                return
            after = rows[-1].seq
            yield rows


def check_lines(lines: Iterable[bytes], anchor: Anchor | None = None) -> Checked:
    """Whether an export is as it was written, down to the byte."""
    chain, began, tip = Chain(anchor), False, None
    for number, line in enumerate(lines, 1):
        row = _as_row(line)
        if row is None:
            tip = _as_tip(line)
            if tip is None:
                chain.unreadable(number)
            continue
        if not began and row.seq > 1:
            chain.begin(row)
        began = True
        chain.take(row)
    return chain.end(tip)


def found_by(rows: Iterable[Recorded]) -> dict[int, FoundBy]:
    """For each row that reads or calls a tool: the one before it, in its session or trace, that showed the tool."""
    seen: dict[tuple[str, str], FoundBy] = {}
    links: dict[int, FoundBy] = {}
    for row in rows:
        event = row.event
        places = [place for place in (event.session, event.trace) if place]
        if event.verb in {"search", "browse"}:
            for rank, name in enumerate(event.shown, 1):
                seen.update(((place, name), FoundBy(seq=row.seq, rank=rank)) for place in places)
            continue
        found = [seen[place, event.subject] for place in places if (place, event.subject) in seen]
        if found:
            links[row.seq] = max(found, key=lambda link: link.seq)
    return links


def _admitted(which: EventFilter, principal: Principal) -> EventFilter | None:
    """A filter within what somebody may see; None where nothing is left."""
    if principal.is_admin and not principal.tenant:
        return which
    if which.tenant not in (None, principal.tenant):
        return None
    which = msgspec.structs.replace(which, tenant=principal.tenant)
    if principal.is_admin:
        return which
    if which.principal not in ("", principal.id):
        return None
    return msgspec.structs.replace(which, principal=principal.id)


def _check_operator(principal: Principal) -> None:
    if not principal.is_admin or principal.tenant:
        raise Problem(
            Code.FORBIDDEN, "the whole trail is for the operator", hints=("ask for your own rows", "use an admin key")
        )


def _follow(chain: Chain, rows: Sequence[Recorded]) -> None:
    for row in rows:
        chain.take(row)


def _as_row(line: bytes) -> Recorded | None:
    """A line read back, if it is what writing it again gives."""
    try:
        row = _row(line)
    except (msgspec.DecodeError, ValueError):
        return None
    return row if _encode(row) == line.rstrip(b"\r\n") else None


def _as_tip(line: bytes) -> tuple[int, str] | None:
    try:
        last = _last(line)
    except (msgspec.DecodeError, ValueError):
        return None
    return last.tip.seq, last.tip.hash
