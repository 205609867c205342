"""Opening the file: how connections behave, and bringing its layout to the one this version knows."""

from __future__ import annotations

import sqlite3
import threading
from pathlib import Path
from typing import NamedTuple

from periplus.model import Code, Problem
from periplus.stores.sqlite.faults import told
from periplus.stores.sqlite.queries import migrations, schema

_WAIT_S = 60.0  # longer than anybody writes
_OLDEST = (3, 38, 0)


class Layout(NamedTuple):
    """What one kind of file holds."""

    file: str
    application: int  # in the header of the file: whose it is
    folder: str = ""  # where its schema and migrations lie
    cache_kb: int = 32_768  # of pages the writer keeps in memory
    reader_cache_kb: int = 16_384  # the same of each reader

    @property
    def latest(self) -> int:
        return max(migrations(self.folder))


CATALOG = Layout("periplus.db", 0x50455249)  # "PERI"
# Rows are added at its end and seldom read again: what is kept of them in memory would only grow.
LEDGER = Layout("ledger.db", 0x5045524C, "ledger/", cache_kb=4096, reader_cache_kb=2048)  # "PERL"

# FULL: what was acknowledged outlives a power cut too. Writes are few and large, so the fsync does not show.
_WRITER = ("synchronous = FULL", "journal_size_limit = 67108864", "secure_delete = OFF")


def connect_writer(path: Path, layout: Layout) -> sqlite3.Connection:
    """The connection that changes the file, which exists and is up to date afterwards."""
    if sqlite3.sqlite_version_info < _OLDEST:
        raise Problem(
            Code.STORE_ERROR,
            f"this Python has SQLite {sqlite3.sqlite_version}; 3.38 is the oldest that works",
            hints=("use a Python built with a newer SQLite",),
        )
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise Problem(
            Code.STORE_ERROR,
            f"{path.parent} cannot be a data directory ({error.strerror})",
            hints=("choose another one with --data",),
        ) from error
    with told(path):
        connection = _connect(path)
        try:
            _write_ahead(connection)
            _set(connection, (*_WRITER, f"cache_size = -{layout.cache_kb}"))
            migrate(connection, path, layout)
        except BaseException:
            connection.close()
            raise
    return connection


def connect_reader(path: Path, layout: Layout) -> sqlite3.Connection:
    with told(path):
        connection = _connect(path)
        _set(connection, ("query_only = ON", f"cache_size = -{layout.reader_cache_kb}"))
    return connection


def _connect(path: Path) -> sqlite3.Connection:
    # Transactions are ours, and each connection is used by one thread at a time, though not always the same.
    return sqlite3.connect(path, timeout=_WAIT_S, isolation_level=None, check_same_thread=False, cached_statements=256)


def _set(connection: sqlite3.Connection, pragmas: tuple[str, ...]) -> None:
    for pragma in pragmas:
        connection.execute(f"PRAGMA {pragma}").close()


def _write_ahead(connection: sqlite3.Connection) -> None:
    """Switch a new file to WAL. Two processes that do so at once are not made to wait by SQLite itself."""
    connection.execute("PRAGMA page_size = 8192")
    pause = threading.Event()
    for _ in range(int(_WAIT_S / 0.02)):
        try:
            connection.execute("PRAGMA journal_mode = WAL").close()
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
                raise
            pause.wait(0.02)
        else:
            return


def migrate(connection: sqlite3.Connection, path: Path, wanted: Layout) -> None:
    """Bring the layout up to date in one transaction; refuse a file that is newer or somebody else's."""
    latest = wanted.latest
    if _number(connection, path, wanted) == latest:
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        found = _number(connection, path, wanted)  # another process may have been quicker
        if found == 0:
            _run(connection, schema(wanted.folder))
        for number, statements in migrations(wanted.folder).items():
            if 0 < found < number:
                _run(connection, statements)
        _set(connection, (f"application_id = {wanted.application}", f"user_version = {latest}"))
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise


def _run(connection: sqlite3.Connection, statements: list[str]) -> None:
    for statement in statements:
        connection.execute(statement).close()


def _number(connection: sqlite3.Connection, path: Path, wanted: Layout) -> int:
    """The number of the file's layout; 0 for an empty one."""
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (number,) = connection.execute("PRAGMA user_version").fetchone()
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if tables and application != wanted.application:
        raise Problem(
            Code.STORE_ERROR,
            f"{path} is a database of another program",
            hints=("choose another directory with --data",),
        )
    if number > wanted.latest:
        raise Problem(
            Code.STORE_ERROR,
            f"{path} has layout {number}, written by a newer Periplus; this one knows {wanted.latest}",
            hints=("upgrade Periplus", "choose another directory with --data"),
        )
    return int(number) if tables else 0
