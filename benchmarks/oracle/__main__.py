"""Prove requests on real documents, and print a table: python -m benchmarks.oracle [chosen] [directory] [--prism].

For every operation, argument sets made from its schema; openapi-core judges each request, and Prism with --prism.
"""

from __future__ import annotations

import argparse
import random
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks.oracle import prism
from benchmarks.oracle.documents import Described, chosen, described, directory
from benchmarks.oracle.judges import OpenAPICore
from benchmarks.oracle.proof import Judge, Tally, prove
from periplus.model import Tool

_SETS: dict[str, Callable[[], Iterator[tuple[str, bytes]]]] = {"chosen": chosen, "directory": directory}
_SHOWN = 20


def main() -> int:
    options = argparse.ArgumentParser(prog="python -m benchmarks.oracle", description=__doc__)
    options.add_argument("sets", nargs="*", metavar="set", help="chosen, directory; both when none")
    options.add_argument("--only", default="", help="documents whose name has this in it")
    options.add_argument("--most", type=int, default=0, help="operations of each document, drawn with a fixed seed")
    options.add_argument(
        "--prism", action="store_true", help="ask Prism, too (needs npm; starts one for each document)"
    )
    given = options.parse_args()
    warnings.simplefilter("ignore")  # the judges' own
    console = Console()
    program = prism.installed() if given.prism else None
    if given.prism and program is None:
        console.print("Prism cannot be installed here (npm is absent or has no registry): openapi-core judges alone")
    table = Table("document", "operations", "requests", "accepted", "excused", "wrong", "unverified", title="Requests")
    everything = Tally()
    for name in given.sets or _SETS:
        for file, body in _SETS[name]():
            if given.only in file:
                tally = _judged(described(file, body), program, given.most)
                everything.add(tally)
                if name == "chosen" or tally.wrong:
                    _row(table, Path(file).name if name == "chosen" else file, tally)
    _row(table, "all", everything)
    console.print(table)
    _tell(console, everything)
    return 1 if everything.wrong or everything.refused else 0


def _judged(document: Described, program: Path | None, most: int) -> Tally:
    with ExitStack() as stack:
        judges: list[Judge] = [OpenAPICore(document)] if OpenAPICore.takes(document) else []
        if program is not None:
            try:
                judges.append(stack.enter_context(prism.judging(document, program)))
            except TimeoutError as error:
                print(f"{document.name}: {error}", file=sys.stderr)
        return prove(document, judges, sample(len(document.tools), most)) if judges else Tally()


def sample(count: int, most: int, seed: int = 7) -> Callable[[Tool], bool]:
    """A fixed choice of that many operations; all when `most` is 0."""
    kept = set(random.Random(seed).sample(range(count), min(most or count, count)))
    places = iter(range(count))
    return lambda _: next(places) in kept


def _row(table: Table, name: str, tally: Tally) -> None:
    excused, wrong, unverified = sum(tally.excused.values()), len(tally.wrong), len(tally.unverified)
    share = f"{unverified} ({unverified / tally.operations:.1%})" if tally.operations else "0"
    counts = (tally.operations, tally.requests, tally.accepted, excused, wrong)
    table.add_row(name, *(f"{count:,}" for count in counts), share)


def _tell(console: Console, tally: Tally) -> None:
    for fault, count in tally.excused.most_common():
        console.print(f"excused {count:>6,}  {fault}", highlight=False)
    for title in ("wrong", "refused", "without"):
        for text in getattr(tally, title)[:_SHOWN]:
            console.print(f"{title}: {text}", markup=False, highlight=False)


if __name__ == "__main__":
    sys.exit(main())
