"""What the expansion protocol costs; sizes of one's own: python -m benchmarks.expansion SIZE ..."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence

from benchmarks.processes import measure
from benchmarks.rows import Row, Target
from benchmarks.search import sets

SIZES = (200, 10_000, 100_000)
_LIST_MS = {200: 10, 10_000: 10, 100_000: 15, 1_000_000: 20}
_SEARCH_MS = {200: 40, 10_000: 40, 100_000: 100, 1_000_000: 250}
_EXPAND_MS = 10
_TOKENS = 1500
_ERROR = 0.10


def expansion(sizes: Sequence[int] = SIZES) -> Iterator[Row]:
    """A row for each size of catalog."""
    for size in sizes:
        yield _row(size)


def confidence() -> Iterator[Row]:
    """A row for each public test set alone, and one for all of them as sources of one catalog."""
    for names in (*((name,) for name in sets.NAMES), sets.NAMES):
        yield _told(names)


def _row(size: int) -> Row:
    cost = measure((sys.executable, "-m", "benchmarks.expansion.work", str(size)))
    seen = cost.answer
    limits = {"list": _LIST_MS.get(size, 20), "search": _SEARCH_MS.get(size, 250), "expand": _EXPAND_MS}
    slow = [f"{op} takes {seen['p95'][op]:.1f} ms" for op, limit in limits.items() if seen["p95"][op] >= limit]
    large = [f"{seen['tokens']} tokens to a schema"] if seen["tokens"] > _TOKENS else []
    return Row(
        work=f"expansion: list, search, expand among {size:,} tools",
        target=Target(
            says=f"p95 < {limits['list']}, {limits['search']}, {limits['expand']} ms, a schema in <= {_TOKENS:,} tokens"
        ),
        ours=cost,
        told=f"p95 {_three(seen['p95'])} ms (cpu {_three(seen['cpu'])}); {seen['tokens']:,} tokens",
        failure="; ".join([*slow, *large]),
    )


def _told(names: Sequence[str]) -> Row:
    work = f"expansion: confidence on {names[0] if len(names) == 1 else 'all sets together'}"
    target = Target(says=f"calibration error <= {_ERROR:g}")
    if not sets.DATA.is_dir():
        return Row(work=work, target=target, told="../shared is absent", skipped=True)
    cost = measure((sys.executable, "-m", "benchmarks.expansion.confidence", *names))
    seen = cost.answer
    errors = {"tools": seen["ece"], "areas": seen["area_ece"]}
    found = f"R@5 {100 * seen['recall5']:.0f} %, NDCG@5 {100 * seen['ndcg5']:.1f} %"
    above = f"above the floor {seen['ece_shown']:.3f}, {seen['area_ece_shown']:.3f}"
    return Row(
        work=f"{work}: {seen['goals']} goals, {seen['tools']:,} tools",
        target=target,
        ours=cost,
        told=f"tools {errors['tools']:.3f}, areas {errors['areas']:.3f} ({above}); {found}",
        beside=f"by substrings NDCG@5 {100 * seen['plain5']:.1f} %",
        failure="; ".join(f"{what}: {error:.3f}" for what, error in errors.items() if error > _ERROR),
    )


def _three(figures: dict[str, float]) -> str:
    return ", ".join(f"{figures[op]:.1f}" for op in ("list", "search", "expand"))
