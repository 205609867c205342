"""The suite any search engine must pass.

    class TestMyEngine(SearchContract):
        @pytest.fixture
        def opened(self, tmp_path): return lambda: MyEngine(tmp_path)

`opened` gives, each time it is called, an engine over the same index, as another process would open it.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from periplus.ports import SearchEngine
from periplus.testing.search_catalogs import fill, tools
from periplus.testing.search_goals import SearchGoals
from periplus.testing.search_keeping import SearchKeeping
from periplus.testing.search_memory import SearchMemory
from periplus.testing.search_names import SearchNames
from periplus.testing.search_scopes import SearchScopes


class SearchContract(SearchGoals, SearchNames, SearchScopes, SearchMemory, SearchKeeping):
    """Everything the port promises, on an index of a hundred plain tools."""

    @pytest.fixture
    def opened(self) -> Callable[[], SearchEngine]:
        raise NotImplementedError("an engine's tests say how it is opened")

    @pytest.fixture
    def engine(self, opened: Callable[[], SearchEngine]) -> SearchEngine:
        engine = opened()
        fill(engine, list(tools()))
        return engine
