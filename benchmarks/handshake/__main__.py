"""Measure the handshake face: python -m benchmarks.handshake [SITE ...] [--all] [--peer-up-to N] [--markdown FILE]."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from rich.console import Console

from benchmarks.handshake.grid import GRID, SMALL, rows
from benchmarks.processes import FailedError
from benchmarks.rows import markdown, table

_TITLE = "The handshake face"
_INTRO = (
    "Wall time of a call over MCP stdio: median and 95th percentile, the server's CPU in parentheses. "
    "Ours and the reference gateway's by turns, on the same generated sites on loopback."
)


def main() -> int:
    options = argparse.ArgumentParser(prog="python -m benchmarks.handshake")
    options.add_argument(
        "sites", nargs="*", metavar="site", help=f"some of {', '.join(GRID)}; {', '.join(SMALL)} if none"
    )
    options.add_argument("--all", action="store_true", help="every site of the grid")
    options.add_argument("--peer-up-to", type=int, default=10_000, metavar="N", help="tools the peer is measured with")
    options.add_argument("--markdown", type=Path, metavar="FILE", help="write the table as a page, too")
    chosen = options.parse_args()
    if unknown := [name for name in chosen.sites if name not in GRID]:
        options.error(f"not a site: {', '.join(unknown)}; there are {', '.join(GRID)}")
    names = tuple(GRID) if chosen.all else tuple(chosen.sites) or SMALL
    console, done = Console(), []
    try:
        for row in rows(names, peer_up_to=chosen.peer_up_to):
            console.print(" | ".join(row.cells()), markup=False, style="" if row.met else "red", soft_wrap=True)
            done.append(row)
    except FailedError as error:
        console.print(str(error), markup=False)
        return 1
    console.print(table(done, _TITLE))
    if chosen.markdown:
        chosen.markdown.write_text(markdown(done, _TITLE, _INTRO))
    return 0


if __name__ == "__main__":
    sys.exit(main())
