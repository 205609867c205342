"""Requests of single operations: a document is read, its tool called, nothing sent."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, unquote, urlsplit

import jsonschema_rs
import pytest

from periplus.model import Prepared, Principal, Reading, SourceSpec, Tool
from periplus.ports import Calling, Fetched, FetchRequest, McpLinks, Site, Wires
from periplus.sources.openapi import OpenAPISource
from periplus.transports.openapi import OpenAPITransport

ROOT = "https://api.example.com/openapi.json"


class Shelf:
    """One document at one address."""

    def __init__(self, body: bytes) -> None:
        self.body = body

    async def send(self, request: FetchRequest) -> Fetched:
        return Fetched(url=request.url, status=200, body=self.body)


class NoLinks(McpLinks):
    """OpenAPI needs no MCP."""


class Sent(NamedTuple):
    """What was prepared, in the pieces tests speak of."""

    prepared: Prepared

    @property
    def path(self) -> str:
        return self.prepared.path

    @property
    def query(self) -> str:
        return urlsplit(self.prepared.wire.target).query

    @property
    def pairs(self) -> list[tuple[str, str]]:
        return parse_qsl(self.query, keep_blank_values=True)

    @property
    def segments(self) -> list[str]:
        return [unquote(one) for one in self.path.split("/")[1:]]

    @property
    def body(self) -> bytes:
        return self.prepared.wire.body

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    def header(self, name: str) -> str | None:
        return next((text for key, text in self.prepared.wire.headers if key.lower() == name), None)


def read(document: dict[str, Any], **spec: Any) -> tuple[dict[str, Tool], Site]:
    source = SourceSpec(id="s", url=ROOT, **spec)
    wires = Wires(fetch=Shelf(json.dumps(document).encode()), mcp=NoLinks())
    reading = asyncio.run(OpenAPISource().read(source, wires, None))
    assert isinstance(reading, Reading)
    drafts = list(reading.drafts)
    tools = {
        one.key: Tool(
            source="s",
            path=one.leaf,
            key=one.key,
            origin=one.origin,
            args_schema={**one.args_schema, "$defs": dict(reading.definitions)},
            effect=one.effect,
            binding=one.binding,
        )
        for one in drafts
    }
    return tools, Site(spec=source, document_url=ROOT, site=reading.site)


def operation(**members: Any) -> dict[str, Any]:
    return {"responses": {"200": {"description": "fine"}}, **members}


@pytest.fixture
def call() -> Callable[..., Sent]:
    """Call the one operation of a document: its arguments are what its schema takes."""

    def calling(document: dict[str, Any], arguments: dict[str, Any], *, key: str = "", **spec: Any) -> Sent:
        tools, site = read(document, **spec)
        (tool,) = tools.values()
        jsonschema_rs.validator_for(tool.args_schema).validate(arguments)
        calling = Calling(principal=Principal(id="ann"), idempotency_key=key)
        return Sent(OpenAPITransport().prepare(tool, site, arguments, calling))

    return calling


@pytest.fixture
def unchecked() -> Callable[..., Sent]:
    """The same with arguments that the schema would have stopped."""

    def calling(document: dict[str, Any], arguments: dict[str, Any], **spec: Any) -> Sent:
        tools, site = read(document, **spec)
        (tool,) = tools.values()
        return Sent(OpenAPITransport().prepare(tool, site, arguments, Calling(principal=Principal(id="ann"))))

    return calling


@pytest.fixture
def document() -> Callable[..., dict[str, Any]]:
    """A document of one operation."""

    def made(path: str = "/a", method: str = "get", version: str = "3.1.0", **members: Any) -> dict[str, Any]:
        root: dict[str, Any] = {"info": {"title": "T", "version": "1"}, "paths": {path: {method: operation(**members)}}}
        return {**({"swagger": "2.0"} if version == "2.0" else {"openapi": version}), **root}

    return made


@pytest.fixture
def parameter(document: Any) -> Callable[..., dict[str, Any]]:
    """A document of one parameter named `v`; those in the path stand in `/a/{v}/z`."""

    def made(place: str, schema: Any = None, *, version: str = "3.1.0", **more: Any) -> dict[str, Any]:
        told = {} if schema is None else schema if version == "2.0" else {"schema": schema}
        one = {"name": "v", "in": place, "required": place == "path", **told, **more}
        return document("/a/{v}/z" if place == "path" else "/a", version=version, parameters=[one])

    return made


@pytest.fixture
def body(document: Any) -> Callable[..., dict[str, Any]]:
    """A document of one body."""

    def made(kind: str, schema: Any, *, required: bool = True, version: str = "3.1.0", **more: Any) -> dict[str, Any]:
        content = {kind: {"schema": schema, **more}}
        return document(method="post", version=version, requestBody={"required": required, "content": content})

    return made
