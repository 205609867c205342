"""The ledger in a SQLite file beside the catalog, shared by as many processes as like."""

from periplus.stores.sqlite.ledger.ledger import SqliteLedger, open_ledger

__all__ = ["SqliteLedger", "open_ledger"]
