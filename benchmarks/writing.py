"""What writing one request costs: python -m benchmarks.writing [document ...] (figure: 0.3 ms CPU, sources.md 16)."""

from __future__ import annotations

import sys
import time
from statistics import median

from rich.console import Console
from rich.table import Table

from benchmarks.oracle.documents import chosen, described
from benchmarks.oracle.samples import argument_sets
from periplus.model import Principal
from periplus.ports import Calling
from periplus.transports.openapi import OpenAPITransport

_DOCUMENTS = ("github", "stripe", "kubernetes", "superset", "pandascore")
_ROUNDS = 20


def main() -> None:
    wanted = sys.argv[1:] or _DOCUMENTS
    table = Table("document", "requests", "median µs", "99 % µs", "slowest µs", title="Writing a request (CPU)")
    for name, body in chosen():
        if any(one in name for one in wanted):
            costs = sorted(_costs(name, body))
            row = (median(costs), costs[int(len(costs) * 0.99)], costs[-1])
            table.add_row(name, f"{len(costs):,}", *(f"{cost * 1e6:,.0f}" for cost in row))
    Console().print(table)


def _costs(name: str, body: bytes) -> list[float]:
    """The least of some rounds for every operation with all its arguments."""
    document, transport = described(name, body), OpenAPITransport()
    calling = Calling(principal=Principal(id="bench"))
    costs: list[float] = []
    for tool in document.tools[:300]:
        for given in argument_sets(tool.args_schema)[1:2]:
            rounds: list[float] = []
            for _ in range(_ROUNDS):
                began = time.perf_counter()
                transport.prepare(tool, document.site, given.arguments, calling)
                rounds.append(time.perf_counter() - began)
            costs.append(min(rounds))
    return costs


if __name__ == "__main__":
    main()
