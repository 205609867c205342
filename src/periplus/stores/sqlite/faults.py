"""SQLite's errors in the words of the house: what happened to which file, and what to do."""

from __future__ import annotations

import sqlite3
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from periplus.model import Code, Problem

_AGAIN = ("wait for the other process, or stop it, and try again",)
_ACCESS = ("give this user write access to the file and its directory, or choose another one with --data",)
_SPACE = ("free some space and try again; nothing was changed",)
_DAMAGED = (
    "restore the file from a backup",
    "move the file and its -wal and -shm neighbours away and start again: sources are read anew, a ledger begins empty",
)

_FAULTS: dict[int, tuple[str, tuple[str, ...], bool]] = {
    sqlite3.SQLITE_BUSY: ("is being written by another process", _AGAIN, True),
    sqlite3.SQLITE_LOCKED: ("is being written by another process", _AGAIN, True),
    sqlite3.SQLITE_READONLY: ("cannot be written", _ACCESS, False),
    sqlite3.SQLITE_PERM: ("cannot be written", _ACCESS, False),
    sqlite3.SQLITE_AUTH: ("cannot be written", _ACCESS, False),
    sqlite3.SQLITE_CANTOPEN: ("cannot be opened", _ACCESS, False),
    sqlite3.SQLITE_FULL: ("cannot grow: the disk is full", _SPACE, True),
    sqlite3.SQLITE_CORRUPT: ("is damaged", _DAMAGED, False),
    sqlite3.SQLITE_NOTADB: ("is damaged or not a database", _DAMAGED, False),
    sqlite3.SQLITE_IOERR: ("could not be read or written", ("check the disk, then try again",), True),
}


@contextmanager
def told(path: Path) -> Generator[None, None, None]:
    """Turn what SQLite raises about this file into a problem; mistakes in our own SQL stay what they are."""
    try:
        yield
    except (sqlite3.ProgrammingError, sqlite3.InterfaceError):
        raise
    except sqlite3.Error as error:
        raise _problem(error, path) from error


def _problem(error: sqlite3.Error, path: Path) -> Problem:
    # The low byte is the kind, what stands above it the detail.
    kind = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
    words, hints, again = _FAULTS.get(kind, ("could not be used", ("run `periplus doctor`",), False))
    return Problem(Code.STORE_ERROR, f"{path} {words} ({error})", hints=hints, retryable=again)
