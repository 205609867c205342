"""The engine of index files keeps what the port promises."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from periplus.ports import SearchEngine
from periplus.search.room import SearchRoom
from periplus.testing.search_contract import SearchContract


class TestSearchRoom(SearchContract):
    @pytest.fixture
    def opened(self, tmp_path: Path) -> Callable[[], SearchEngine]:
        return lambda: SearchRoom(tmp_path)
