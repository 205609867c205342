"""A gateway to be killed: `gateway.py PYTHON-SERVER ARG ...` reads its listing, says so, and waits."""

from __future__ import annotations

import os
import sys

import anyio

from periplus.model import SourceSpec
from periplus.net import Fetcher, FetchPolicy
from periplus.net.mcp import McpPool


async def main() -> None:
    spec = SourceSpec(id="family", kind="mcp", command=sys.executable, args=tuple(sys.argv[1:]))
    async with McpPool(Fetcher(FetchPolicy()).transport, environ=dict(os.environ)) as pool:
        await pool.listing(spec)
        print("ready", flush=True)  # noqa: T201
        await anyio.sleep_forever()


anyio.run(main)
