"""How long documents take to decode: ours and PyYAML's C loader (or the standard library's json) in the same run.

python benchmarks/documents.py [FOLDER] [--smallest KILOBYTES]
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path

import yaml
from rich.console import Console
from rich.table import Table

from periplus.documents import decode

_SAMPLES = Path(__file__).resolve().parents[2] / "shared" / "data" / "openapi"
_ROUNDS = 3


def cpu_ms(work: Callable[[], object]) -> float | None:
    """The quickest of three rounds in CPU time, or None where the work fails."""
    best = float("inf")
    for _ in range(_ROUNDS):
        start = time.process_time()
        try:
            work()
        except (ValueError, yaml.YAMLError):
            return None
        best = min(best, time.process_time() - start)
    return best * 1000


def usual(data: bytes, *, is_json: bool) -> Callable[[], object]:
    return (lambda: json.loads(data)) if is_json else (lambda: yaml.load(data, Loader=yaml.CSafeLoader))


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("folder", nargs="?", type=Path, default=_SAMPLES)
    options.add_argument("--smallest", type=int, default=250, help="leave out smaller documents, in kilobytes")
    chosen = options.parse_args()
    table = Table("document", "MB", "ours, ms", "usual, ms", "times", title="decoding: CPU time, best of three")
    for path in sorted(chosen.folder.glob("*.[jy]*"), key=lambda path: -path.stat().st_size):
        data = path.read_bytes()
        if len(data) < chosen.smallest * 1000:
            continue
        is_json = path.suffix == ".json"
        ours = cpu_ms(lambda data=data, name=path.name: decode(data, name=name))
        theirs = cpu_ms(usual(data, is_json=is_json))
        row = [f"{ms:.0f}" if ms is not None else "refused" for ms in (ours, theirs)]
        times = f"{theirs / ours:.1f}" if ours and theirs else ""
        table.add_row(path.name, f"{len(data) / 1e6:.1f}", *row, times)
    Console().print(table)


if __name__ == "__main__":
    main()
