"""Modules written by a test, and what connecting them puts into a catalog."""

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
