"""A gateway over one lively MCP server, reached in any of the ways there are."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

import periplus
from periplus.core.gateway import Gateway
from periplus.model import SourceSpec

LIVELY = Path(__file__).parents[2] / "net" / "mcp" / "servers" / "lively.py"

Harbour = Callable[..., Awaitable[Gateway]]


@pytest.fixture
def told(tmp_path: Path) -> Path:
    """Where the server writes what became of its calls."""
    file = tmp_path / "told"
    file.touch()
    return file


@pytest.fixture
def reached(told: Path) -> Iterator[Callable[..., SourceSpec]]:
    """Start the server in a way of being reached, and say where it is."""
    running: list[subprocess.Popen[str]] = []

    def start(way: str, **given: Any) -> SourceSpec:
        if way == "stdio":
            env = {"LIVELY_LOG": str(told)} | given.pop("env", {})
            return SourceSpec(
                id="lively", kind="mcp", command=sys.executable, args=(str(LIVELY), "stdio"), env=env, **given
            )
        process = subprocess.Popen(
            [sys.executable, str(LIVELY), way],
            stdout=subprocess.PIPE,
            text=True,
            env={"PATH": "/bin", "LIVELY_LOG": str(told)} | given.pop("env", {}),
        )
        running.append(process)
        assert process.stdout is not None
        return SourceSpec(
            id="lively", kind="mcp", url=f"http://127.0.0.1:{process.stdout.readline().strip()}/mcp", **given
        )

    yield start
    for process in running:
        process.kill()
        process.wait()
        if process.stdout:
            process.stdout.close()


@pytest.fixture
async def harbour(tmp_path: Path, reached: Callable[..., SourceSpec]) -> AsyncIterator[Harbour]:
    async with AsyncExitStack() as stack:

        async def make(way: str = "stdio", **given: Any) -> Gateway:
            gateway = await stack.enter_async_context(periplus.open(f"sqlite:///{tmp_path / 'data'}"))
            await gateway.connect(reached(way, **given))
            return gateway

        yield make
