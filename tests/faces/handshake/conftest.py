from __future__ import annotations

from collections.abc import Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import pytest
from agents import Agent, Serve

from listening import listening
from periplus.app.serving import open_application
from periplus.settings import Settings, load_settings
from sites import Site, site


@pytest.fixture
def harbour() -> Iterator[Site]:
    with site() as made:
        yield made


@pytest.fixture
def serve(tmp_path: Path) -> Serve:
    """A gateway on loopback, by settings; the data directory is the same each time."""

    @contextmanager
    def started(**flags: Any) -> Iterator[str]:
        settings: Settings = load_settings(None, {}, {"data": str(tmp_path / "data"), **flags})

        @asynccontextmanager
        async def opened() -> Any:
            async with open_application(settings) as application:
                yield application

        with listening(opened) as base:
            yield base

    return started


@pytest.fixture
def gateway(serve: Serve) -> Iterator[str]:
    with serve() as base:
        yield base


@pytest.fixture
def agent(gateway: str) -> Agent:
    return Agent(gateway)
