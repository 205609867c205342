"""A measured piece of work beside its target, and the table that shows many."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.table import Table

from benchmarks.processes import Cost

HEADS = ("work", "ours", "peer", "times better", "target", "met?")


@dataclass(frozen=True, kw_only=True)
class Target:
    """What a piece of work may cost; `times`: how often the peer's CPU time is at least ours."""

    cpu_s: float | None = None
    wall_s: float | None = None
    peak_mb: float | None = None
    times: float | None = None
    says: str = ""  # what must hold beside the figures

    def __str__(self) -> str:
        parts = (
            self.says,
            f"< {self.cpu_s:g} s cpu" if self.cpu_s else "",
            f"< {self.wall_s:g} s wall" if self.wall_s else "",
            f"< {self.peak_mb:g} MB" if self.peak_mb else "",
            f">= {self.times:g}x" if self.times else "",
        )
        return ", ".join(part for part in parts if part)


@dataclass(frozen=True, kw_only=True)
class Row:
    """One line of the table. `failure` says what does not hold; `told` and `beside` stand in place of our figures and
    the peer's, `ratio` in place of that of their CPU."""

    work: str
    target: Target
    ours: Cost | None = None
    peer: Cost | None = None
    told: str = ""
    beside: str = ""
    ratio: float | None = None
    failure: str = ""
    skipped: bool = False

    @property
    def times(self) -> float | None:
        if self.ratio is not None:
            return self.ratio
        return self.peer.cpu_s / self.ours.cpu_s if self.peer and self.ours else None

    @property
    def met(self) -> bool:
        """Whether every figure that has a target keeps it."""
        if self.failure or self.ours is None:
            return False
        target, ours = self.target, self.ours
        limits = ((ours.cpu_s, target.cpu_s), (ours.wall_s, target.wall_s), (ours.peak_mb, target.peak_mb))
        kept = all(limit is None or value < limit for value, limit in limits)
        return kept and (target.times is None or (self.times or 0) >= target.times)

    def cells(self) -> tuple[str, ...]:
        times = f"{self.times:.1f}" if self.times else ""
        met = "skipped" if self.skipped else "yes" if self.met else "NO"
        ours = self.told or shown(self.ours, wall=self.target.wall_s is not None)
        return (self.work, ours, self.beside or shown(self.peer), times, str(self.target), met)


def shown(cost: Cost | None, *, wall: bool = False) -> str:
    if cost is None:
        return ""
    time = f"{cost.wall_s:.2f} s wall" if wall else f"{cost.cpu_s:.2f} s cpu"
    return f"{time}, {cost.peak_mb:.0f} MB"


def table(rows: Sequence[Row], title: str) -> Table:
    """For a terminal; what failed is said below it."""
    made = Table(*HEADS, title=title)
    for row in rows:
        style = "dim" if row.skipped else "" if row.met else "red"
        made.add_row(*row.cells(), style=style)
    return made


def markdown(rows: Sequence[Row], title: str, intro: str) -> str:
    """The same as a page of the documentation."""
    lines = [f"# {title}", "", intro, "", _line(HEADS), _line(["---"] * len(HEADS))]
    lines += [_line(row.cells()) for row in rows]
    return "\n".join(lines) + "\n"


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
