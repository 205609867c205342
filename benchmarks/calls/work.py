"""What a measured process does: python -m benchmarks.calls.work warm|load|trail ...; JSON on the last line."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from statistics import median, quantiles
from typing import Any

import anyio
import httpx2

from benchmarks.calls.upstream import DOCUMENT
from periplus.app import open_gateway
from periplus.app.sharing import take_short_turns
from periplus.core.gateway import Gateway
from periplus.model import Document, Problem, SourceRecord, SourceSpec, SourceState
from periplus.ports import Change
from periplus.settings import AuditSettings, Settings
from periplus.stores.sqlite import open_store
from periplus.testing.catalogs import make_row

_BATCH, _ROUNDS = 100, 60
_CALLERS = 200
Call = Callable[[], Awaitable[Any]]


@contextmanager
def upstream(latency_s: float) -> Iterator[str]:
    command = [sys.executable, "-m", "benchmarks.calls.upstream", str(latency_s)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    with process:
        yield (process.stdout or sys.stdin).readline().strip()
        (process.stdin or sys.stdout).close()


async def fill(directory: Path, tools: int) -> None:
    """As many other tools as a catalog of that size has."""
    async with open_store(directory) as store:
        for number in range(0, tools, 5000):
            name = f"filler-{number // 5000}"
            spec = SourceSpec(id=name, kind="python", url=f"filler.{name}")
            record = SourceRecord(spec=spec, state=SourceState.OK, document=Document(url=spec.url, kind="python"))
            count = min(5000, tools - number)
            rows = (make_row(f"area{at % 40}/tool{number + at}") for at in range(count))
            await store.apply(Change(record=record, rows=rows), 1.0)


@asynccontextmanager
async def gateway(directory: Path, base: str, *, audit: bool = True) -> AsyncIterator[Gateway]:
    """A gateway whose one real tool asks the upstream."""
    file = directory / "bench.json"
    file.write_text(json.dumps(DOCUMENT))
    settings = Settings(data=str(directory), audit=AuditSettings(enabled=audit))
    async with open_gateway(settings) as opened:
        await opened.connect(SourceSpec(id="bench", kind="openapi", url=str(file), base_url=base))
        yield opened


async def _cpu_ms(calls: dict[str, Call]) -> dict[str, list[float]]:
    """CPU of one call of each, of all threads of this process, by short turns in changing order: a second in which
    the machine is slow is slow for all of them.
    """
    spent: dict[str, list[float]] = {name: [] for name in calls}
    for turn in range(_ROUNDS + 1):
        for name in list(calls)[:: 1 if turn % 2 else -1]:
            began = time.process_time()
            for _ in range(_BATCH):
                await calls[name]()
            if turn:  # the first warms them
                spent[name].append((time.process_time() - began) / _BATCH * 1000)
    return spent


async def warm(small: str, large: str) -> dict[str, Any]:
    """A call in a small and in a large catalog, beside the same request on a pooled client."""
    async with AsyncExitStack() as stack:
        base = stack.enter_context(upstream(0.0))
        calls = {name: await _caller(stack, base, int(tools)) for name, tools in (("small", small), ("large", large))}
        client = await stack.enter_async_context(httpx2.AsyncClient(base_url=base))

        async def bare() -> None:
            (await client.get("/berths/B4", params={"free": "true"})).json()

        spent = await _cpu_ms({**calls, "bare": bare})
    apart = [large / small for large, small in zip(spent["large"], spent["small"], strict=True)]
    return {f"{name}_ms": median(rounds) for name, rounds in spent.items()} | {
        "apart": median(apart) - 1,
        "apart_low": quantiles(apart, n=4)[0] - 1,
        "apart_high": quantiles(apart, n=4)[2] - 1,
    }


async def _caller(stack: AsyncExitStack, base: str, tools: int) -> Call:
    """One call through a gateway that has so many tools beside the one that is called."""
    directory = Path(stack.enter_context(tempfile.TemporaryDirectory()))
    await fill(directory, tools)
    opened = await stack.enter_async_context(gateway(directory, base))

    async def through() -> None:
        await opened.call("bench/berths/getBerth", {"code": "B4", "free": True})

    return through


async def load(seconds: str, audit: str) -> dict[str, Any]:
    """Two hundred callers at once for a while, against an upstream that takes 20 ms."""
    with tempfile.TemporaryDirectory() as name, upstream(0.02) as base:
        async with gateway(Path(name), base, audit=audit == "on") as opened:
            return await _crowd(opened, float(seconds))


async def trail(turns: str, seconds: str) -> dict[str, Any]:
    """The crowd before a gateway that keeps its trail and one that does not, by short turns: what one slow second
    of the machine takes from one of them, it takes from the other.
    """
    with tempfile.TemporaryDirectory() as kept, tempfile.TemporaryDirectory() as free, upstream(0.02) as base:
        async with gateway(Path(kept), base) as on, gateway(Path(free), base, audit=False) as off:
            rates: dict[str, list[float]] = {"on": [], "off": []}
            cpu: dict[str, list[float]] = {"on": [], "off": []}
            for turn in range(int(turns) + 1):
                pair = (("on", on), ("off", off))
                for name, opened in pair if turn % 2 else reversed(pair):
                    seen = await _crowd(opened, float(seconds))
                    if turn:  # the first warms both
                        rates[name].append(seen["per_second"])
                        cpu[name].append(seen["cpu_ms"])
            shares = [1 - one / other for one, other in zip(rates["on"], rates["off"], strict=True)]
            return {
                "on": median(rates["on"]),
                "off": median(rates["off"]),
                "share": median(shares),
                "cpu_on_ms": median(cpu["on"]),
                "cpu_off_ms": median(cpu["off"]),
            }


async def _crowd(opened: Gateway, seconds: float) -> dict[str, Any]:
    took: list[float] = []
    errors: dict[str, int] = {}
    memory: list[float] = []
    began, cpu = time.perf_counter(), time.process_time()

    async def caller() -> None:
        while time.perf_counter() - began < seconds:
            start = time.perf_counter()
            try:
                await opened.call("bench/berths/getBerth", {"code": "B4"})
            except Problem as problem:
                errors[problem.code.value] = errors.get(problem.code.value, 0) + 1
            took.append(time.perf_counter() - start)

    async def watch() -> None:
        while True:
            memory.append(_resident_mb())
            await anyio.sleep(seconds / 20)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(watch)
        async with anyio.create_task_group() as callers:
            for _ in range(_CALLERS):
                callers.start_soon(caller)
        tasks.cancel_scope.cancel()
    settled = took[len(took) // 10 :]
    cuts = quantiles(settled, n=100)
    return {
        "calls": len(took),
        "per_second": len(took) / seconds,
        "cpu_ms": (time.process_time() - cpu) / len(took) * 1000,
        "errors": errors,
        "p50_ms": median(settled) * 1000,
        "p99_ms": cuts[98] * 1000,
        "warm_mb": memory[len(memory) // 3],
        "end_mb": memory[-1],
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def _resident_mb() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / (1 << 20)


def main() -> None:
    work = {"warm": warm, "load": load, "trail": trail}[sys.argv[1]]
    take_short_turns()  # as `periplus serve` does
    print(json.dumps(anyio.run(work, *sys.argv[2:])))


if __name__ == "__main__":
    main()
