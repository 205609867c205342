"""A small harbour office over real HTTP that writes down what it is asked, and can be told to fail or to wait."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import anyio
import anyio.to_thread
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from periplus.demo.services import serving

BERTHS = [{"id": "B4", "length_m": 90, "free": True}, {"id": "B7", "length_m": 70, "free": True}]


def _operation(name: str, *parameters: dict[str, Any], **more: Any) -> dict[str, Any]:
    said = {"operationId": name, "tags": ["berths"], "summary": f"Do {name}.", "parameters": list(parameters)}
    return said | {"responses": {"200": {"description": "done"}}} | more


def _in(place: str, name: str, kind: str = "string", **schema: Any) -> dict[str, Any]:
    return {"name": name, "in": place, "required": place == "path", "schema": {"type": kind} | schema}


_BODY = {
    "type": "object",
    "required": ["ship"],
    "properties": {
        "ship": {"type": "object", "properties": {"length_m": {"type": "number"}, "name": {"type": "string"}}},
        "nights": {"type": "integer"},
        "side": {"type": "string", "enum": ["port", "starboard", "UNKNOWN"]},
        "tags": {"type": "array", "items": {"type": "string"}},
        "dry_run": {"type": "boolean"},
    },
}
DOCUMENT: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": "Quay", "version": "1"},
    "paths": {
        "/berths": {"get": _operation("listBerths", _in("query", "limit", "integer"))},
        "/berths/{code}/quote": {"get": _operation("quoteBerth", _in("path", "code"), _in("query", "note"))},
        "/berths/{code}": {
            "post": _operation(
                "reserveBerth",
                _in("path", "code"),
                requestBody={"required": True, "content": {"application/json": {"schema": _BODY}}},
            ),
            "delete": _operation("cancelBerth", _in("path", "code")),
        },
        "/slow": {"get": _operation("waitLong")},
    },
}


class Quay:
    """What the office was asked, in order, and what it is to answer instead of the usual."""

    def __init__(self) -> None:
        self.base = ""
        self.asked: list[str] = []
        self.bodies: list[Any] = []
        self.trouble: list[Response] = []  # given once each, first of all
        self.at_once = self.most_at_once = 0
        self.reached = threading.Event()  # somebody waits for the slow answer
        self.go = threading.Event()  # it may be given

    @property
    def document(self) -> str:
        return f"{self.base}/openapi.json"

    async def note(self, request: Request) -> Response | None:
        query = f"?{request.url.query}" if request.url.query else ""
        self.asked.append(f"{request.method} {request['raw_path'].decode().partition('?')[0]}{query}")
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        await anyio.sleep(0.01)
        self.at_once -= 1
        return self.trouble.pop(0) if self.trouble else None

    async def berths(self, request: Request) -> Response:
        return await self.note(request) or JSONResponse(BERTHS)

    async def quote(self, request: Request) -> Response:
        code = request.path_params["code"]
        trouble = await self.note(request)
        missing = code not in ("B4", "B7")
        body = {"detail": f"no berth {code}"} if missing else {"berth": code, "cost": 90 if code == "B4" else 70}
        return trouble or JSONResponse(body, 404 if missing else 200)

    async def one(self, request: Request) -> Response:
        trouble = await self.note(request)
        if request.method == "POST":
            self.bodies.append(await request.json())
        return trouble or JSONResponse({"code": request.path_params["code"], "number": len(self.asked)}, 201)

    async def slow(self, request: Request) -> Response:
        await self.note(request)
        self.reached.set()
        with anyio.move_on_after(30):
            await anyio.to_thread.run_sync(self.go.wait, abandon_on_cancel=True)
        return JSONResponse({})


@contextmanager
def quay() -> Iterator[Quay]:
    """A running office; its document is at `document`."""
    made = Quay()

    async def document(_: Request) -> Response:
        return JSONResponse(DOCUMENT | {"servers": [{"url": made.base}]})

    app = Starlette(
        routes=[
            Route("/openapi.json", document),
            Route("/berths", made.berths),
            Route("/berths/{code:path}/quote", made.quote),
            Route("/berths/{code}", made.one, methods=["POST", "DELETE"]),
            Route("/slow", made.slow),
        ]
    )
    with serving(app) as base:
        made.base = base
        yield made
        made.go.set()
