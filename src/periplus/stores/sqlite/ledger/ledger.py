"""The ledger as the core sees it: each method is one transaction, or its part in one that others share."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from anyio import CancelScope, to_thread

from periplus.model import ApiKey, Approval, ApprovalState, Event, EventFilter, Kept, Principal, Rate, Recorded, Session
from periplus.stores.sqlite.connect import LEDGER, connect_writer
from periplus.stores.sqlite.ledger import approvals, audit, keys, values
from periplus.stores.sqlite.ledger.batches import Batches
from periplus.stores.sqlite.readers import Readers

_USES = 100  # a use of a session is written down when this share of its time has gone by since the last one


class SqliteLedger:
    """`Ledger`, `Sessions` and `Keys` in one file. Uses and draws are written without a wait for the disk."""

    def __init__(self, path: Path, writer: sqlite3.Connection) -> None:
        self._readers = Readers(path, LEDGER)
        self._read = self._readers.read
        self._batches = Batches(path, writer)
        self._write = self._batches.write

    @classmethod
    async def open(cls, directory: Path) -> SqliteLedger:
        """Open the ledger in this data directory, which is made if need be."""
        path = directory / LEDGER.file
        return cls(path, await to_thread.run_sync(connect_writer, path, LEDGER))

    async def close(self) -> None:
        with CancelScope(shield=True):
            self._readers.shut()
            self._readers.let_go()
            await self._batches.close()

    # --- audit --------------------------------------------------------------------------------------------

    async def record(self, event: Event) -> Recorded:
        return await self._batches.add(audit.record, event)

    async def events(self, which: EventFilter, after: int, limit: int) -> Sequence[Recorded]:
        return await self._read(audit.events, which, after, limit)

    async def latest(self, which: EventFilter, before: int | None, limit: int) -> Sequence[Recorded]:
        return await self._read(audit.latest, which, before, limit)

    async def tip(self) -> tuple[int, str]:
        return await self._read(audit.tip)

    # --- approvals ----------------------------------------------------------------------------------------

    async def ask(self, approval: Approval) -> Approval:
        return await self._write(approvals.ask, approval)

    async def approval(self, id_: str) -> Approval | None:
        return await self._read(approvals.get, id_)

    async def approvals(
        self, tenant: str | None, state: ApprovalState | None, after: str, limit: int
    ) -> Sequence[Approval]:
        return await self._read(approvals.listed, tenant, state, after, limit)

    async def settle(self, approval: Approval) -> Approval:
        return await self._write(approvals.settle, approval)

    async def spend(self, id_: str, binding: str, now: float) -> Approval:
        return await self._write(approvals.spend, id_, binding, now)

    # --- values -------------------------------------------------------------------------------------------

    async def keep(self, kept: Kept) -> None:
        await self._write(values.keep, kept)

    async def kept(self, id_: str, now: float) -> Kept | None:
        return await self._write(values.kept, id_, now, durable=False)

    async def drop(self, ids: Sequence[str]) -> None:
        await self._write(values.drop, ids)

    async def sweep(self, now: float, idle_s: float) -> int:
        gone = await self._write(values.sweep, now, idle_s)
        return gone + await self._write(approvals.expire, now)

    async def session(self, principal: Principal, id_: str, now: float, idle_s: float) -> Session | None:
        seen = await self._read(values.peek, principal, id_, now, idle_s)
        if seen is None:
            return None
        session, used = seen
        if now - used < idle_s / _USES:
            return session
        return await self._write(values.session, principal, id_, now, idle_s, durable=False)

    async def peek(self, principal: Principal, id_: str, now: float, idle_s: float) -> Session | None:
        seen = await self._read(values.peek, principal, id_, now, idle_s)
        return seen[0] if seen else None

    async def save(self, session: Session, now: float, idle_s: float) -> Session:
        return await self._write(values.save, session, now, idle_s)

    async def advance(self, session: Session, event: Event, now: float, idle_s: float) -> Session:
        return await self._write(_advance, session, event, now, idle_s)

    async def owner(self, id_: str) -> Principal | None:
        return await self._read(values.owner, id_)

    async def recent(self, principal: Principal | None, prefix: str, limit: int) -> Sequence[Session]:
        return await self._read(values.recent, principal, prefix, limit)

    async def end(self, principal: Principal, id_: str) -> None:
        await self._write(values.end, principal, id_)

    async def sweep_sessions(self, now: float, idle_s: float) -> int:
        return await self._write(values.sweep_sessions, now, idle_s)

    async def draw(self, bucket: str, rate: Rate, now: float) -> float:
        return await self._write(values.draw, bucket, rate, now, durable=False)

    # --- keys ---------------------------------------------------------------------------------------------

    async def add_key(self, key: ApiKey) -> None:
        await self._write(keys.add, key)

    async def key(self, id_: str) -> ApiKey | None:
        return await self._read(keys.get, id_)

    async def keys(self, tenant: str | None) -> Sequence[ApiKey]:
        return await self._read(keys.listed, tenant)

    async def revoke_key(self, id_: str, now: float) -> ApiKey | None:
        return await self._write(keys.revoke, id_, now)

    async def use_key(self, id_: str, now: float) -> None:
        await self._write(keys.use, id_, now, durable=False)


def _advance(connection: sqlite3.Connection, session: Session, event: Event, now: float, idle_s: float) -> Session:
    """A session that somebody wrote meanwhile refuses before the trail has grown."""
    saved = values.save(connection, session, now, idle_s)
    audit.record(connection, [event])
    return saved


@asynccontextmanager
async def open_ledger(directory: Path) -> AsyncGenerator[SqliteLedger, None]:
    """The ledger in this data directory, for as long as the block runs."""
    ledger = await SqliteLedger.open(directory)
    try:
        yield ledger
    finally:
        await ledger.close()
