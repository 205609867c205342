"""An MCP client of a served process that writes and reads lines, so that a test can kill the process between them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "lines", "version": "1"}}


class LineClient:
    """One process of `periplus serve --stdio --face workflow`."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self._number = 0
        self.notices: list[str] = []
        self.hello = self.request("initialize", HELLO)
        self._write({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def request(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        self._number += 1
        self._write({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})
        assert self.process.stdout is not None
        for line in self.process.stdout:
            message = json.loads(line)
            if message.get("id") == self._number:
                assert "error" not in message, message
                result: dict[str, Any] = message["result"]
                return result
            self.notices.append(str(message.get("method")))
        raise AssertionError("the server ended")

    def call(self, name: str, **arguments: Any) -> dict[str, Any]:
        return self.request("tools/call", {"name": name, "arguments": arguments})

    def body(self, name: str, **arguments: Any) -> dict[str, Any]:
        """The body of an answer that is no refusal."""
        result = self.call(name, **arguments)
        assert not result.get("isError"), result
        made: dict[str, Any] = json.loads(result["content"][0]["text"])
        return made

    def line(self, text: str) -> dict[str, Any]:
        """What a line of any kind is answered with."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(text + "\n")
        self.process.stdin.flush()
        made: dict[str, Any] = json.loads(self.process.stdout.readline())
        return made

    def kill(self) -> None:
        """As a power cut would."""
        self.process.kill()
        self.process.wait()

    def _write(self, message: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()


@contextmanager
def served(data: Path, *words: str, **environ: str) -> Iterator[LineClient]:
    """A process over a data directory; answers take no time unless the environment says so."""
    command = [sys.executable, "-c", "from periplus.cli.main import run; run()", "--data", str(data)]
    command += ["serve", "--stdio", "--face", "workflow", *words]
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PERIPLUS_", "WORKFLOW_"))}
    settings = {"PERIPLUS_WORKFLOW__MIN_RESPONSE_SECONDS": "0"} | environ
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=kept | settings
    )
    try:
        yield LineClient(process)
    finally:
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream:
                stream.close()
