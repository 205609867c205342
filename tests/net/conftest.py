"""Servers on loopback, a reader and a certificate authority, each gone after its test."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import trustme
from loopback import Reader, Servers

from periplus.model import SourceSpec


@pytest.fixture
async def servers() -> AsyncIterator[Servers]:
    kept = Servers()
    yield kept
    await kept.close()


@pytest.fixture
async def reader() -> AsyncIterator[Reader]:
    kept = Reader()
    yield kept
    await kept.close()


@pytest.fixture
def stranger() -> SourceSpec:
    """A source of a public site: nothing on loopback is its own."""
    return SourceSpec(id="s", url="https://api.example.com/openapi.json")


@pytest.fixture(scope="session")
def authority() -> trustme.CA:
    return trustme.CA()
