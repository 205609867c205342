"""The SQLite store keeps what the port promises."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from periplus.ports import StoreFactory
from periplus.stores.sqlite import open_store
from periplus.testing.store_contract import StoreContract


class TestSqliteStore(StoreContract):
    @pytest.fixture
    def opened(self, tmp_path: Path) -> Callable[[], StoreFactory]:
        return lambda: open_store(tmp_path)
