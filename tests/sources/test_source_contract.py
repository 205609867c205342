"""Every kind of source keeps what the port promises (S-105)."""

from __future__ import annotations

import hashlib
import json
import tempfile
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import parse_qs, urlsplit

import msgspec
from hypothesis import strategies as st

from periplus.app.parts import kinds
from periplus.model import SourceSpec
from periplus.ports import Fetched, FetchRequest, McpListing, Source
from periplus.sources.graphql import ADAPTER as GRAPHQL
from periplus.sources.manifest import ADAPTER as MANIFEST
from periplus.sources.mcp import ADAPTER as MCP
from periplus.sources.native import ADAPTER as NATIVE
from periplus.sources.openapi import ADAPTER as OPENAPI
from periplus.sources.python import ADAPTER as PYTHON
from periplus.testing.source_contract import SourceContract
from periplus.testing.source_wires import Described, saying, wires_of

STRING = {"type": "string"}
OPERATION = {"parameters": [{"name": "q", "in": "query", "schema": STRING}], "responses": {"200": {"description": ""}}}
BASE = "https://harbour.example.com"


def test_every_kind_of_ours_has_its_class_here() -> None:
    assert {kind.removeprefix("Test").lower() for kind in globals() if kind.startswith("Test")} == set(kinds())


class TestOpenapi(SourceContract):
    text = json.dumps(
        {
            "openapi": "3.1.0",
            "info": {"title": "Harbour", "version": "1"},
            "servers": [{"url": BASE}],
            "paths": {
                "/berths": {"get": {"operationId": "list", "tags": ["berths"], **OPERATION}, "post": OPERATION},
                "/berths/{id}": {"delete": OPERATION, "put": ["what"]},
            },
            "components": {"schemas": {"Berth": {"type": "object", "properties": {"next": {"$ref": "#/x"}}}}},
        }
    ).encode()
    operations, skipped = 4, 1

    def adapter(self) -> Source:
        return OPENAPI()

    def described(self, text: bytes, *, validating: bool = False) -> Described:
        spec = SourceSpec(id="harbour", kind="openapi", url=f"{BASE}/openapi.json")
        return Described(spec, wires_of(saying(text), validating=validating))

    def unreachable(self) -> Described:
        return Described(self.described(b"").spec, wires_of())


class TestGraphql(SourceContract):
    text = b"""type Query { berth(id: ID!): Berth, berths(first: Int = 3, state: [State!]!): [Berth!]!, odd: Nowhere }
        type Berth { id: ID! next: Berth state: State } enum State { FREE TAKEN } input In { id: ID! in: In }
        type Mutation { moor(in: In!): Berth }"""
    operations, skipped = 4, 1

    def adapter(self) -> Source:
        return GRAPHQL()

    def described(self, text: bytes, *, validating: bool = False) -> Described:
        spec = SourceSpec(id="harbour", kind="graphql", url=f"{BASE}/schema.graphql", endpoint=f"{BASE}/graphql")
        return Described(spec, wires_of(saying(text, "text/plain"), validating=validating))

    def unreachable(self) -> Described:
        return Described(self.described(b"").spec, wires_of())


class TestMcp(SourceContract):
    text = json.dumps(
        {
            "server": {"name": "harbour", "version": "1", "instructions": "Ask first."},
            "tools": [
                {"name": "find", "inputSchema": {"type": "object", "properties": {"q": STRING}}},
                {"name": "moor", "inputSchema": {"properties": {"x": {"$ref": "#/properties/x"}}}},
                {"description": "has no name"},
            ],
        }
    ).encode()
    operations, skipped = 3, 1

    def adapter(self) -> Source:
        return MCP()

    def described(self, text: bytes, *, validating: bool = False) -> Described:
        spec = SourceSpec(id="harbour", kind="mcp", command="harbour")
        return Described(spec, wires_of(listing=_listing(text)))

    def unreachable(self) -> Described:
        return Described(self.described(b"").spec, wires_of())


def _listing(text: bytes) -> McpListing:
    """What a server says, as the wire gives it: objects in lists, whatever is in them."""
    try:
        said = msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        said = None
    said = said if isinstance(said, dict) else {"tools": [{"name": "odd", "inputSchema": said}]}
    tools = said.get("tools")
    listed = tuple(each for each in tools if isinstance(each, dict)) if isinstance(tools, list) else ()
    server = said.get("server")
    return McpListing(server=server if isinstance(server, dict) else {}, protocol="2025-11-25", tools=listed)


