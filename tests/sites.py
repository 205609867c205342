"""A real web site on loopback whose pages a test writes, and which remembers what it was asked."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from periplus.demo.services import serving

Page = Callable[[Request], Awaitable[Response]]


class Site:
    """Pages by path. What is not there is a 404 that says so in HTML, as most servers do."""

    def __init__(self) -> None:
        self.base = ""
        self.requests: list[Request] = []
        self.statuses: list[int] = []
        self._pages: dict[str, Page] = {}

    def url(self, path: str = "") -> str:
        return self.base + path

    def serve(self, path: str, page: Page) -> None:
        """Answer a path with whatever this function gives."""
        self._pages[path] = page

    def write(
        self,
        path: str,
        body: bytes | str,
        *,
        kind: str = "application/json",
        status: int = 200,
        validator: str = "",
        **headers: str,
    ) -> None:
        """Put a page there; `validator` is "etag", "last-modified" or nothing."""
        content = body.encode() if isinstance(body, str) else body
        made = {name.replace("_", "-"): text for name, text in headers.items()}
        if validator == "etag":
            made["etag"] = f'"{hashlib.sha256(content).hexdigest()[:16]}"'
        if validator == "last-modified":
            minute = hashlib.sha256(content).digest()[0] % 60
            made["last-modified"] = f"Wed, 21 Oct 2015 07:{minute:02}:00 GMT"

        async def page(request: Request) -> Response:
            asked = request.headers
            same = (validator == "etag" and asked.get("if-none-match") == made["etag"]) or (
                validator == "last-modified" and asked.get("if-modified-since") == made["last-modified"]
            )
            return Response(b"" if same else content, 304 if same else status, made, media_type=kind)

        self._pages[path] = page

    def remove(self, path: str) -> None:
        del self._pages[path]

    def asked(self) -> list[tuple[str, str, int]]:
        """Method, path and status of every request since the last time somebody looked."""
        seen = [
            (request.method, request.url.path, status)
            for request, status in zip(self.requests, self.statuses, strict=True)
        ]
        self.requests.clear()
        self.statuses.clear()
        return seen

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        page = self._pages.get(request.url.path, _missing)
        response = await page(request)
        self.requests.append(request)
        self.statuses.append(response.status_code)
        await response(scope, receive, send)


async def _missing(request: Request) -> Response:
    text = f"<!doctype html><title>404</title><h1>There is no {request.url.path}</h1>"
    return Response(text, 404, media_type="text/html")


@contextmanager
def site() -> Iterator[Site]:
    made = Site()
    with serving(made) as base:
        made.base = base
        yield made


def api(*names: str, title: str = "Quay", tags: bool = True, **more: Any) -> dict[str, Any]:
    """An OpenAPI document with one operation per name; `area/name` puts it under a tag."""
    paths: dict[str, Any] = {}
    for name in names:
        area, _, leaf = name.rpartition("/")
        operation: dict[str, Any] = {
            "operationId": leaf,
            "summary": f"Do {leaf}.",
            "parameters": [{"name": "x", "in": "query", "schema": {"type": "integer"}}],
            "responses": {"200": {"description": "done"}},
        }
        if tags:
            operation["tags"] = [area or "things"]
        paths[f"/{leaf}"] = {"get": operation}
    return {
        "openapi": "3.1.0",
        "info": {"title": title, "version": "1"},
        "servers": [{"url": "https://quay.example"}],
        "paths": paths,
    } | more


def text(document: Any) -> str:
    return json.dumps(document)
