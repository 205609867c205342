"""A gateway over a real store and a real ledger."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
from calls_desk import Watched, fill, nowhere

from periplus.core.gateway import Gateway, Parts
from periplus.core.seal import KeyRing, Seal
from periplus.ports import CallWires
from periplus.stores.sqlite import open_store
from periplus.stores.sqlite.ledger import open_ledger
from periplus.testing.clock import SettableClock


@pytest.fixture
def clock() -> SettableClock:
    return SettableClock()


@pytest.fixture
def upstream() -> Watched:
    return Watched()


@pytest.fixture
async def parts(tmp_path: Path, clock: SettableClock, upstream: Watched) -> AsyncIterator[Parts]:
    async with AsyncExitStack() as stack:
        ledger = await stack.enter_async_context(open_ledger(tmp_path))
        made = Parts(
            store=await stack.enter_async_context(open_store(tmp_path)),
            ledger=ledger,
            sessions=ledger,
            keys=ledger,
            clock=clock,
            seal=Seal(KeyRing.new(clock), clock),
            source=nowhere,
            locate=nowhere,
            wires=nowhere,
            upstream_log=nowhere,
            let_go=nowhere,
            engine=nowhere,
            transport=lambda _kind: upstream,
            call_wires=CallWires(http=None, mcp=None),
            start=nowhere,
        )
        await fill(made)
        yield made


@pytest.fixture
def gateway(parts: Parts) -> Gateway:
    return Gateway(parts)
