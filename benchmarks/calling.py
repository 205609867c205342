"""What calls cost: one alone beside the same request on a pooled client, a crowd of them, and their trail."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence

from benchmarks.processes import measure
from benchmarks.rows import Row, Target

_WORK = (sys.executable, "-m", "benchmarks.calls.work")
_SMALL, _LARGE = 1_000, 100_000
_ABOVE_MS, _APART = 1.5, 0.10
_TAIL, _GROWTH_MB, _SHARE = 3.0, 8.0, 0.15
_CROWD_S = 60
_TURNS, _TURN_S = 12, 2
_SCHEMA_MS, _CACHED_MS = 3.0, 0.5


def call() -> Iterator[Row]:
    """All rows of calls."""
    yield from _alone()
    yield _crowd()
    yield _trail()
    yield _selections()


def _alone() -> Iterator[Row]:
    """One caller, warm, in a small catalog and in a large one."""
    cost = measure(_run("warm", str(_SMALL), str(_LARGE)))
    seen = cost.answer
    above, apart = seen["large_ms"] - seen["bare_ms"], seen["apart"]
    yield Row(
        work="call a tool among 100,000, beside the same request on a pooled client",
        target=Target(says=f"< {_ABOVE_MS:g} ms cpu above it"),
        ours=cost,
        told=f"{above:.2f} ms cpu above {seen['bare_ms']:.2f} ms",
        failure="" if above < _ABOVE_MS else f"it costs {above:.2f} ms more",
    )
    yield Row(
        work="the same among 1,000 and among 100,000",
        target=Target(says=f"at most {_APART:.0%} apart"),
        ours=cost,
        told=(
            f"{seen['small_ms']:.2f} and {seen['large_ms']:.2f} ms cpu: {apart:+.0%} "
            f"(half of the turns between {seen['apart_low']:+.0%} and {seen['apart_high']:+.0%})"
        ),
        failure="" if abs(apart) < _APART else f"the large catalog costs {apart:+.0%}",
    )


def _crowd() -> Row:
    """Two hundred callers, an upstream that takes 20 ms."""
    cost = measure(_run("load", str(_CROWD_S), "on"))
    seen = cost.answer
    tail, growth = seen["p99_ms"] / seen["p50_ms"], seen["end_mb"] - seen["warm_mb"]
    wrong = [
        f"errors: {seen['errors']}" if seen["errors"] else "",
        f"p99 is {tail:.1f}x p50" if tail >= _TAIL else "",
        f"memory grew by {growth:.0f} MB" if growth >= _GROWTH_MB else "",
    ]
    return Row(
        work=f"200 callers for {_CROWD_S} s, an upstream with 20 ms",
        target=Target(says=f"no error, p99 < {_TAIL:g}x p50, memory flat"),
        ours=cost,
        told=(
            f"{seen['calls']:,} calls, p50 {seen['p50_ms']:.0f} ms, p99 {tail:.1f}x, "
            f"{seen['warm_mb']:.0f} -> {seen['end_mb']:.0f} MB"
        ),
        failure="; ".join(filter(None, wrong)),
    )


def _trail() -> Row:
    """The same crowd with the trail written and without."""
    cost = measure(_run("trail", str(_TURNS), str(_TURN_S)))
    seen = cost.answer
    share = seen["share"]
    return Row(
        work="what the trail costs the crowd",
        target=Target(says=f"< {_SHARE:.0%} of its calls"),
        ours=cost,
        told=(
            f"{seen['on']:.0f} calls/s with it, {seen['off']:.0f} without: {share:.0%}; "
            f"{seen['cpu_on_ms']:.2f} and {seen['cpu_off_ms']:.2f} ms cpu"
        ),
        failure="" if share < _SHARE else f"the trail costs {share:.0%}",
    )


def _selections() -> Row:
    """A selection that its caller wrote, checked against a schema as large as GitHub's."""
    cost = measure((sys.executable, "-m", "benchmarks.calls.selecting"))
    first, again = cost.answer["new_ms"], cost.answer["again_ms"]
    kept = first < _SCHEMA_MS and again < _CACHED_MS
    return Row(
        work=f"write a GraphQL selection and check it, {cost.answer['types']:,} types",
        target=Target(says=f"< {_SCHEMA_MS:g} ms cpu, again < {_CACHED_MS:g} ms"),
        ours=cost,
        told=f"{first:.2f} ms cpu, again {again:.3f} ms",
        failure="" if kept else "it takes longer",
    )


def _run(*words: str) -> Sequence[str]:
    return (*_WORK, *words)
