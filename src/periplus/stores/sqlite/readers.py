"""Connections that read: a few, lent out one at a time, each sees one whole state of the file."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from anyio import CapacityLimiter, to_thread

from periplus.model import Code, Problem
from periplus.stores.sqlite.connect import Layout, connect_reader
from periplus.stores.sqlite.faults import told

_T = TypeVar("_T")
READERS = 4


class Readers:
    """The readers of one file, for as long as it is open in this process."""

    def __init__(self, path: Path, layout: Layout) -> None:
        self._path = path
        self._layout = layout
        self._idle: list[sqlite3.Connection] = []
        self._limiter = CapacityLimiter(READERS)
        self._closed = False

    async def read(self, ask: Callable[..., _T], *values: Any) -> _T:
        """What `ask(connection, *values)` finds, in one transaction on a worker thread."""
        return await to_thread.run_sync(partial(self._look, ask, *values), limiter=self._limiter)

    def check_open(self) -> None:
        if self._closed:
            raise Problem(Code.STORE_ERROR, f"{self._path} was closed by this process")

    def shut(self) -> None:
        """Lend no more."""
        self._closed = True

    def let_go(self) -> None:
        """Close what is not lent; what is will be closed when it comes back."""
        while self._idle:
            self._idle.pop().close()

    def _look(self, ask: Callable[..., _T], *values: Any) -> _T:
        self.check_open()
        connection = self._idle.pop() if self._idle else connect_reader(self._path, self._layout)
        try:
            with told(self._path):
                connection.execute("BEGIN")
                return ask(connection, *values)
        finally:
            self._give_back(connection)

    def _give_back(self, connection: sqlite3.Connection) -> None:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        if self._closed:
            connection.close()
        else:
            self._idle.append(connection)
