"""A process that writes one generation of a catalog after another; revision N is exactly generation N.

Started by the kill tests: `generations.py DIRECTORY`. Prints "ready", then each revision once it is acknowledged.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

import msgspec

from periplus.model import Node
from periplus.ports import Change
from periplus.stores.sqlite import open_store
from periplus.testing.catalogs import make_change, make_record, make_row, make_shapes

SOURCE = "zoo"


def keys(generation: int) -> list[str]:
    """Every seventh generation is an empty catalog; neighbours share some tools and not others."""
    if generation % 7 == 0:
        return []
    start = generation * 37 % 200
    return [f"k{number}" for number in range(start, start + 150 + generation % 50)]


def members(key: str, generation: int) -> dict[str, Any]:
    area = f"area{(int(key[1:]) + generation) % 5}"
    return {
        "path": f"{area}/{key}",
        "paths": (area, f"all/{generation % 3}"),
        "summary": f"generation {generation}",
        "args_schema": {"properties": {"x": {"$ref": "#/$defs/A"}}},
        "description": "d" * 400,
    }


def change(generation: int, stored: list[str]) -> Change:
    wanted = keys(generation)
    rows = (make_row(key=key, **members(key, generation)) for key in wanted)
    made = make_change(
        SOURCE,
        rows,
        removed=[key for key in stored if key not in wanted],
        nodes=[Node(path="", title=f"generation {generation}")],
        shapes=make_shapes(A={"const": generation}),
    )
    made.record = msgspec.structs.replace(make_record(SOURCE), instructions=f"generation {generation}")
    return made


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


async def write(directory: Path) -> None:
    say("ready")
    async with open_store(directory) as store:
        while True:
            generation = await store.revision() + 1
            if keys(generation):
                await store.apply(change(generation, list(await store.known(SOURCE))), float(generation))
            else:
                await store.remove(SOURCE, float(generation))
            say(str(generation))


if __name__ == "__main__":
    asyncio.run(write(Path(sys.argv[1])))