class TestManifest(SourceContract):
    text = json.dumps(
        {
            "protocol_version": "1.0",
            "scenario": {"name": "harbour", "version": "1.0.0", "description": "Berths."},
            "categories": [{"id": "berths", "name": "Berths"}],
            "tools": [
                {"name": "find", "category": "berths", "parameters": {"type": "object", "properties": {"q": STRING}}},
                {"name": "moor", "description": "Moors.", "metadata": {"enabled_by_default": True}},
                {"description": "has no name"},
            ],
        }
    ).encode()
    operations, skipped = 3, 1

    def adapter(self) -> Source:
        return MANIFEST()

    def described(self, text: bytes, *, validating: bool = False) -> Described:
        spec = SourceSpec(id="harbour", kind="manifest", url=BASE)
        return Described(spec, wires_of(saying(text), validating=validating))

    def unreachable(self) -> Described:
        return Described(self.described(b"").spec, wires_of())


class TestNative(SourceContract):
    text = json.dumps(
        {
            "version": "2.0",
            "welcome_message": "Harbour",
            "landmarks": [
                {"id": "berths", "type": "navigation", "description": "Berths.", "child_count": 2},
                {"id": "berths:find", "type": "action", "parameters": [{"name": "q", "type": "string"}]},
                {"id": "berths:moor", "type": "action", "parameters": [], "outputSchema": {"type": "object"}},
                {"type": "action", "description": "has no id"},
            ],
            "pagination": {"total": 4, "offset": 0, "limit": 5000, "has_more": False},
        }
    ).encode()
    operations, skipped = 3, 1

    def adapter(self) -> Source:
        return NATIVE()

    def described(self, text: bytes, *, validating: bool = False) -> Described:
        """Every page says the same, but for the search, which has the actions alone."""

        def page(request: FetchRequest) -> Fetched:
            body = text
            if parse_qs(urlsplit(request.url).query).get("type") and text == self.text:
                body = _only(text, parse_qs(urlsplit(request.url).query)["type"][0])
            return Fetched(url=request.url, status=200, body=body, media_type="application/json")

        spec = SourceSpec(id="harbour", kind="native", url=BASE)
        return Described(spec, wires_of(page, validating=validating))

    def unreachable(self) -> Described:
        return Described(self.described(b"").spec, wires_of())


def _only(text: bytes, type_: str) -> bytes:
    page = json.loads(text)
    kept = [landmark for landmark in page["landmarks"] if landmark["type"] == type_]
    return json.dumps(page | {"landmarks": kept, "pagination": {"total": len(kept), "has_more": False}}).encode()


MODULES = (
    b"", b"x = 1", b"def", b"raise ValueError('no')", b"import nothing_like_this", b"raise SystemExit(3)",
    b"def f(*args: int) -> None: ...", b"def f(a: 'Nowhere') -> 'Nowhere': ...", b"f = lambda a, b=1, *, c: a",
    b"class A:\n    def go(self) -> 'A': ...\nA.go.__doc__ = 7", b"def f(a=object()) -> None: ...",
    b"from typing import *\nT = TypeVar('T')\ndef f(a: T, b: list['f'], c: Literal[1, None]) -> T: ...",
    b"import enum\nclass E(enum.Enum):\n    A = object()\ndef f(e: E) -> E: ...", b"\xff\xfe", b"\x00",
    b"def __getattr__(name): raise RuntimeError(name)", b"__all__ = 7", b"__all__ = ['gone', 3]",
    b"from dataclasses import dataclass\n@dataclass\nclass N:\n    n: 'N | None'\ndef f(n: N) -> N: ...",
)  # fmt: skip


class TestPython(SourceContract):
    text = b'''"""Harbour."""
def find(q: str, limit: int = 3) -> list[str]:
    """Finds berths."""
    return []
def moor(berth: str) -> None:
    """Moors."""
def odd(*args: int) -> None:
    """Takes what cannot be named."""
'''
    operations, skipped = 3, 1
    directory: ClassVar[tempfile.TemporaryDirectory[str]]

    @classmethod
    def setup_class(cls) -> None:
        cls.directory = tempfile.TemporaryDirectory()

    @classmethod
    def teardown_class(cls) -> None:
        cls.directory.cleanup()

    def adapter(self) -> Source:
        return PYTHON()

    def described(self, text: bytes, *, validating: bool = False) -> Described:
        file = Path(self.directory.name) / f"m{hashlib.sha256(text).hexdigest()[:12]}.py"
        if not file.exists():
            file.write_bytes(text)
        return Described(SourceSpec(id="harbour", kind="python", url=str(file)), wires_of())

    def unreachable(self) -> Described:
        return Described(SourceSpec(id="harbour", kind="python", url="no_module_of_this_name"), wires_of())

    def hostile(self) -> st.SearchStrategy[Any]:
        """Modules that are odd, never modules of chance: reading one runs it."""
        return st.sampled_from(MODULES)
