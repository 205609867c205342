"""What tests of every room share: where the sample data lies."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import settings

_SHARED = Path(__file__).resolve().parents[2] / "shared"

settings.register_profile("untimed", deadline=None)  # how long an example takes is the machine's affair
settings.load_profile("untimed")


@pytest.fixture(scope="session")
def shared() -> Path:
    """The sample documents beside the checkout; a test that needs them is skipped where they are not."""
    if not (_SHARED / "data").is_dir():
        pytest.skip("needs the sample data in ../shared, which is not part of the project")
    return _SHARED


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"
