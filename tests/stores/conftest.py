"""A store on a real file, and processes beside it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import pytest

from periplus.stores.sqlite import SqliteStore, open_store

Starter = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqliteStore]:
    async with open_store(tmp_path) as opened:
        yield opened


@pytest.fixture
def start() -> Iterator[Starter]:
    """Start a script of this directory with a store; whatever still runs at the end is killed."""
    running: list[subprocess.Popen[str]] = []

    def begin(script: str, *arguments: object) -> subprocess.Popen[str]:
        command = [sys.executable, str(Path(__file__).with_name(script)), *map(str, arguments)]
        running.append(subprocess.Popen(command, stdout=subprocess.PIPE, text=True))
        return running[-1]

    yield begin
    for process in running:
        process.kill()
        process.wait()
        if process.stdout:
            process.stdout.close()
