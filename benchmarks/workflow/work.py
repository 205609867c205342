"""Walks, measured: python -m benchmarks.workflow.work DEFINITIONS WORKFLOW WALKS CALLERS TOKEN_FORM ACTIVITIES."""

from __future__ import annotations

import json
import resource
import sys
import time
from collections import defaultdict
from typing import Any

import anyio

from benchmarks.workflow.walk import Walk, served
from periplus.app.sharing import take_short_turns

Spent = dict[str, list[float]]


async def main(definitions: str, workflow: str, walks: int, callers: int, form: str, most: int) -> dict[str, Any]:
    """One walk that is the first this process makes, then many."""
    async with served(workflow, definitions, form) as desk:
        cold = Walk(desk, defaultdict(list))
        began = time.perf_counter()
        await cold.whole(workflow, most)
        cold_s = time.perf_counter() - began
        early = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        spent: Spent = defaultdict(list)
        cpu, wall = time.process_time(), time.perf_counter()
        made = [Walk(desk, spent) for _ in range(walks)]
        rest = iter(made)

        async def caller() -> None:
            for walk in rest:
                await walk.whole(workflow, most)

        async with anyio.create_task_group() as tasks:
            for _ in range(callers):
                tasks.start_soon(caller)
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    calls = sum(map(len, spent.values()))
    every = sorted(one for several in spent.values() for one in several)
    return {
        "cpu_s": cpu / calls,
        "wall_s": wall / calls,
        "calls": calls,
        "walk_calls": calls / walks,
        "per_second": calls / wall,
        "cold_ms": cold_s * 1000 * walks / calls,
        "p50_ms": _at(every, 0.5),
        "p99_ms": _at(every, 0.99),
        "tools": {name: [_at(sorted(several), 0.5), _at(sorted(several), 0.99)] for name, several in spent.items()},
        "cold_bytes": cold.bytes,
        "walk_bytes": made[-1].bytes,
        "token": max(walk.longest for walk in made),
        "grown_mb": (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - early) / 1024,
    }


def _at(ordered: list[float], share: float) -> float:
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))] * 1000


if __name__ == "__main__":
    where, workflow, walks, callers, form, most = sys.argv[1:]
    take_short_turns()  # as `periplus serve` does
    print(json.dumps(anyio.run(main, where, workflow, int(walks), int(callers), form, int(most))))
