"""What a measured process does with an index: one piece of work, its figures as JSON on the last line.

python -m benchmarks.search.jobs build FOLDER COUNT | open FOLDER | add FOLDER | patterns FOLDER
python -m benchmarks.search.jobs search FOLDER GOALS | finer FOLDER GOALS
"""

from __future__ import annotations

import json
import re
import sys
import time
from itertools import islice
from pathlib import Path
from typing import Any

import periplus.search  # noqa: F401 - as in a gateway, nothing has loaded numpy before it

# isort: split
import msgspec
import numpy as np

from benchmarks.search import sets
from periplus.core.collecting import collecting_rarely
from periplus.search.encoder import WIDTH, load
from periplus.search.engine import Engine
from periplus.search.semantic import Model, unit

_PATTERNS = ("list.*pull", "^tools/github.*issue", r"get_\w+_by_id$", "zzzz", ".", "(invoice|payment)s?$")


def build(folder: Path, count: str) -> dict[str, Any]:
    """Index that many tools; reading the corpus is not counted."""
    records = iter(list(sets.grown(int(count)))) if int(count) <= 200_000 else sets.grown(int(count))
    engine = Engine(folder)
    began, worked = time.perf_counter(), time.process_time()
    with collecting_rarely():
        engine.rebuild(1, records)
    spent = {"seconds": time.perf_counter() - began, "cpu": time.process_time() - worked}
    return spent | {"bytes": sum(path.stat().st_size for path in folder.iterdir())}


def open_(folder: Path) -> dict[str, Any]:
    """From loaded code to the first answer."""
    began = time.perf_counter()
    engine = Engine(folder)
    opened = time.perf_counter() - began
    engine.search("list open pull requests of a repository")
    return {"open": opened, "first": time.perf_counter() - began}


def add(folder: Path) -> dict[str, Any]:
    """A thousand tools more, in the place of another thousand, and back."""
    engine = Engine(folder, Model())
    fresh = [msgspec.structs.replace(record, path=f"new/{record.path}") for record in islice(sets.operations(), 1000)]
    engine.search("warm up")
    began = time.perf_counter()
    engine.update(2, fresh)
    spent = time.perf_counter() - began
    engine.update(1, (), [record.ref for record in fresh])
    return {"seconds": spent}


def patterns(folder: Path) -> dict[str, Any]:
    """Regular expressions over all names, beside Python's own on one joined text."""
    engine = Engine(folder)
    refs = "\n".join(ref for segment in engine.index.current.segments for ref in segment.refs)
    ours, theirs = [], []
    for pattern in _PATTERNS:
        began = time.perf_counter()
        engine.match(pattern)
        ours.append(time.perf_counter() - began)
        began = time.perf_counter()
        list(islice(re.finditer(pattern, refs, re.IGNORECASE | re.MULTILINE), 100))
        theirs.append(time.perf_counter() - began)
    return {"p50": float(np.median(ours)), "worst": max(ours), "re_worst": max(theirs)}


def search(folder: Path, goals: str) -> dict[str, Any]:
    """Goals from a file, each once and cold in every cache but the page cache."""
    return _asked(Engine(folder), goals)


def finer(folder: Path, goals: str) -> dict[str, Any]:
    """The same in quality mode. Vectors of tools are drawn by lot: what a search costs does not depend on them."""
    engine = Engine(folder, encoder=load())
    engine.refining.lacking(1)
    drawn = np.random.default_rng(1)
    view = engine.view()
    for segment, fine in zip(view.segments, view.fine, strict=True):
        fine.encoded(range(segment.count), unit(drawn.standard_normal((segment.count, WIDTH), np.float32)))
    return _asked(engine, goals)


def _asked(engine: Engine, goals: str) -> dict[str, Any]:
    asked = json.loads(Path(goals).read_text(encoding="utf-8"))
    for goal in asked[:20]:
        engine.search(goal)
    spent, cpu = [], []
    for goal in asked[20:]:
        began, worked = time.perf_counter(), time.process_time()
        engine.search(goal)
        spent.append(time.perf_counter() - began)
        cpu.append(time.process_time() - worked)
    p50, p95 = np.quantile(spent, (0.5, 0.95))
    took = {"p50": float(p50), "p95": float(p95), "cpu_p95": float(np.quantile(cpu, 0.95))}
    return took | {"tools": engine.index.current.size} | _resident()


def _resident() -> dict[str, float]:
    """Megabytes of this process: its own, and those of files that all processes share."""
    status = Path("/proc/self/status")
    if not status.exists():
        return {}
    lines = dict(line.split(":", 1) for line in status.read_text(encoding="ascii").splitlines() if ":" in line)
    return {name: int(lines[key].split()[0]) / 1024 for name, key in (("own", "RssAnon"), ("shared", "RssFile"))}


def main() -> None:
    work = {"build": build, "open": open_, "add": add, "patterns": patterns, "search": search, "finer": finer}[
        sys.argv[1]
    ]
    print(json.dumps(work(Path(sys.argv[2]), *sys.argv[3:])))


if __name__ == "__main__":
    main()
