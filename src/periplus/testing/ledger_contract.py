"""The suite any ledger must pass.

    class TestMyLedger(LedgerContract):
        @pytest.fixture
        def opened(self, tmp_path): return lambda: open_my_ledger(tmp_path)

`opened` gives, each time it is called, a context manager around the same ledger, as another process would open it.
What is opened keeps sessions and keys too (`periplus.ports.Sessions`, `Keys`).
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from typing import Protocol

import pytest

from periplus.ports import Keys, Ledger, Sessions
from periplus.testing.ledger_approvals import LedgerApprovals
from periplus.testing.ledger_keys import LedgerKeys
from periplus.testing.ledger_trail import LedgerTrail
from periplus.testing.ledger_values import LedgerValues


class Keeping(Ledger, Sessions, Keys, Protocol):
    """A ledger that keeps sessions and keys too."""


class LedgerContract(LedgerTrail, LedgerApprovals, LedgerValues, LedgerKeys):
    """Everything the ports promise, on a ledger that starts empty for each test."""

    pytestmark = pytest.mark.anyio

    @pytest.fixture
    def opened(self) -> Callable[[], AbstractAsyncContextManager[Keeping]]:
        raise NotImplementedError("a ledger's tests say how it is opened")

    @pytest.fixture
    async def ledger(self, opened: Callable[[], AbstractAsyncContextManager[Keeping]]) -> AsyncIterator[Keeping]:
        async with opened() as ledger:
            yield ledger
