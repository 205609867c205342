"""The rows of any sizes, without any those of `make bench`: python -m benchmarks.expansion [SIZE ... | confidence]."""

from __future__ import annotations

import sys

from rich.console import Console

from benchmarks.expansion import SIZES, confidence, expansion
from benchmarks.rows import table


def main() -> None:
    words = sys.argv[1:]
    sizes = [int(word) for word in words if word.isdecimal()]
    rows = list(expansion(sizes if words else SIZES))
    if not words or "confidence" in words:
        rows += confidence()
    Console(width=200).print(table(rows, "Expansion"))


if __name__ == "__main__":
    main()
