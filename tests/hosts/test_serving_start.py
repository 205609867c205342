"""What `periplus serve --stdio` has imported when it answers the first question; nothing here measures time."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from subprocess import PIPE
from typing import Any

import pytest

FIRST: tuple[dict[str, Any], ...] = (
    {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}},
    },
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
    {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
)
HEAVY = {
    "click",
    "graphql",
    "httpx2",
    "mcp.client",
    "mcp.server.mcpserver",
    "numpy",
    "periplus.search.room",
    "rich",
    "snowballstemmer",
    "uvicorn",
    "yaml",
}


@pytest.mark.parametrize(("face", "needs"), [("handshake", set()), ("expansion", set()), ("workflow", {"yaml"})])
def test_nothing_is_imported_before_the_first_answer_that_is_not_for_it(
    tmp_path: Path, face: str, needs: set[str]
) -> None:
    command = ["-X", "importtime", "-c", "from periplus.cli.main import run; run()", "--data", str(tmp_path)]
    command = [sys.executable, *command, "serve", "--stdio", "--face", face]
    answers: list[dict[str, Any]] = []
    with subprocess.Popen(command, stdin=PIPE, stdout=PIPE, stderr=PIPE, text=True, cwd=tmp_path) as process:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        for message in FIRST:
            print(json.dumps(message), file=process.stdin, flush=True)
            if "id" in message:
                answers.append(json.loads(process.stdout.readline()))
        process.stdin.close()
        told = process.stderr.read()
    assert answers[-1]["id"] == 2
    assert answers[-1]["result"]["tools"]
    imported = {line.rpartition("|")[2].strip() for line in told.splitlines() if line.startswith("import time:")}
    assert "periplus.app.serving" in imported
    assert sorted(imported & (HEAVY - needs)) == []


def test_the_sdk_is_whole_for_whoever_asks_it_for_more() -> None:
    code = "import periplus.hosts, mcp.shared, mcp; print(mcp.ClientSession.__name__, mcp.server.MCPServer.__name__)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["ClientSession", "MCPServer"]
