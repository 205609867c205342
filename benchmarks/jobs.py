"""What a measured process does: one piece of work, its cost and its answer as JSON on the last line.

python -m benchmarks.jobs load LOCATION DIRECTORY | describe DIRECTORY TOOL
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import anyio

import periplus
import periplus.sources.openapi.adapter


@contextmanager
def timed(answer: dict[str, Any]) -> Iterator[None]:
    """Puts what the block cost into the answer; CPU of all threads."""
    cpu, wall = time.process_time(), time.perf_counter()
    yield
    answer["cpu_s"] = time.process_time() - cpu
    answer["wall_s"] = time.perf_counter() - wall


async def load(location: str, directory: str) -> dict[str, Any]:
    """Connect a source and list the first page; where it is stored already, that is a reconnect."""
    answer: dict[str, Any] = {}
    async with periplus.open(f"sqlite:///{directory}") as gateway:
        with timed(answer):
            report = await gateway.connect(location)
            listing = await gateway.browse(report.source, deep=True)
    counts = report.counts
    return {
        **answer,
        "operations": counts.operations,
        "tools": counts.tools,
        "unchanged": report.unchanged,
        "ref": str(listing.tools[-1].ref) if listing.tools else "",
    }


async def describe(directory: str, tool: str) -> dict[str, Any]:
    """Open a data directory and read one tool."""
    answer: dict[str, Any] = {}
    with timed(answer):
        async with periplus.open(f"sqlite:///{directory}") as gateway:
            found = await gateway.describe(tool)
    return {**answer, "ref": str(found.ref)}


def main() -> None:
    work = {"load": load, "describe": describe}[sys.argv[1]]
    print(json.dumps(anyio.run(work, *sys.argv[2:])))


if __name__ == "__main__":
    main()
