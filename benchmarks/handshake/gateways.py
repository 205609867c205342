"""A gateway as a child process that speaks MCP over stdio: what its answers cost it, and how large it is."""

from __future__ import annotations

import json
import os
import selectors
import subprocess
import sysconfig
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.processes import ROOT, FailedError

PERIPLUS = Path(sysconfig.get_path("scripts")) / "periplus"
ELEMM = ROOT / ".peers" / "elemm" / "bin" / "elemm-gateway"
_ANSWER_S = 300.0
_TICKS = os.sysconf("SC_CLK_TCK")
_CHUNK = 1 << 16


@dataclass(frozen=True)
class Answer:
    """What a tool said, and how long it took to say it."""

    text: str
    wall_ms: float
    structured: Mapping[str, Any]

    @property
    def tokens(self) -> float:
        """As the contract counts: four characters are one."""
        return len(self.text) / 4


class Gateway:
    """One session over stdio."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self._number = 0
        self._rest = b""
        self._ready = selectors.DefaultSelector()
        if process.stdout is not None:
            self._ready.register(process.stdout, selectors.EVENT_READ)
        client = {"name": "bench", "version": "1"}
        self.ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client})
        self._send({"method": "notifications/initialized"})

    def __call__(self, tool: str, /, **arguments: Any) -> Answer:
        """Call one of its tools."""
        began = time.perf_counter()
        result = self.ask("tools/call", {"name": tool, "arguments": arguments})
        wall = (time.perf_counter() - began) * 1000
        text = "\n".join(block.get("text", "") for block in result["content"])
        return Answer(text, wall, result.get("structuredContent") or {})

    def ask(self, method: str, params: Mapping[str, Any] | None = None) -> Any:
        """One request and its result."""
        self._number += 1
        self._send({"id": self._number, "method": method, "params": params or {}})
        while True:
            message = json.loads(self._line())
            if message.get("id") == self._number and "method" not in message:
                if "error" in message:
                    raise FailedError(f"{method}: {message['error']}")
                return message["result"]

    @property
    def cpu_ms(self) -> float:
        """CPU of all its threads so far."""
        fields = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(") ")[2].split()
        return (int(fields[11]) + int(fields[12])) * 1000 / _TICKS

    def memory_mb(self, what: str = "VmRSS") -> float:
        """How large it is, or was at its largest (`VmHWM`)."""
        status = Path(f"/proc/{self._process.pid}/status").read_text()
        return int(status.partition(f"{what}:")[2].split()[0]) / 1024

    def _send(self, message: Mapping[str, Any]) -> None:
        if self._process.stdin is not None:
            self._process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
            self._process.stdin.flush()

    def _line(self) -> bytes:
        if self._process.stdout is None:
            raise FailedError("a gateway without an output")
        parts = [self._rest]
        while b"\n" not in parts[-1]:
            if not self._ready.select(_ANSWER_S):
                raise FailedError(f"no answer within {_ANSWER_S:g} s")
            parts.append(os.read(self._process.stdout.fileno(), _CHUNK))
            if not parts[-1]:
                raise FailedError("the gateway has ended")
        line, _, self._rest = b"".join(parts).partition(b"\n")
        return line


@contextmanager
def started(command: Sequence[str], environment: Mapping[str, str], home: Path) -> Iterator[Gateway]:
    """It ends with the block."""
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=home,
        env={"HOME": str(home), "PATH": os.defpath, **environment},
    ) as process:  # fmt: skip
        try:
            yield Gateway(process)
        finally:
            process.kill()


@contextmanager
def ours(home: Path) -> Iterator[Gateway]:
    """Periplus, with a data directory of its own below `home`."""
    with started([str(PERIPLUS), "--data", str(home / "data"), "serve", "--stdio"], {}, home) as gateway:
        yield gateway


@contextmanager
def reference(home: Path) -> Iterator[Gateway]:
    """The reference gateway, in a home of its own."""
    (home / ".elemm").mkdir(parents=True, exist_ok=True)
    (home / ".elemm" / "mcp_servers.yaml").write_text("servers: {}\n")
    with started([str(ELEMM)], {"ELEMM_SKIP_MONITOR": "1"}, home) as gateway:
        yield gateway


@contextmanager
def serving(command: Sequence[str]) -> Iterator[str]:
    """A child that prints its address on its first line and ends with its stdin; the address."""
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
        try:
            line = process.stdout.readline().strip() if process.stdout else ""
            if not line:
                raise FailedError(f"{' '.join(command)} did not start")
            yield line
        finally:
            process.kill()
