"""Group commit: whoever writes at the same time shares one transaction, and one wait for the disk."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Generic, TypeVar

from anyio import CancelScope, CapacityLimiter, Lock, to_thread

from periplus.model import Code, Problem
from periplus.stores.sqlite.faults import told

_T = TypeVar("_T")


class Batches:
    """Takes writes for one connection. A write refuses, with a problem, before it has changed anything."""

    def __init__(self, path: Path, writer: sqlite3.Connection) -> None:
        self._path = path
        self._writer = writer
        self._waiting: list[_Ticket[Any]] = []
        self._turn = Lock(fast_acquire=True)
        self._thread = CapacityLimiter(1)
        self._durable = True
        self._closed = False

    async def write(self, act: Callable[..., _T], *values: Any, durable: bool = True) -> _T:
        """What `act(connection, *values)` gives, once its transaction is on the disk.

        Not `durable`: it outlives this process, but perhaps not a power cut.
        """
        if self._closed:
            raise Problem(Code.STORE_ERROR, f"{self._path} was closed by this process")
        ticket = _Ticket(partial(act, self._writer, *values), durable=durable)
        self._waiting.append(ticket)
        async with self._turn:
            if not ticket.done:
                await self._commit()
        return ticket.result()

    async def close(self) -> None:
        """Wait for what is being written, then let go of the file."""
        self._closed = True
        async with self._turn:
            await to_thread.run_sync(self._writer.close, limiter=self._thread)

    async def _commit(self) -> None:
        batch, self._waiting = self._waiting, []
        with CancelScope(shield=True):  # others wait for this too
            await to_thread.run_sync(self._run, batch, limiter=self._thread)

    def _run(self, batch: list[_Ticket[Any]]) -> None:
        try:
            with told(self._path):
                self._transact(batch)
        except BaseException as error:
            for ticket in batch:
                ticket.fail(error)
            raise

    def _transact(self, batch: list[_Ticket[Any]]) -> None:
        self._wait_for_disk(wanted=any(ticket.durable for ticket in batch))
        self._writer.execute("BEGIN IMMEDIATE")
        try:
            for ticket in batch:
                ticket.run()
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


class _Ticket(Generic[_T]):
    """One write that waits for its transaction."""

    def __init__(self, act: Callable[[], _T], *, durable: bool) -> None:
        self.durable = durable
        self.done = False
        self._act = act
        self._result: list[_T] = []
        self._error: BaseException | None = None

    def run(self) -> None:
        """Do it; its own refusal is no fault of the others."""
        try:
            self._result.append(self._act())
        except Problem as problem:
            self._error = problem
        self.done = True

    def fail(self, error: BaseException) -> None:
        """The transaction came to nothing."""
        self._error = error
        self.done = True

    def result(self) -> _T:
        if self._error is not None:
            raise self._error
        return self._result[0]
