"""Speed and memory of search, each piece of work in a process of its own."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from benchmarks.processes import Cost, measure
from benchmarks.search import sets

_GOALS = 400
_FINER_MOST = 200_000


class Target(NamedTuple):
    """What the contract asks at a size."""

    search_ms: float | None = None
    finer_ms: float | None = None
    build_s: float | None = None
    memory_mb: float | None = None
    pattern_ms: float | None = None
    start_s: float | None = None
    add_s: float | None = None


TARGETS = {
    10_000: Target(search_ms=2),
    100_000: Target(search_ms=6, finer_ms=15, build_s=15, memory_mb=120, pattern_ms=20, start_s=0.2, add_s=1),
    1_000_000: Target(search_ms=25, build_s=180, memory_mb=900),
}


class Figure(NamedTuple):
    """One measured figure beside what is wanted."""

    tools: int
    what: str
    value: float
    unit: str
    target: float | None


def figures(count: int) -> Iterator[Figure]:
    """Everything about one size."""
    wanted = TARGETS.get(count, Target())
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "index"
        goals = Path(place) / "goals.json"
        goals.write_text(json.dumps(_goals()), encoding="utf-8")
        built = _job("build", folder, str(count))
        yield Figure(count, "build", built.answer["seconds"], "s", wanted.build_s)
        yield Figure(count, "build, cpu", built.answer["cpu"], "s", wanted.build_s)
        yield Figure(count, "index on disk", built.answer["bytes"] / 1e6, "MB", None)
        asked = _job("search", folder, str(goals)).answer
        yield Figure(count, "search p50", asked["p50"] * 1000, "ms", None)
        yield Figure(count, "search p95", asked["p95"] * 1000, "ms", wanted.search_ms)
        yield Figure(count, "search p95, cpu", asked["cpu_p95"] * 1000, "ms", wanted.search_ms)
        if "own" in asked:
            yield Figure(count, "memory, own and mapped", asked["own"] + asked["shared"], "MB", wanted.memory_mb)
            yield Figure(count, "memory, own", asked["own"], "MB", None)
        if find_spec("onnxruntime") and count <= _FINER_MOST:
            finer = _job("finer", folder, str(goals)).answer
            yield Figure(count, "search p95, quality mode", finer["p95"] * 1000, "ms", wanted.finer_ms)
            yield Figure(count, "search p95, quality mode, cpu", finer["cpu_p95"] * 1000, "ms", wanted.finer_ms)
        opened = _job("open", folder).answer
        yield Figure(count, "start", opened["open"], "s", wanted.start_s)
        yield Figure(count, "start and first answer", opened["first"], "s", None)
        found = _job("patterns", folder).answer
        yield Figure(count, "pattern, worst of six", found["worst"] * 1000, "ms", wanted.pattern_ms)
        yield Figure(count, "the same by Python's re", found["re_worst"] * 1000, "ms", None)
        yield Figure(count, "add 1,000 tools", _job("add", folder).answer["seconds"], "s", wanted.add_s)


def _job(*words: str | Path) -> Cost:
    return measure([sys.executable, "-m", "benchmarks.search.jobs", *map(str, words)])


def _goals() -> list[str]:
    """Goals of all sets in equal parts."""
    chosen: list[str] = []
    for catalog in sets.separate():
        for several in catalog.queries.values():
            chosen += [query.text for query in sets.sample(several, _GOALS // len(sets.NAMES))]
    return [chosen[place * 7919 % len(chosen)] for place in range(len(chosen))]
