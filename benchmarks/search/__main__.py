"""Search: quality beside FastMCP's and substrings, speed and memory beside the contract's targets.

python -m benchmarks.search [--sizes 10000,100000] [--no-quality] [--finer] [--finer-pooled] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from statistics import mean

from rich.console import Console
from rich.table import Table

from benchmarks.search import quality, sets, speed
from benchmarks.search.vectors import Encoded

_out = Console(width=150)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--sizes", default="10000,100000", help="catalog sizes for speed, by comma; empty for none")
    options.add_argument("--no-quality", action="store_true", help="speed only")
    options.add_argument("--finer", action="store_true", help="measure quality mode too: a few minutes for the network")
    options.add_argument(
        "--finer-pooled", action="store_true", help="in the pool too: once, half an hour for the network"
    )
    options.add_argument("--json", type=Path, help="write the figures to a file too")
    chosen = options.parse_args()
    if not sets.DATA.is_dir():
        sys.exit(f"the retrieval sets are not at {sets.DATA}: they are not part of the project")
    told: dict[str, object] = {}
    if not chosen.no_quality:
        told["separate"] = _quality(
            "each set alone", [row for one in sets.separate() for row in quality.rows(one, pooled=False)]
        )
        told["pooled"] = _quality(
            "all sets and real operations in one pool", list(quality.rows(sets.pooled(), pooled=True))
        )
    if chosen.finer or chosen.finer_pooled:
        encoded = Encoded()
        told["finer"] = _finer(
            "quality mode, each set alone",
            [row for one in sets.separate() for row in quality.finer(one, encoded, pooled=False)],
        )
        if chosen.finer_pooled:
            rows = list(quality.finer(sets.pooled(), encoded, pooled=True))
            told["finer_pooled"] = _finer("quality mode, in one pool", rows)
    for count in map(int, filter(None, chosen.sizes.split(","))):
        told[str(count)] = _speed(count)
    if chosen.json:
        chosen.json.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")


def _quality(title: str, rows: list[quality.Row]) -> list[dict[str, object]]:
    table = Table(
        "set", "tools", "queries", "NDCG@5", "95 %", "R@5", "R@10", "MRR", "ECE", "silent", "ms",
        "FastMCP", "95 %", "ours on its queries", "substring", title=title,
    )  # fmt: skip
    for row in rows:
        ours, theirs = row.ours, row.peer
        table.add_row(
            row.name, str(row.tools), str(ours.queries), _share(ours.ndcg5), f"{_share(ours.low)}-{_share(ours.high)}",
            _share(ours.recall5), _share(ours.recall10), _share(ours.mrr), f"{ours.ece:.3f}", _share(ours.silent),
            f"{row.ms:.1f}", _share(theirs[0]) if theirs else "not here",
            f"{_share(theirs[1])}-{_share(theirs[2])} of {row.peer_queries}" if theirs else "",
            _share(row.beside), _share(row.substring),
        )  # fmt: skip
    table.add_section()
    table.add_row(
        "mean", "", "", _share(mean(row.ours.ndcg5 for row in rows)), "",
        _share(mean(row.ours.recall5 for row in rows)),
        _share(mean(row.ours.recall10 for row in rows)), _share(mean(row.ours.mrr for row in rows)),
        f"{mean(row.ours.ece for row in rows):.3f}", _share(mean(row.ours.silent for row in rows)), "",
        _share(mean(row.peer[0] for row in rows if row.peer)) if all(row.peer for row in rows) else "", "",
        _share(mean(row.beside for row in rows)), _share(mean(row.substring for row in rows)),
    )  # fmt: skip
    _out.print(table)
    most = quality.POOLED_MOST if rows[0].tools > 20_000 else quality.SEPARATE_MOST
    few = quality.PEER_POOLED_MOST if rows[0].tools > 20_000 else quality.PEER_MOST
    _out.print(f"at most {most} test queries a set, {few} for the peer, drawn with a fixed seed\n", style="dim")
    return [
        {"set": row.name, "tools": row.tools, "ndcg5": row.ours.ndcg5, "ece": row.ours.ece, "fastmcp": row.peer}
        for row in rows
    ]


def _finer(title: str, rows: list[quality.Finer]) -> list[dict[str, object]]:
    table = Table("set", "tools", "queries", "NDCG@5", "95 %", "R@5", "R@10", "MRR", "ECE", "silent", "ms", title=title)
    for row in rows:
        found = row.found
        table.add_row(
            row.name, str(row.tools), str(found.queries), _share(found.ndcg5),
            f"{_share(found.low)}-{_share(found.high)}", _share(found.recall5), _share(found.recall10),
            _share(found.mrr), f"{found.ece:.3f}", _share(found.silent), f"{row.ms:.1f}",
        )  # fmt: skip
    table.add_section()
    ndcg, ece = mean(row.found.ndcg5 for row in rows), mean(row.found.ece for row in rows)
    table.add_row("mean", "", "", _share(ndcg), "", "", "", "", f"{ece:.3f}")
    _out.print(table)
    return [{"set": row.name, "tools": row.tools, "ndcg5": row.found.ndcg5, "ece": row.found.ece} for row in rows]


def _share(value: float) -> str:
    return f"{100 * value:.1f}"


def _speed(count: int) -> dict[str, float]:
    table = Table("what", "measured", "wanted", "", title=f"{count:,} tools")
    told: dict[str, float] = {}
    for figure in speed.figures(count):
        wanted = "" if figure.target is None else f"{figure.target:g} {figure.unit}"
        verdict = "" if figure.target is None else ("met" if figure.value <= figure.target else "missed")
        table.add_row(figure.what, f"{figure.value:.3g} {figure.unit}", wanted, verdict)
        told[figure.what] = figure.value
    _out.print(table)
    return told


if __name__ == "__main__":
    main()
