"""Measure, and print a table: python -m benchmarks [part ...] [--markdown FILE].

Medians of fresh processes, one after the other by turns with the peer's. CPU seconds are of the work alone where a
process can tell them (its imports come before the clock starts, the peer's too), memory is the whole process's.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from rich.console import Console

from benchmarks.calling import call
from benchmarks.expansion import confidence, expansion
from benchmarks.handshake.grid import handshake
from benchmarks.loading import load, reconnect, samples, start
from benchmarks.processes import SHARED, FailedError
from benchmarks.rows import Row, markdown, table
from benchmarks.sessions import sessions
from benchmarks.workflow import workflow

_TITLE = "Benchmarks"
_PARTS: dict[str, Callable[[], Iterator[Row]]] = {
    "start": start,
    "load": load,
    "reconnect": reconnect,
    "samples": samples,
    "call": call,
    "expansion": expansion,
    "confidence": confidence,
    "sessions": sessions,
    "workflow": workflow,
    "handshake": handshake,
}
_INTRO = (
    "Written by `make bench`. Medians of fresh processes, by turns with the peer's (FastMCP, pinned in "
    "`requirements/bench.txt`; for the handshake face the reference gateway, pinned in `requirements/elemm.txt`). "
    "CPU seconds and ratios count; machines differ, and one alone is noisy."
)


def main() -> int:
    options = argparse.ArgumentParser(prog="python -m benchmarks")
    options.add_argument("parts", nargs="*", metavar="part", help=f"some of {', '.join(_PARTS)}; all when none")
    options.add_argument("--markdown", type=Path, metavar="FILE", help="write the table as a page, too")
    chosen = options.parse_args()
    if unknown := [part for part in chosen.parts if part not in _PARTS]:
        options.error(f"not a part: {', '.join(unknown)}; there are {', '.join(_PARTS)}")
    console = Console()
    if not SHARED.is_dir():
        console.print("../shared is absent: rows on real documents are skipped")
    rows: list[Row] = []
    for name in chosen.parts or _PARTS:
        try:
            with console.status(f"measuring {name}"):
                rows += _PARTS[name]()
        except FailedError as error:
            console.print(f"{name}: {error}", markup=False)
            return 1
    console.print(table(rows, _TITLE))
    for row in rows:
        if row.failure:
            console.print(f"{row.work}: {row.failure}", markup=False)
    if chosen.markdown:
        chosen.markdown.write_text(markdown(rows, _TITLE, _INTRO))
    return 0


if __name__ == "__main__":
    sys.exit(main())
