"""The suite any ledger must pass.

    class TestMyLedger(LedgerContract):
        @pytest.fixture
        def opened(self, tmp_path): return lambda: open_my_ledger(tmp_path)

`opened` gives, each time it is called, a context manager around the same ledger, as another process would open it.
What is opened keeps sessions too (`periplus.ports.Sessions`).
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from typing import Protocol

import pytest

from periplus.ports import Ledger, Sessions
from periplus.testing.ledger_approvals import LedgerApprovals
from periplus.testing.ledger_trail import LedgerTrail
from periplus.testing.ledger_values import LedgerValues


class Keeping(Ledger, Sessions, Protocol):
    """A ledger that keeps sessions too."""


class LedgerContract(LedgerTrail, LedgerApprovals, LedgerValues):
    """Everything the ports promise, on a ledger that starts empty for each test."""

    pytestmark = pytest.mark.anyio

    @pytest.fixture
    def opened(self) -> Callable[[], AbstractAsyncContextManager[Keeping]]:
        raise NotImplementedError("a ledger's tests say how it is opened")

    @pytest.fixture
    async def ledger(self, opened: Callable[[], AbstractAsyncContextManager[Keeping]]) -> AsyncIterator[Keeping]:
        async with opened() as ledger:
            yield ledger
