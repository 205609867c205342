"""A gateway for calls of functions that a test writes."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

import periplus
from workshop import Workshop


@pytest.fixture
async def workshop(tmp_path: Path) -> AsyncIterator[Workshop]:
    async with periplus.open(f"sqlite:///{tmp_path / 'data'}") as gateway:
        yield Workshop(gateway, tmp_path)
