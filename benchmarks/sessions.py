"""Ten thousand MCP sessions that nobody ends: what they cost the gateway, and how it answers with them open."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from http import HTTPStatus
from pathlib import Path
from statistics import median
from typing import Any

import anyio
import httpx2

from benchmarks.processes import Cost, FailedError
from benchmarks.rows import Row, Target

_SESSIONS, _CALLERS, _ASKED = 10_000, 8, 50
_ACCEPT = {"accept": "application/json, text/event-stream"}
_HELLO: dict[str, Any] = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}},
}
_LIST = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}


def sessions() -> Iterator[Row]:
    """Opened over streamable HTTP by few callers in turn; one more is refused."""
    with tempfile.TemporaryDirectory() as directory, _serving(Path(directory)) as (process, url):
        yield anyio.run(_measured, process, url)


async def _measured(process: int, url: str) -> Row:
    async with httpx2.AsyncClient(headers=_ACCEPT, timeout=60) as http:
        first = await _opened(http, url)
        alone = await _quick(http, url, first)
        began, cpu, memory = time.perf_counter(), _cpu_s(process), _memory_mb(process)
        opened: list[str] = []
        wanted = iter(range(_SESSIONS - 1))

        async def come() -> None:
            opened.extend([await _opened(http, url) for _ in wanted])

        async with anyio.create_task_group() as tasks:
            for _ in range(_CALLERS):
                tasks.start_soon(come)
        peak = _memory_mb(process)
        ours = Cost(cpu_s=_cpu_s(process) - cpu, wall_s=time.perf_counter() - began, peak_mb=peak)
        refused = (await http.post(url, json=_HELLO)).status_code
        crowded = await _quick(http, url, first)
        newest = await _quick(http, url, opened[-1])
    each = f"{1000 * ours.cpu_s / _SESSIONS:.1f} ms cpu and {1000 * (peak - memory) / _SESSIONS:.0f} kB each"
    answers = f"`tools/list` in {alone:.1f} ms alone, {crowded:.1f} and {newest:.1f} ms among them"
    failure = "" if refused == HTTPStatus.SERVICE_UNAVAILABLE else f"one more session was answered {refused}"
    if max(crowded, newest) > 3 * alone:
        failure = failure or "answers take longer among them"
    target = Target(peak_mb=600, says="the next is refused, answers as before")
    work = f"{_SESSIONS:,} MCP sessions open"
    return Row(work=work, target=target, ours=ours, told=f"{each}; {answers}", failure=failure)


async def _opened(http: httpx2.AsyncClient, url: str) -> str:
    answer = await http.post(url, json=_HELLO)
    if answer.status_code != HTTPStatus.OK:
        raise FailedError(f"a session was answered {answer.status_code}: {answer.text[:200]}")
    return answer.headers["mcp-session-id"]


async def _quick(http: httpx2.AsyncClient, url: str, session: str) -> float:
    """The median time of an answer in one session, in ms."""
    headers = {"mcp-session-id": session, "mcp-protocol-version": "2025-11-25"}
    times: list[float] = []
    for _ in range(_ASKED):
        began = time.perf_counter()
        answer = await http.post(url, json=_LIST, headers=headers)
        times.append(time.perf_counter() - began)
        if answer.status_code != HTTPStatus.OK:
            raise FailedError(f"a session was answered {answer.status_code}: {answer.text[:200]}")
    return 1000 * median(times)


@contextmanager
def _serving(directory: Path) -> Generator[tuple[int, str]]:
    command = [sys.executable, "-c", "from periplus.cli.main import run; run()", "--data", str(directory)]
    with subprocess.Popen([*command, "serve", "--http", "127.0.0.1:0"], stderr=subprocess.PIPE, text=True) as process:
        if process.stderr is None:
            raise FailedError("no way to hear where it listens")
        line = process.stderr.readline()
        threading.Thread(target=process.stderr.read, daemon=True).start()
        found = re.search(r"http://[\d.]+:\d+", line)
        if found is None:
            raise FailedError(line)
        try:
            yield process.pid, f"{found[0]}/mcp"
        finally:
            process.kill()


def _memory_mb(process: int) -> float:
    found = re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{process}/status").read_text())
    return int(found[1]) / 1024 if found else 0.0


def _cpu_s(process: int) -> float:
    told = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(told[11]) + int(told[12])) / os.sysconf("SC_CLK_TCK")
