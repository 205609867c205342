"""A gateway to be killed: `gateway.py PYTHON-SERVER ARG ...` reads its listing, calls what never answers, says so."""

from __future__ import annotations

import os
import sys

import anyio

from periplus.model import SourceSpec
from periplus.net import Fetcher, FetchPolicy
from periplus.net.mcp import McpPool


async def main() -> None:
    spec = SourceSpec(id="family", kind="mcp", command=sys.executable, args=tuple(sys.argv[1:]))
    fetcher = Fetcher(FetchPolicy())
    async with McpPool(lambda spec, *_: fetcher.transport(spec), environ=dict(os.environ)) as pool:
        await pool.listing(spec)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(pool.request, spec, "tools/call", {"name": "hang", "arguments": {}})
            print("ready", flush=True)  # noqa: T201


anyio.run(main)
