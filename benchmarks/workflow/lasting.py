"""Walks for a while, with what the process holds meanwhile: python -m benchmarks.workflow.lasting SECONDS CALLERS."""

from __future__ import annotations

import json
import resource
import sys
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

import anyio

from benchmarks.workflow.definition import ID
from benchmarks.workflow.walk import Walk, served
from periplus.app.sharing import take_short_turns

_LOOKS = 30
_MOST = 100


async def main(seconds: float, callers: int) -> dict[str, Any]:
    """As many callers, each with one walk after the other; a walk that was begun is finished."""
    memory: list[float] = []
    calls = walks = 0
    async with served(ID, "", "full") as desk:
        cpu, began = time.process_time(), time.perf_counter()

        async def caller() -> None:
            nonlocal calls, walks
            while time.perf_counter() - began < seconds:
                spent: dict[str, list[float]] = defaultdict(list)
                await Walk(desk, spent).whole(ID, _MOST)
                calls += sum(map(len, spent.values()))
                walks += 1

        async def watch() -> None:
            while True:
                memory.append(_resident_mb())
                await anyio.sleep(seconds / _LOOKS)

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(watch)
            async with anyio.create_task_group() as walking:
                for _ in range(callers):
                    walking.start_soon(caller)
            tasks.cancel_scope.cancel()
        cpu, wall = time.process_time() - cpu, time.perf_counter() - began
    return {
        "cpu_s": cpu / calls,
        "wall_s": wall / calls,
        "calls": calls,
        "walks": walks,
        "warm_mb": memory[len(memory) // 3],
        "end_mb": memory[-1],
    }


def _resident_mb() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / (1 << 20)


if __name__ == "__main__":
    take_short_turns()  # as `periplus serve` does
    print(json.dumps(anyio.run(main, float(sys.argv[1]), int(sys.argv[2]))))
