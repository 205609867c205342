"""A process that opens the store and writes: `opener.py DIRECTORY SOURCE COUNT`."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from periplus.stores.sqlite import open_store
from periplus.testing.catalogs import make_change, make_row


async def write(directory: Path, source: str, count: int) -> None:
    async with open_store(directory) as store:
        for number in range(count):
            await store.apply(make_change(source, [make_row(f"a/t{number}")]), float(number))


if __name__ == "__main__":
    asyncio.run(write(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])))
