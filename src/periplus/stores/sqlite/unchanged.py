"""Answers that hold until somebody changes the file. To ask whether anybody did takes no thread and reads no page."""

from __future__ import annotations

import sqlite3
from collections import OrderedDict
from collections.abc import Hashable
from pathlib import Path
from typing import Any

from periplus.stores.sqlite.connect import CATALOG, connect_reader
from periplus.stores.sqlite.faults import told

_KEPT = 256


class Unchanged:
    """The last answers about one file, for one event loop."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._connection: sqlite3.Connection | None = None
        self._state = -1
        self._answers: OrderedDict[Hashable, Any] = OrderedDict()

    def known(self, key: Hashable) -> Any:
        """The answer that was kept, if the file is as it was then."""
        self.state()
        answer = self._answers.get(key)
        if answer is not None:
            self._answers.move_to_end(key)
        return answer

    def keep(self, key: Hashable, answer: Any, state: int) -> None:
        """Keep an answer for which was looked in a state; one that somebody has changed since tells nothing."""
        if state != self._state:
            return
        self._answers[key] = answer
        if len(self._answers) > _KEPT:
            self._answers.popitem(last=False)

    def state(self) -> int:
        """A number that another commit, of this process or another one, makes another."""
        if self._connection is None:
            self._connection = connect_reader(self._path, CATALOG)
        with told(self._path):
            (state,) = self._connection.execute("PRAGMA data_version").fetchone()
        if state != self._state:
            self._answers.clear()
            self._state = state
        return self._state

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None
