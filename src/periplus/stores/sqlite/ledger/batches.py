"""Group commit: whoever writes at the same time shares one transaction, and one wait for the disk."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Generic, TypeVar

from anyio import CancelScope, CapacityLimiter, Event, Lock, to_thread

from periplus.model import Code, Problem
from periplus.stores.sqlite.faults import told

_T = TypeVar("_T")
_V = TypeVar("_V")
Together = Callable[[sqlite3.Connection, Sequence[_V]], Sequence[_T]]


class Batches:
    """Takes writes for one connection. A write refuses, with a problem, before it has changed anything."""

    def __init__(self, path: Path, writer: sqlite3.Connection) -> None:
        self._path = path
        self._writer = writer
        self._coming = _Batch()
        self._turn = Lock(fast_acquire=True)
        self._thread = CapacityLimiter(1)
        self._durable = True
        self._closed = False

    async def write(self, act: Callable[..., _T], *values: Any, durable: bool = True) -> _T:
        """What `act(connection, *values)` gives, once its transaction is on the disk.

        Not `durable`: it outlives this process, but perhaps not a power cut.
        """
        ticket = _Ticket[_T]()
        work = partial(ticket.run, partial(act, self._writer, *values))
        await self._committed(lambda batch: batch.take(work, ticket, durable=durable))
        return ticket.result()

    async def add(self, act: Together[_V, _T], value: _V) -> _T:
        """The same for an act that does in one go what all who come at once want of it."""
        ticket = _Ticket[_T]()
        await self._committed(lambda batch: batch.take_along(act, value, ticket))
        return ticket.result()

    async def close(self) -> None:
        """Wait for what is being written, then let go of the file."""
        self._closed = True
        async with self._turn:
            await to_thread.run_sync(self._writer.close, limiter=self._thread)

    async def _committed(self, join: Callable[[_Batch], None]) -> None:
        """Wait for the batch that is forming now; who comes first sees to it that it is written."""
        if self._closed:
            raise Problem(Code.STORE_ERROR, f"{self._path} was closed by this process")
        batch = self._coming
        leads = not batch.tickets
        join(batch)
        if not leads:
            await batch.done.wait()
            return
        with CancelScope(shield=True):  # others wait for this too
            async with self._turn:
                self._coming = _Batch()
                try:
                    await to_thread.run_sync(self._run, batch, limiter=self._thread)
                finally:
                    batch.done.set()

    def _run(self, batch: _Batch) -> None:
        try:
            with told(self._path):
                self._transact(batch)
        except BaseException as error:
            for ticket in batch.tickets:
                ticket.fail(error)
            raise

    def _transact(self, batch: _Batch) -> None:
        self._wait_for_disk(wanted=batch.durable)
        self._writer.execute("BEGIN IMMEDIATE")
        try:
            batch.run(self._writer)
            self._writer.execute("COMMIT")
        except BaseException:
            # A full disk has rolled back already; then there is nothing left to undo.
            if self._writer.in_transaction:
                self._writer.execute("ROLLBACK")
            raise

    def _wait_for_disk(self, *, wanted: bool) -> None:
        if wanted != self._durable:
            self._writer.execute(f"PRAGMA synchronous = {'FULL' if wanted else 'NORMAL'}").close()
            self._durable = wanted


class _Batch:
    """Writes that will be one transaction."""

    def __init__(self) -> None:
        self.tickets: list[_Ticket[Any]] = []
        self.done = Event()
        self.durable = False
        self._single: list[Callable[[], None]] = []
        self._together: dict[Together[Any, Any], list[tuple[Any, _Ticket[Any]]]] = {}

    def take(self, work: Callable[[], None], ticket: _Ticket[Any], *, durable: bool) -> None:
        self.tickets.append(ticket)
        self._single.append(work)
        self.durable |= durable

    def take_along(self, act: Together[_V, _T], value: _V, ticket: _Ticket[_T]) -> None:
        self.tickets.append(ticket)
        self._together.setdefault(act, []).append((value, ticket))
        self.durable = True

    def run(self, connection: sqlite3.Connection) -> None:
        for work in self._single:
            work()
        for act, several in self._together.items():
            for (_, ticket), result in zip(several, act(connection, [value for value, _ in several]), strict=True):
                ticket.give(result)


class _Ticket(Generic[_T]):
    """What became of one write."""

    def __init__(self) -> None:
        self._result: list[_T] = []
        self._error: BaseException | None = None

    def run(self, act: Callable[[], _T]) -> None:
        """Do it; its own refusal is no fault of the others."""
        try:
            self._result.append(act())
        except Problem as problem:
            self._error = problem

    def give(self, result: _T) -> None:
        self._result.append(result)

    def fail(self, error: BaseException) -> None:
        """The transaction came to nothing."""
        self._error = error

    def result(self) -> _T:
        if self._error is not None:
            raise self._error
        return self._result[0]
