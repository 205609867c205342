"""The suite any store must pass.

    class TestMyStore(StoreContract):
        @pytest.fixture
        def opened(self, tmp_path): return lambda: open_my_store(tmp_path)

`opened` gives, each time it is called, a context manager around the same catalog, as another process would open it.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable

import pytest

from periplus.ports import Store, StoreFactory
from periplus.testing.store_browsing import StoreBrowsing
from periplus.testing.store_changes import StoreChanges
from periplus.testing.store_names import StoreNames
from periplus.testing.store_reading import StoreReading
from periplus.testing.store_scopes import StoreScopes


class StoreContract(StoreChanges, StoreNames, StoreReading, StoreBrowsing, StoreScopes):
    """Everything the port promises, on a catalog that starts empty for each test."""

    pytestmark = pytest.mark.anyio

    @pytest.fixture
    def opened(self) -> Callable[[], StoreFactory]:
        raise NotImplementedError("a store's tests say how it is opened")

    @pytest.fixture
    async def store(self, opened: Callable[[], StoreFactory]) -> AsyncIterator[Store]:
        async with opened() as store:
            yield store
