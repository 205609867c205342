"""What the benchmark of workflows measures is a walk that is whole."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]


def measured(*words: str) -> dict[str, Any]:
    done = subprocess.run((sys.executable, "-m", *words), cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    told: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return told


def test_a_measured_walk_makes_every_call_and_reads_every_answer() -> None:
    """W-125: fourteen activities, all their questions, skills and resources, and the trace at the end."""
    told = measured("benchmarks.workflow.work", "none", "fourteen", "1", "1", "full", "100")
    assert told["calls"] == told["walk_calls"] == 4 + 14 * (1 + 2 * 2 + 2 * 2) + 1
    assert set(told["tools"]) == {
        *("start_session", "get_skills", "get_workflow", "next_activity", "get_skill", "get_resource"),
        *("get_checkpoint", "respond_checkpoint", "get_trace"),
    }
    assert all(0 < p50 <= p99 for p50, p99 in told["tools"].values())
    assert abs(told["cold_bytes"] - told["walk_bytes"]) < told["walk_bytes"] / 100
    assert told["walk_bytes"] > 100_000


def test_memory_is_told_of_a_third_of_the_time_and_of_its_end() -> None:
    """W-125."""
    told = measured("benchmarks.workflow.lasting", "0.5", "2")
    assert told["walks"] >= 2
    assert told["calls"] == told["walks"] * 131
    assert 0 < told["warm_mb"] <= told["end_mb"] + 5
