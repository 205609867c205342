"""T-1: lines over stdio that are no message, or too much of one: each is answered, and the next is read as ever."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from subprocess import PIPE, Popen
from typing import Any

HELLO: dict[str, Any] = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}},
}
PARSE, INVALID = -32700, -32600
ROUGH: list[tuple[bytes, tuple[Any, int] | None]] = [
    (b"{", (None, PARSE)),
    (b"\xff\xfe", (None, PARSE)),
    (b"x" * 5_000_000, (None, PARSE)),
    (b"[" * 100_000 + b"]" * 100_000, (None, PARSE)),
    (b'{"a":' * 900 + b"1" + b"}" * 900, (None, PARSE)),
    (b"", None),
    (b"[]", (None, INVALID)),
    (b"null", (None, INVALID)),
    (b'{"jsonrpc": "2.0", "id": 7}', (7, INVALID)),
    (b'{"jsonrpc": "1.0", "id": 8, "method": "ping"}', (8, INVALID)),
    (b'{"jsonrpc": "2.0", "id": 9, "method": 5}', (9, INVALID)),
    (b'{"jsonrpc": "2.0", "id": "ten", "method": "tools/call", "params": 7}', ("ten", INVALID)),
    (b'{"jsonrpc": "2.0", "id": 11, "method": "ping", "params": {"x": "' + b"y" * 5_000_000 + b'"}}', (11, 0)),
]


def test_every_line_is_answered_and_none_ends_the_conversation(tmp_path: Path) -> None:
    words = ["-c", "from periplus.cli.main import run; run()", "--data", str(tmp_path), "serve", "--stdio"]
    with Popen([sys.executable, *words], stdin=PIPE, stdout=PIPE, stderr=PIPE) as process:
        assert process.stdin
        assert process.stdout
        assert process.stderr

        def say(line: bytes) -> None:
            assert process.stdin
            process.stdin.write(line + b"\n")
            process.stdin.flush()

        def hear() -> dict[str, Any]:
            assert process.stdout
            heard: dict[str, Any] = json.loads(process.stdout.readline())
            return heard

        say(json.dumps(HELLO).encode())
        assert hear()["id"] == 0
        for number, (line, expected) in enumerate(ROUGH, 100):
            say(line)
            if expected is not None:
                answer = hear()
                assert (answer["id"], answer.get("error", {}).get("code", 0)) == expected, line[:60]
            say(json.dumps({"jsonrpc": "2.0", "id": number, "method": "ping"}).encode())
            assert hear() == {"jsonrpc": "2.0", "id": number, "result": {}}
        process.stdin.close()
        assert process.wait(20) == 0
        assert process.stderr.read() == b""
