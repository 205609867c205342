"""A site of pages, a data directory, and gateways over it as the application wires them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
from gateways import Opener
from neighbour import Neighbour

import sites
from periplus.app import open_gateway
from periplus.core.gateway import Gateway
from periplus.model import SourceSpec
from periplus.settings import load_settings
from periplus.testing.clock import SettableClock
from quay import Quay, quay


@pytest.fixture
def site() -> Iterator[sites.Site]:
    with sites.site() as made:
        yield made


@pytest.fixture
def clock() -> SettableClock:
    return SettableClock()


@pytest.fixture
def opened(tmp_path: Path, clock: SettableClock) -> Opener:
    """Opens a gateway over this test's data; given settings are flags."""

    def opening(file: Path | None = None, **flags: Any) -> AbstractAsyncContextManager[Gateway]:
        dotted = {name.replace("__", "."): value for name, value in flags.items()}
        return open_gateway(load_settings(file, {}, {"data": str(tmp_path / "data")} | dotted), clock=clock)

    return opening


@pytest.fixture
async def gateway(opened: Opener) -> AsyncIterator[Gateway]:
    async with AsyncExitStack() as stack:
        yield await stack.enter_async_context(opened())


@pytest.fixture
async def beside(gateway: Gateway, tmp_path: Path) -> Neighbour:
    """A catalog with a sound source, beside which others go wrong."""
    (tmp_path / "quay.json").write_text(sites.text(sites.api("a", "b")))
    await gateway.connect(str(tmp_path / "quay.json"))
    return Neighbour(gateway)


@pytest.fixture
def office() -> Iterator[Quay]:
    """A harbour office that writes down what it is asked."""
    with quay() as made:
        yield made


@pytest.fixture
async def harbour(opened: Opener, office: Quay) -> AsyncIterator[Gateway]:
    """A gateway over that office."""
    async with opened() as gateway:
        await gateway.connect(SourceSpec(id="quay", url=office.document))
        office.asked.clear()
        yield gateway
