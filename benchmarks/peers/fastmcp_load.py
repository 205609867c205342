"""FastMCP on the same document: read, parse, `FastMCP.from_openapi`, list the tools. Runs in the peers' environment.

python benchmarks/peers/fastmcp_load.py DOCUMENT
"""

import asyncio
import json
import sys
import time
from pathlib import Path

import fastmcp
import fastmcp.server.providers.openapi  # imported before the clock starts, as ours is
import httpx2


async def load(document: Path) -> dict[str, object]:
    cpu, wall = time.process_time(), time.perf_counter()
    specification = json.loads(document.read_bytes())  # noqa: ASYNC240 - nothing else runs here
    async with httpx2.AsyncClient(base_url="https://api.example") as client:
        server = fastmcp.FastMCP.from_openapi(specification, client=client)
        tools = await server.list_tools()
    return {
        "cpu_s": time.process_time() - cpu,
        "wall_s": time.perf_counter() - wall,
        "tools": len(tools),
        "version": fastmcp.__version__,
    }


if __name__ == "__main__":
    print(json.dumps(asyncio.run(load(Path(sys.argv[1])))))
