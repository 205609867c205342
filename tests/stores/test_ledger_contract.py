"""The SQLite ledger keeps what the ports promise."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest

from periplus.stores.sqlite.ledger import SqliteLedger, open_ledger
from periplus.testing.ledger_contract import LedgerContract


class TestSqliteLedger(LedgerContract):
    @pytest.fixture
    def opened(self, tmp_path: Path) -> Callable[[], AbstractAsyncContextManager[SqliteLedger]]:
        return lambda: open_ledger(tmp_path)
