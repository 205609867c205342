"""One process: a catalog of so many generated tools, asked as a model asks. Its figures are JSON on the last line."""

from __future__ import annotations

import json
import random
import sys
import time
from collections.abc import Awaitable, Callable
from statistics import median, quantiles
from typing import Any

import anyio

from benchmarks import catalogs
from benchmarks.processes import DATA
from periplus.app import open_gateway
from periplus.core.gateway import Gateway
from periplus.faces.expansion import Expansion
from periplus.hosts.desk import Desk
from periplus.model import Principal, SourceSpec
from periplus.ports import Request
from periplus.settings import Settings, load_settings

_LARGEST = 100_000  # tools of one document; more are several sources, each of another trade
_ROUNDS = 60
_WARM = 5
_OF_A_TOKEN = 4
_AGENT = Request(principal=Principal(id="agent"), connection="bench")


async def main(count: int) -> None:
    settings = load_settings(None, {}, {"data": str(DATA / f"expansion-{count}"), "limits.operations": 2_000_000})
    async with open_gateway(settings) as gateway:
        await filled(gateway, count)
        print(json.dumps(await measured(gateway, settings)))


async def filled(gateway: Gateway, count: int) -> None:
    """The catalog with its index; kept from run to run."""
    size = min(count, _LARGEST)
    known = {record.id for record in await gateway.sources()}
    for number in range(count // size):
        document = DATA / (f"coast-{size}-{number}.json" if number else f"coast-{size}.json")
        if not document.exists():
            catalogs.write(document, size, number)
        if (name := f"coast-{number}") not in known:
            await gateway.connect(SourceSpec(id=name, url=str(document)))
    await gateway.index()


async def measured(gateway: Gateway, settings: Settings) -> dict[str, Any]:
    desk = Desk(Expansion(gateway, settings))
    draw = random.Random(1)

    async def ask(op: str, **arguments: Any) -> dict[str, Any]:
        reply = await desk.ask(op, arguments, _AGENT)
        if reply is None or reply.problem is not None:
            raise RuntimeError(f"{op} {arguments} is refused: {reply and reply.body}")
        return dict(reply.body)

    roots = (await ask("list"))["nodes"]
    areas = [node for root in roots for node in (await ask("list", path=root["path"], limit=50))["nodes"]]
    tools = await chosen(ask, areas, draw)
    places = [node["path"] for node in areas]

    async def listing() -> None:
        await ask("list", path=draw.choice(places), limit=10)

    async def searching() -> None:
        await ask("search_tool_by_category", query=draw.choice(tools)["summary"])

    async def expanding() -> None:
        await ask("expand_tool", tool_id=draw.choice(tools)["tool_id"])

    spent = {"list": await spending(listing), "search": await spending(searching), "expand": await spending(expanding)}
    return {
        "p95": {op: wall for op, (wall, _) in spent.items()},
        "cpu": {op: cpu for op, (_, cpu) in spent.items()},
    } | {"tokens": await tokens(ask, tools[:20])}


async def chosen(ask: Callable[..., Awaitable[dict[str, Any]]], areas: list[Any], draw: random.Random) -> list[Any]:
    """Tools from all over the catalog."""
    found: list[Any] = []
    for area in draw.sample(areas, min(12, len(areas))):
        found += (await ask("list", path=area["path"], recursive=True, limit=30))["tools"]
    draw.shuffle(found)
    return found


async def spending(work: Callable[[], Awaitable[None]]) -> tuple[float, float]:
    """Milliseconds that nineteen of twenty keep to, and the median of CPU, after a warm-up."""
    for _ in range(_WARM):
        await work()
    walls: list[float] = []
    cpus: list[float] = []
    for _ in range(_ROUNDS):
        wall, cpu = time.perf_counter(), time.process_time()
        await work()
        walls.append((time.perf_counter() - wall) * 1000)
        cpus.append((time.process_time() - cpu) * 1000)
    return quantiles(walls, n=20)[-1], median(cpus)


async def tokens(ask: Callable[..., Awaitable[dict[str, Any]]], tools: list[Any]) -> int:
    """Root list, one search, one expansion: what a model reads until it has a schema (E-46)."""
    root = len(json.dumps(await ask("list"), separators=(",", ":")))
    spent: list[int] = []
    for tool in tools:
        found = await ask("search_tool_by_category", query=tool["summary"])
        read = await ask("expand_tool", tool_id=found["results"][0]["tool_id"])
        sizes = (len(json.dumps(body, separators=(",", ":"))) for body in (found, read))
        spent.append((root + sum(sizes)) // _OF_A_TOKEN)
    return int(median(spent))


if __name__ == "__main__":
    anyio.run(main, int(sys.argv[1]))
