"""Servers over stdio that misbehave, each in one way: `odd.py WAY [FILE]`. Only the standard library.

Every one appends its process id to FILE when it starts, so that a test can look for what was left behind.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

WAY = sys.argv[1]
TOOL = {"name": "look", "inputSchema": {"type": "object"}}


def say(message: Any) -> None:
    sys.stdout.write((message if isinstance(message, str) else json.dumps(message)) + "\n")
    sys.stdout.flush()


def answer(request: dict[str, Any], result: Any) -> None:
    say({"jsonrpc": "2.0", "id": request["id"], "result": result})


def refuse(request: dict[str, Any], code: int = -32601, message: str = "Method not found") -> None:
    say({"jsonrpc": "2.0", "id": request["id"], "error": {"code": code, "message": message}})


def initialize(request: dict[str, Any]) -> None:
    version = "1999-01-01" if WAY == "stranger" else "2024-11-05"
    answer(request, {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": {"name": WAY}})
    if WAY == "dies-after-initialize":
        sys.stderr.write("boom: no berth left, token=s3cr3t-from-env\n")
        sys.exit(3)


def list_tools(request: dict[str, Any]) -> None:  # noqa: C901, PLR0912 - one branch per misdeed
    cursor = (request.get("params") or {}).get("cursor")
    match WAY:
        case "dies-in-list" if cursor:
            os._exit(4)
        case "dies-in-list":
            answer(request, {"tools": [TOOL], "nextCursor": "more"})
        case "repeats-cursor":
            answer(request, {"tools": [TOOL], "nextCursor": "again"})
        case "endless":
            number = int(cursor or 0) + 1
            answer(request, {"tools": [{**TOOL, "name": f"t{number}"}], "nextCursor": str(number)})
        case "empty-pages":
            answer(request, {"tools": [], "nextCursor": str(int(cursor or 0) + 1)})
        case "no-type":
            answer(
                request,
                {"tools": [{"name": "a", "inputSchema": {}}, {"name": "b"}, {"name": "c", "inputSchema": None}, 7]},
            )
        case "huge":
            answer(request, {"tools": [{**TOOL, "description": "x" * int(sys.argv[3])}]})
        case "no-list":
            answer(request, {"tools": None})
        case "no-result":
            say({"jsonrpc": "2.0", "id": request["id"], "result": None})
        case "hangs-in-list":
            return
        case "batch":
            sys.stdout.write(
                json.dumps(
                    [
                        {"jsonrpc": "2.0", "method": "notifications/message"},
                        {"jsonrpc": "2.0", "id": request["id"], "result": {"tools": [TOOL]}},
                    ]
                )
                + "\n"
            )
            sys.stdout.flush()
        case "fails-in-list":
            refuse(request, -32603, "the tide is out, token=s3cr3t-from-env")
        case "env":
            names = [{**TOOL, "name": name, "description": value} for name, value in sorted(os.environ.items())]
            answer(request, {"tools": names})
        case _:
            answer(request, {"tools": [TOOL]})


def before() -> None:
    if len(sys.argv) > 2:
        with Path(sys.argv[2]).open("a") as started:
            started.write(f"{os.getpid()}\n")
    match WAY:
        case "prints":
            say("Welcome to the harbour! Listening on stdio...")
            say('{"level": "info", "msg": "started"}')
            say("")
        case "hangs":
            sys.stderr.write("waiting for the tide\n")
            sys.stderr.flush()
            time.sleep(3600)
        case "dies":
            sys.stderr.write("no module named berth\n")
            sys.exit(1)
        case "noisy":
            for number in range(100_000):
                sys.stderr.write(f"line {number} password=hunter2hunter2 s3cr3t-from-env\n")
            sys.stderr.flush()
        case "family":
            # A child in its group, one that fled into a session of its own, and none of them hears SIGTERM.
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            code = f"import os,signal,time; signal.signal(signal.SIGTERM, signal.SIG_IGN); open({sys.argv[2]!r},'a').write(f'{{os.getpid()}}\\n'); time.sleep(3600)"
            subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.DEVNULL)
            subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.DEVNULL, start_new_session=True)
            wait_for_lines(3)


def wait_for_lines(number: int) -> None:
    while len(Path(sys.argv[2]).read_text().splitlines()) < number:
        time.sleep(0.01)


def main() -> None:
    before()
    for line in sys.stdin:
        request = json.loads(line)
        method = request.get("method")
        if method == "server/discover" and WAY == "dies-at-discover":
            sys.exit(9)
        if method == "server/discover" and WAY == "ignores-discover":
            continue
        if method == "initialize":
            initialize(request)
        elif method == "tools/list":
            list_tools(request)
        elif method == "tools/call" and request["params"]["name"] == "hang":
            continue
        elif method == "tools/call":
            answer(request, {"content": [], "echo": request["params"]})
        elif "id" in request and "method" in request:
            refuse(request)
    if WAY in {"family", "stays"}:
        time.sleep(3600)  # ignores that its input is closed


main()
