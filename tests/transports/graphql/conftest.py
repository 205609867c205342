"""A gateway with a harbour's GraphQL service in it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from graphql_desk import SDL, Caller, Service

import periplus
import sites


@pytest.fixture
def service() -> Iterator[Service]:
    with sites.site() as site:
        yield Service(site)


@pytest.fixture
async def call(service: Service, tmp_path: Path) -> AsyncIterator[Caller]:
    schema = tmp_path / "quay.graphql"
    schema.write_text(SDL)
    async with periplus.open(f"sqlite:///{tmp_path / 'data'}") as gateway:
        caller = Caller(gateway, service, schema)
        await caller.connect()
        yield caller
