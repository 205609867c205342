"""A process that calls without end: `caller.py DIRECTORY`. Prints the trace of each call once it has its answer."""

from __future__ import annotations

import sys
from itertools import count

import anyio

from periplus.app import open_gateway
from periplus.core.gateway import Gateway
from periplus.settings import Settings

CALLERS = 16


async def call(gateway: Gateway, caller: int) -> None:
    for turn in count():
        tool = "quay/berths/moor" if caller % 2 else "quay/berths/look"
        result = await gateway.call(tool, {"x": turn})
        sys.stdout.write(f"{result.trace} {turn}\n")
        sys.stdout.flush()


async def main(directory: str) -> None:
    async with open_gateway(Settings(data=directory)) as gateway, anyio.create_task_group() as tasks:
        for caller in range(CALLERS):
            tasks.start_soon(call, gateway, caller)


if __name__ == "__main__":
    anyio.run(main, sys.argv[1])
