from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import msgspec
import pytest
from conversing import Talk

import sites
from periplus.app import open_gateway
from periplus.demo.harbour import application
from periplus.demo.services import serving
from periplus.model import Policy, SourceSpec
from periplus.settings import Settings, load_settings
from periplus.testing.clock import SettableClock

NEIGHBOUR = sites.api(
    "invoices/createInvoice",
    "invoices/listInvoices",
    "invoices/payments/refundPayment",
    "staff/hirePilot",
    "staff/payroll/runPayroll",
    title="Back office",
)
Opening = Callable[..., AbstractAsyncContextManager[Talk]]


@pytest.fixture
def clock() -> SettableClock:
    return SettableClock()


@pytest.fixture
def site() -> Iterator[sites.Site]:
    with sites.site() as made:
        yield made


@pytest.fixture
def opening(tmp_path: Path, clock: SettableClock) -> Opening:
    """Opens a harbour and a back office; given settings are flags, `policy` is one."""

    @asynccontextmanager
    async def opened(policy: Policy | None = None, **flags: object) -> AsyncIterator[Talk]:
        dotted = {name.replace("__", "."): value for name, value in flags.items()}
        settings: Settings = load_settings(None, {}, {"data": str(tmp_path / "data"), **dotted})
        if policy is not None:
            settings = msgspec.structs.replace(settings, policy=policy)
        with serving(application()) as base, sites.site() as site:
            site.write("/office.json", json.dumps(NEIGHBOUR))
            async with open_gateway(settings, clock=clock) as gateway:
                await gateway.connect(SourceSpec(id="harbour", url=f"{base}/openapi.yaml"))
                await gateway.connect(SourceSpec(id="office", url=site.url("/office.json")))
                yield Talk(gateway, settings)

    return opened


@pytest.fixture
async def talk(opening: Opening) -> AsyncIterator[Talk]:
    async with opening() as talk:
        yield talk
