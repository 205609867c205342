"""Reading over the real guard: a loopback server, and files on disk."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest

from periplus.model import Document, Reading, SourceSpec, Unchanged
from periplus.net import Fetcher, FetchPolicy
from periplus.ports import McpLinks, Wires
from periplus.sources.openapi import ADAPTER

OK = {"responses": {"200": {"description": "fine"}}}


class NoLinks(McpLinks):
    """OpenAPI needs no MCP."""


class Pages(BaseHTTPRequestHandler):
    """A table of documents with entity tags."""

    table: ClassVar[dict[str, Any]] = {}
    answered: ClassVar[list[tuple[str, int]]] = []

    def do_GET(self) -> None:
        found = self.table.get(self.path)
        body = json.dumps(found).encode()
        tag = f'"{hashlib.sha256(body).hexdigest()[:8]}"'
        status = 404 if found is None else 304 if self.headers.get("If-None-Match") == tag else 200
        self.answered.append((self.path, status))
        self.send_response(status)
        self.send_header("ETag", tag)
        self.send_header("Content-Length", str(len(body) if status != 304 else 0))
        self.end_headers()
        if status != 304:
            self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@pytest.fixture
def origin() -> Iterator[str]:
    Pages.table, Pages.answered = {}, []
    server = ThreadingHTTPServer(("127.0.0.1", 0), Pages)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()
    thread.join()


async def read(url: str, known: Document | None = None) -> Reading | Unchanged:
    spec = SourceSpec(id="s", url=url)
    fetcher = Fetcher(FetchPolicy())
    try:
        return await ADAPTER().read(spec, Wires(fetch=fetcher.for_source(spec), mcp=NoLinks()), known)
    finally:
        await fetcher.close()


async def test_a_served_document_is_read_with_its_parts_and_not_again(origin: str, api: Any) -> None:
    """S-34, S-106."""
    Pages.table["/v1/openapi.json"] = api(
        {"/a": {"$ref": "../parts/a.json"}, "/b": {"$ref": "http://127.0.0.2:1/x.json"}}
    )
    Pages.table["/parts/a.json"] = {"get": OK}
    reading = await read(f"{origin}/v1/openapi.json")
    assert isinstance(reading, Reading)
    assert [draft.origin for draft in reading.drafts] == ["GET /a"]
    assert reading.site["base"] == origin
    assert {finding.code.value for finding in reading.findings} == {"ref_refused"}
    again = await read(f"{origin}/v1/openapi.json", reading.document)
    assert isinstance(again, Unchanged)
    assert Pages.answered[2:] == [("/v1/openapi.json", 304), ("/parts/a.json", 304)]


async def test_files_stay_below_the_documents_own_folder(tmp_path: Path, api: Any) -> None:
    """S-35."""
    folder = tmp_path / "api"
    (folder / "parts").mkdir(parents=True)
    (tmp_path / "secret.json").write_text(json.dumps({"get": OK}))
    (folder / "parts" / "a.json").write_text(json.dumps({"get": OK}))
    paths = {
        "/in": {"$ref": "parts/a.json"},
        "/up": {"$ref": "../secret.json"},
        "/root": {"$ref": "file:///etc/passwd"},
        "/gone": {"$ref": "parts/none.json"},
    }
    (folder / "openapi.json").write_text(json.dumps(api(paths)))
    reading = await read(str(folder / "openapi.json"))
    assert isinstance(reading, Reading)
    assert [draft.origin for draft in reading.drafts] == ["GET /in"]
    told = [finding.code.value for finding in reading.findings if "was not read" in finding.message]
    assert sorted(told) == ["dangling_ref", "ref_refused", "ref_refused"]
    assert "root:" not in str(reading.findings)
    assert isinstance(await read(str(folder / "openapi.json"), reading.document), Unchanged)
