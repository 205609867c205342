"""Workflow sessions: what a call costs, alone, among many and for a while, with record and trace on the disk."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

from benchmarks.processes import SHARED, Cost, measure
from benchmarks.rows import Row, Target
from benchmarks.workflow.definition import ID

_KNOWN = {"get_workflow": 20.0, "next_activity": 26.0}  # ms a call of a published server took, measured elsewhere
_KNOWN_PIPELINED = 37.0
_LARGEST = "workflow-design"
_LASTING_S, _LASTING_CALLERS, _GROWTH_MB = 60, 40, 5.0


def workflow() -> Iterator[Row]:
    """One caller and forty, on fourteen activities; the largest sample definition; a thousand sessions; handles."""
    yield from _figures("fourteen activities, one caller", _run(ID, 20, 1), _KNOWN)
    yield from _figures("fourteen activities, 40 callers", _run(ID, 40, 40), {"": _KNOWN_PIPELINED})
    if SHARED.is_dir():
        yield _row(f"{_LARGEST}, default walk, each call", _run(_LARGEST, 10, 1), Target(cpu_s=0.002))
        yield _short(_run(_LARGEST, 3, 1, form="short"))
    crowd = _run(ID, 1000, 200, most=1)
    yield _row("1,000 sessions, 200 at once, each call", crowd, Target(says="no error"))
    yield _lasting()


def _run(name: str, walks: int, callers: int, *, form: str = "full", most: int = 100) -> Cost:
    words = (str(SHARED / "workflows"), name, str(walks), str(callers), form, str(most))
    return measure((sys.executable, "-m", "benchmarks.workflow.work", *words))


def _figures(work: str, cost: Cost, known: dict[str, float]) -> Iterator[Row]:
    told: dict[str, Any] = cost.answer
    yield _row(f"{work}, each call", cost, Target(cpu_s=0.002))
    for tool, theirs in known.items():
        p50, p99 = told["tools"][tool] if tool else (told["wall_s"] * 1000, told["p99_ms"])
        target = Target(says=f"{'p50' if tool else 'of wall'} < {theirs / 10:g} ms")
        said = f"p50 {p50:.1f} ms, p99 {p99:.1f} ms" if tool else f"{p50:.1f} ms of wall a call"
        failure = "" if p50 < theirs / 10 else f"{p50:.2f} ms"
        yield Row(work=f"{work}, {tool or 'any tool'}", target=target, ours=cost, told=said, failure=failure)
    yield Row(
        work=f"{work}, bytes of a walk",
        target=Target(),
        ours=cost,
        told=(
            f"{told['walk_bytes']:,} bytes in {told['walk_calls']:.0f} calls; "
            f"the first {told['cold_bytes']:,} bytes, {told['cold_ms']:.1f} ms a call"
        ),
    )
    each = ", ".join(f"{tool} {p50:.1f}/{p99:.1f}" for tool, (p50, p99) in told["tools"].items())
    yield Row(work=f"{work}, p50 and p99 of each tool, ms", target=Target(), ours=cost, told=each)


def _row(work: str, cost: Cost, target: Target) -> Row:
    told = cost.answer
    said = (
        f"{told['cpu_s'] * 1000:.2f} ms cpu, p50 {told['p50_ms']:.1f} ms, p99 {told['p99_ms']:.1f} ms, "
        f"{told['per_second']:,.0f} calls/s, +{told['grown_mb']:.0f} MB"
    )
    return Row(work=work, target=target, ours=cost, told=said)


def _lasting() -> Row:
    """What a process holds when a third of the time is over, beside what it holds at the end."""
    words = ("-m", "benchmarks.workflow.lasting", str(_LASTING_S), str(_LASTING_CALLERS))
    cost = measure((sys.executable, *words))
    seen = cost.answer
    growth = seen["end_mb"] - seen["warm_mb"]
    return Row(
        work=f"{_LASTING_CALLERS} callers for {_LASTING_S} s",
        target=Target(says=f"memory grows by < {_GROWTH_MB:g} MB"),
        ours=cost,
        told=f"{seen['calls']:,} calls, {seen['warm_mb']:.0f} -> {seen['end_mb']:.0f} MB",
        failure="" if growth < _GROWTH_MB else f"memory grew by {growth:.0f} MB",
    )


def _short(cost: Cost) -> Row:
    longest = cost.answer["token"]
    failure = "" if longest < 400 else f"{longest} characters"
    target = Target(says="< 400 characters")
    return Row(
        work="handles (token_form = short)", target=target, ours=cost, told=f"{longest} characters", failure=failure
    )
