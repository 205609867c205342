"""The default store: one SQLite file in the data directory, shared by as many processes as like."""

from periplus.stores.sqlite.store import SqliteStore, open_store

__all__ = ["SqliteStore", "open_store"]
