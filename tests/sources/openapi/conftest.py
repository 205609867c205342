"""A small web for reading documents: addresses with bodies, validators, and the rules references are held to."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Callable
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import pytest

from periplus.model import (
    Code,
    Document,
    Draft,
    Finding,
    Problem,
    Reading,
    SourceSpec,
    Unchanged,
    Validators,
)
from periplus.ports import Fetched, FetchRequest, McpLinks, Wires
from periplus.sources.openapi import OpenAPISource

ROOT = "https://api.example.com/v1/openapi.json"


class Web:
    """Answers from a table. Other origins are refused to references, as the guard does."""

    def __init__(self, files: dict[str, Any]) -> None:
        self.files = files
        self.asked: list[FetchRequest] = []
        self.sent: list[str] = []  # those whose body went over
        self.at_once = 0
        self.most_at_once = 0

    async def send(self, request: FetchRequest) -> Fetched:
        self.asked.append(request)
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        await asyncio.sleep(0)
        self.at_once -= 1
        url = request.url
        if request.root and urlsplit(url)[:2] != urlsplit(request.root)[:2]:
            raise Problem(Code.REFUSED_ADDRESS, f"{url} is not on the origin of {request.root}")
        found = self.files.get(url)
        if isinstance(found, Problem):
            raise found
        if isinstance(found, Fetched):
            return found
        if found is None:
            return Fetched(url=url, status=404, body=b"nothing here", media_type="text/plain")
        body = text(found)
        validators = Validators(etag=f'"{hashlib.sha256(body).hexdigest()[:12]}"')
        if request.validators == validators:
            return Fetched(url=url, status=304, validators=validators)
        self.sent.append(url)
        return Fetched(url=url, status=200, body=body, validators=validators)


def text(value: Any) -> bytes:
    if isinstance(value, bytes):
        return value
    return value.encode() if isinstance(value, str) else json.dumps(value).encode()


class Result(NamedTuple):
    """A reading with its stream drained."""

    reading: Reading
    drafts: list[Draft]
    web: Web

    @property
    def findings(self) -> list[Finding]:
        return self.reading.findings

    @property
    def codes(self) -> list[str]:
        return [finding.code.value for finding in self.findings]

    @property
    def skipped(self) -> int:
        return sum(finding.count for finding in self.findings if finding.skipped)

    def draft(self, key: str) -> Draft:
        return next(draft for draft in self.drafts if draft.key == key)

    def finding(self, code: str) -> Finding:
        return next(finding for finding in self.findings if finding.code.value == code)


def run(web: Web, known: Document | None = None, url: str = ROOT, **spec: Any) -> Reading | Unchanged:
    wires = Wires(fetch=web, mcp=NoLinks())
    return asyncio.run(OpenAPISource().read(SourceSpec(id="s", url=url, **spec), wires, known))


class NoLinks(McpLinks):
    """OpenAPI needs no MCP."""


@pytest.fixture
def read() -> Callable[..., Result]:
    """Read one document, with the files it refers to."""

    def reading(document: Any, files: dict[str, Any] | None = None, url: str = ROOT, **spec: Any) -> Result:
        web = Web({url: document, **(files or {})})
        result = run(web, url=url, **spec)
        assert isinstance(result, Reading)
        drafts = list(result.drafts)
        keys = [draft.key for draft in drafts]
        assert len(set(keys)) == len(keys)
        return Result(result, drafts, web)

    return reading


@pytest.fixture
def web() -> type[Web]:
    return Web


@pytest.fixture
def connect() -> Callable[..., Reading | Unchanged]:
    """One read over a web, conditional when something is known."""
    return run


@pytest.fixture
def api() -> Callable[..., dict[str, Any]]:
    """A small 3.1 document around some paths."""

    def document(paths: dict[str, Any], **members: Any) -> dict[str, Any]:
        return {"openapi": "3.1.0", "info": {"title": "T", "version": "1"}, "paths": paths, **members}

    return document
