"""Whole calls on loopback: a document is connected, its tools are called, and a real server says what came."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

import periplus
from periplus.core.gateway import Gateway
from periplus.demo.services import serving
from periplus.model import LOCAL, Code, Problem, SourceSpec

STRING = {"type": "string"}
ID = {"name": "id", "in": "path", "required": True, "schema": STRING}


class Notes:
    """A service of notes: created by form, by multipart and by JSON, read back, deleted."""

    def __init__(self) -> None:
        self.kept: dict[str, Any] = {}
        self.asked: list[tuple[str, str]] = []
        self.app = Starlette(
            routes=[
                Route("/openapi.json", lambda _: JSONResponse(DOCUMENT)),
                Route("/swagger.json", lambda _: JSONResponse(SWAGGER)),
                Route("/notes/{id:path}", self.one, methods=["GET", "PUT", "DELETE"]),
                Route("/notes", self.made, methods=["POST"]),
                Route("/files", self.filed, methods=["POST"]),
            ]
        )

    async def one(self, request: Request) -> Response:
        self.asked.append((request.method, request.scope["raw_path"].decode()))
        name = request.path_params["id"]
        if request.method == "PUT":
            self.kept[name] = await request.json()
            return JSONResponse(self.kept[name], 201)
        if name not in self.kept:
            return JSONResponse({"error": {"message": f"no note {name}"}}, 404)
        if request.method == "DELETE":
            del self.kept[name]
            return Response(status_code=204)
        return JSONResponse(self.kept[name])

    async def made(self, request: Request) -> Response:
        async with request.form() as form:
            self.kept[str(form["id"])] = {"text": form["text"], "tags": form.getlist("tags")}
        return PlainTextResponse(f"made {form['id']}", 202)

    async def filed(self, request: Request) -> Response:
        async with request.form() as form:
            file = form["file"]
            content = await file.read()  # type: ignore[union-attr]
            told = {"name": file.filename, "type": file.content_type, "bytes": list(content)}  # type: ignore[union-attr]
            return JSONResponse({**told, "meta": json.loads(str(form["meta"]))})


def operation(**members: Any) -> dict[str, Any]:
    return {"responses": {"200": {"description": "fine"}}, **members}


def body(kind: str, **properties: Any) -> dict[str, Any]:
    return {"required": True, "content": {kind: {"schema": {"type": "object", "properties": properties}}}}


NOTE = {"text": STRING, "tags": {"type": "array", "items": STRING}}
DOCUMENT = {
    "openapi": "3.1.0",
    "info": {"title": "Notes", "version": "1"},
    "paths": {
        "/notes/{id}": {
            "parameters": [ID],
            "get": operation(operationId="getNote"),
            "put": operation(operationId="putNote", requestBody=body("application/json", **NOTE)),
            "delete": operation(operationId="deleteNote"),
        },
        "/notes": {
            "post": operation(
                operationId="addNote", requestBody=body("application/x-www-form-urlencoded", id=STRING, **NOTE)
            )
        },
        "/files": {
            "post": operation(
                operationId="addFile",
                requestBody=body(
                    "multipart/form-data", file={"type": "string", "format": "binary"}, meta={"type": "object"}
                ),
            )
        },
    },
}
SWAGGER = {
    "swagger": "2.0",
    "info": {"title": "Old notes", "version": "1"},
    "paths": {
        "/notes/{id}": {
            "put": operation(
                operationId="putOld",
                parameters=[
                    {"name": "id", "in": "path", "required": True, "type": "string"},
                    {"name": "note", "in": "body", "schema": {"type": "object", "properties": NOTE}},
                ],
            )
        }
    },
}


@pytest.fixture
def notes() -> Notes:
    return Notes()


@pytest.fixture
def base(notes: Notes) -> Iterator[str]:
    with serving(notes.app) as address:
        yield address


@pytest.fixture
async def gateway(base: str, tmp_path: Path) -> AsyncIterator[Gateway]:
    async with periplus.open(f"sqlite:///{tmp_path}") as opened:
        await opened.connect(SourceSpec(id="notes", url=f"{base}/openapi.json", effects={"*deleteNote": "write"}))
        await opened.connect(SourceSpec(id="old", url=f"{base}/swagger.json"))
        yield opened


async def call(gateway: Gateway, tool: str, **arguments: Any) -> Any:
    return (await gateway.call(tool, arguments, principal=LOCAL)).value


async def test_what_is_created_is_read_back_and_deleted_by_schema_alone(gateway: Gateway, notes: Notes) -> None:
    """S-60, S-113: JSON without `servers`, a form, a Swagger 2.0 body; an answer of text and an empty one."""
    assert await call(gateway, "addNote", id="a", text="x y&=+é", tags=["1", "2"]) == "made a"
    assert await call(gateway, "getNote", id="a") == {"text": "x y&=+é", "tags": ["1", "2"]}
    assert await call(gateway, "putNote", id="b", text="new") == {"text": "new"}
    assert await call(gateway, "putOld", id="c", tags=["old"]) == {"tags": ["old"]}
    assert notes.kept.keys() == {"a", "b", "c"}
    assert await call(gateway, "deleteNote", id="a") is None
    assert notes.kept.keys() == {"b", "c"}


async def test_files_arrive_byte_by_byte(gateway: Gateway) -> None:
    """S-46, S-60."""
    file = {"base64": "AP8=", "filename": "a b.png", "media_type": "image/png"}
    value = await call(gateway, "addFile", file=file, meta={"n": [1]})
    assert value == {"name": "a b.png", "type": "image/png", "bytes": [0, 255], "meta": {"n": [1]}}


@pytest.mark.parametrize("value", ["../files", "a/b?x=1#z", "%2e%2e%2ffiles", "a b"])
async def test_a_path_value_arrives_inside_its_segment(gateway: Gateway, notes: Notes, value: str) -> None:
    """S-114."""
    await call(gateway, "putNote", id=value, text="t")
    method, path = notes.asked[-1]
    assert method == "PUT"
    assert path.count("/") == 2
    assert notes.kept == {value: {"text": "t"}}


async def test_a_refusal_comes_in_the_upstreams_own_words(gateway: Gateway) -> None:
    """S-78."""
    with pytest.raises(Problem) as refused:
        await call(gateway, "getNote", id="nowhere")
    assert refused.value.code is Code.NOT_FOUND
    assert "no note nowhere" in refused.value.message


async def test_a_value_that_is_no_segment_never_leaves(gateway: Gateway, notes: Notes) -> None:
    """S-59."""
    with pytest.raises(Problem) as refused:
        await call(gateway, "getNote", id="..")
    assert refused.value.code is Code.INVALID_ARGS
    assert notes.asked == []
