"""The unmodified reference gateway as a client over stdio, in an environment and a home of its own."""

from __future__ import annotations

import json
import os
import selectors
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from peers import python_of

_ANSWER_S = 30.0


class Reference:
    """One session with it."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self._number = 0
        assert process.stdout is not None
        self._ready = selectors.DefaultSelector()
        self._ready.register(process.stdout, selectors.EVENT_READ)
        self._text = b""
        self._ask(
            "initialize",
            {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
        )
        self._send({"method": "notifications/initialized"})

    def __call__(self, tool: str, **arguments: Any) -> str:
        """What one of its tools says."""
        result = self._ask("tools/call", {"name": tool, "arguments": arguments})
        return "\n".join(block["text"] for block in result["content"])

    def _ask(self, method: str, params: dict[str, Any]) -> Any:
        self._number += 1
        self._send({"id": self._number, "method": method, "params": params})
        while True:
            message = json.loads(self._line())
            if message.get("id") == self._number:
                return message["result"]

    def _send(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"jsonrpc": "2.0"} | message).encode() + b"\n")
        self._process.stdin.flush()

    def _line(self) -> bytes:
        assert self._process.stdout is not None
        while b"\n" not in self._text:
            assert self._ready.select(_ANSWER_S), "the reference gateway does not answer"
            chunk = os.read(self._process.stdout.fileno(), 1 << 16)
            assert chunk, "the reference gateway has ended"
            self._text += chunk
        line, _, self._text = self._text.partition(b"\n")
        return line


@contextmanager
def reference_gateway(home: Path) -> Iterator[Reference]:
    """Start it; it ends with the block."""
    command = python_of("elemm").with_name("elemm-gateway")
    (home / ".elemm").mkdir(parents=True)
    (home / ".elemm" / "mcp_servers.yaml").write_text("servers: {}\n")
    environment = {"HOME": str(home), "PATH": "/usr/bin:/bin", "ELEMM_SKIP_MONITOR": "1"}
    with subprocess.Popen(
        [str(command)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        cwd=home, env=environment,
    ) as process:  # fmt: skip
        try:
            yield Reference(process)
        finally:
            process.kill()
