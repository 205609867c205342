"""The rows of any sizes: python -m benchmarks.expansion 10000 1000000."""

from __future__ import annotations

import sys

from rich.console import Console

from benchmarks.expansion import SIZES, expansion
from benchmarks.rows import table


def main() -> None:
    sizes = [int(word) for word in sys.argv[1:]] or list(SIZES)
    Console().print(table(list(expansion(sizes)), "Expansion"))


if __name__ == "__main__":
    main()
