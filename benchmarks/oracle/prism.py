"""A second judge: Prism as a proxy, which reads Swagger 2.0 too; needs node and npm (S-55)."""

from __future__ import annotations

import http.client
import json
import os
import shutil
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from benchmarks.oracle.documents import Described
from benchmarks.oracle.faults import PRISM
from benchmarks.processes import ROOT
from periplus.model import Tool
from periplus.ports import HttpRequest

_HOME = ROOT / ".bench" / "prism"
_PACKAGE = "@stoplight/prism-cli@5"
_START_S = 90.0
_SWEPT = frozenset({"security", "servers", "host", "basePath", "schemes", "webhooks"})
_METHODS = frozenset({"get", "put", "post", "delete", "options", "head", "patch", "trace", "query"})


def installed() -> Path | None:
    """The program, installed at first need; None where there is no npm or no registry."""
    program = _HOME / "node_modules" / ".bin" / "prism"
    if not program.exists() and (npm := shutil.which("npm")):
        _HOME.mkdir(parents=True, exist_ok=True)
        command = [npm, "install", "--no-audit", "--no-fund", "--prefix", str(_HOME), _PACKAGE]
        subprocess.run(command, capture_output=True, check=False, timeout=300)
    return program if program.exists() else None


class Prism:
    """Prism over one document."""

    known_faults = PRISM

    def __init__(self, port: int) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)

    def faults(self, _tool: Tool, request: HttpRequest) -> list[str]:
        """The violations it writes into the header of the answer."""
        try:
            return self._violations(request)
        except (OSError, http.client.HTTPException) as error:
            self._connection.close()
            return [f"it broke down: {type(error).__name__}: {error}"]

    def _violations(self, request: HttpRequest) -> list[str]:
        self._connection.putrequest(request.method, request.target, skip_accept_encoding=True)
        for name, text in request.headers:
            self._connection.putheader(name, text.encode("latin-1"))
        if request.body or request.method in {"POST", "PUT", "PATCH"}:
            self._connection.putheader("content-length", str(len(request.body)))
        self._connection.endheaders(request.body or None)
        reply = self._connection.getresponse()
        reply.read()
        if reply.status >= 500:
            return [f"it broke down: {reply.status} {reply.getheader('content-type')}"]
        said = reply.getheader("sl-violations") or "[]"
        try:
            found = json.loads(said)
        except ValueError:
            return [f"it broke down: {said[:200]}"]
        return [_told(one) for one in found if one["location"][:1] == ["request"]]


def _told(violation: dict[str, Any]) -> str:
    return f"{'/'.join(map(str, violation['location']))} {violation.get('code', '')}: {violation['message']}"


@contextmanager
def judging(document: Described, program: Path) -> Iterator[Prism]:
    """Prism between us and a server that is content with everything, ended with the block."""
    with tempfile.TemporaryDirectory() as folder, _content() as upstream:
        path = Path(folder) / "document.json"
        path.write_text(json.dumps(_swept(document.root)), encoding="utf-8")
        port = _free_port()
        command = [str(program), "proxy", str(path), f"http://127.0.0.1:{upstream}", "-p", str(port), "-v", "silent"]
        environment = {**os.environ, "NODE_OPTIONS": "--max-old-space-size=4096 --max-http-header-size=1048576"}
        process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            _wait_for(port, process)
            yield Prism(port)
        finally:
            process.terminate()
            process.wait(10)


def _swept(root: dict[str, Any]) -> dict[str, Any]:
    """The document without servers and credentials, which are not what is judged here."""
    kept = {key: value for key, value in root.items() if key not in _SWEPT}
    return {**kept, "paths": {path: _open(item) for path, item in root["paths"].items()}}


def _open(item: Any) -> Any:
    if not isinstance(item, dict):
        return item
    out = {key: value for key, value in item.items() if key != "servers"}
    for key, value in out.items():
        if key.lower() in _METHODS and isinstance(value, dict):
            out[key] = {name: told for name, told in value.items() if name not in _SWEPT}
    return out


class _Content(BaseHTTPRequestHandler):
    """Says yes to everything."""

    protocol_version = "HTTP/1.1"

    def handle_one_request(self) -> None:
        """Whatever the method is called."""
        self.raw_requestline = self.rfile.readline(1 << 20)
        if not self.raw_requestline or not self.parse_request():
            self.close_connection = True
            return
        self.rfile.read(int(self.headers.get("content-length") or 0))
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", "2")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(b"{}")

    def log_message(self, *_: Any) -> None:
        """Nobody reads it."""


@contextmanager
def _content() -> Iterator[int]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Content)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def _wait_for(port: int, process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + _START_S
    while time.monotonic() < end and process.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.2)
        else:
            return
    raise TimeoutError(f"Prism did not start within {_START_S:g} s")
