"""Work in fresh processes: what each cost, told by the system that ran it."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT / ".bench" / "data"
SHARED = ROOT.parent / "shared" / "data"
PEER = ROOT / ".bench" / "bin" / "python"
_LIMIT_S = 600.0
_STDERR_SHOWN = 600


class FailedError(Exception):
    """A measured process that ended badly, and the end of what it said."""


@dataclass(frozen=True, kw_only=True)
class Cost:
    """What a process cost: CPU of all its threads, the largest it was, and what it answered."""

    cpu_s: float
    wall_s: float
    peak_mb: float
    answer: dict[str, Any] = field(default_factory=dict)


def measure(command: Sequence[str]) -> Cost:
    """Run a command once. Where it answers with `cpu_s` and `wall_s` itself, those are of its work alone.

    Keep this process small: the system counts what a child shared with it before it became itself.
    """
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        began = time.perf_counter()
        process = subprocess.Popen(command, stdout=out, stderr=err, cwd=ROOT, env=_environment())
        killer = threading.Timer(_LIMIT_S, process.kill)
        killer.start()
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - began
        killer.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        if process.returncode:
            raise FailedError(
                f"exit {process.returncode}: {err.read().decode(errors='replace')[-_STDERR_SHOWN:].strip()}"
            )
        answer = _answer(out.read())
    return Cost(
        cpu_s=answer.get("cpu_s", usage.ru_utime + usage.ru_stime),
        wall_s=answer.get("wall_s", wall),
        peak_mb=usage.ru_maxrss / 1024,
        answer=answer,
    )


def _environment() -> Mapping[str, str]:
    """Without settings of whoever measures; modules are compiled once, as where they are installed."""
    own = ("PERIPLUS_", "FASTMCP_", "PYTHONDONTWRITEBYTECODE")
    return {name: value for name, value in os.environ.items() if not name.startswith(own)}


def _answer(out: bytes) -> dict[str, Any]:
    last = out.rstrip().rpartition(b"\n")[2]
    try:
        answer = json.loads(last)
    except ValueError:
        return {}
    return answer if isinstance(answer, dict) else {}


def interleaved(commands: Mapping[str, Callable[[], Sequence[str]]], times: int) -> dict[str, Cost]:
    """Each command that often, by turns, so that a busy minute costs all of them; medians of each figure."""
    costs: dict[str, list[Cost]] = {name: [] for name in commands}
    for _ in range(times):
        for name, command in commands.items():
            costs[name].append(measure(command()))
    return {name: _median(several) for name, several in costs.items()}


def _median(costs: Sequence[Cost]) -> Cost:
    return Cost(
        cpu_s=median(cost.cpu_s for cost in costs),
        wall_s=median(cost.wall_s for cost in costs),
        peak_mb=median(cost.peak_mb for cost in costs),
        answer=costs[-1].answer,
    )
