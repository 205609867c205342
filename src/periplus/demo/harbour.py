"""The harbour office: a REST service with an OpenAPI 3.1 document, keeping its books in memory."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

_NIGHT_PER_METRE = 2.4


class Books:
    """What the office knows; fresh for every application."""

    def __init__(self) -> None:
        self.ships: list[dict[str, Any]] = [
            {"id": 1, "name": "Argo", "length_m": 36.0, "flag": "GR"},
            {"id": 2, "name": "Kon-Tiki", "length_m": 13.7, "flag": "NO"},
            {"id": 3, "name": "Sea Cloud", "length_m": 109.5, "flag": "MT"},
        ]
        self.berths: dict[str, dict[str, Any]] = {
            "A1": {"code": "A1", "length_m": 15.0, "depth_m": 3.1, "ship": self.ships[1]},
            "B4": {"code": "B4", "length_m": 40.0, "depth_m": 5.2, "ship": None},
            "B5": {"code": "B5", "length_m": 45.0, "depth_m": 5.8, "ship": None},
            "C2": {"code": "C2", "length_m": 120.0, "depth_m": 9.0, "ship": self.ships[2]},
        }
        self.pilots: list[dict[str, Any]] = [
            {"id": 1, "name": "Ancaeus", "on_duty": True, "ship_id": None},
            {"id": 2, "name": "Tiphys", "on_duty": False, "ship_id": None},
        ]
        self.reservations: dict[int, dict[str, Any]] = {}


def application() -> Starlette:
    """The office as an ASGI application."""
    app = Starlette(
        routes=[
            Route("/openapi.yaml", _document),
            Route("/berths", _berths),
            Route("/berths/{code}", _berth),
            Route("/berths/{code}/quote", _quote),
            Route("/berths/{code}/reservations", _reserve, methods=["POST"]),
            Route("/reservations/{id:int}", _cancel, methods=["DELETE"]),
            Route("/ships", _ships),
            Route("/pilots", _pilots),
            Route("/pilots/{id:int}/assignments", _assign, methods=["PUT"]),
        ]
    )
    app.state.books = Books()
    return app


def _books(request: Request) -> Books:
    books: Books = request.app.state.books
    return books


def _missing(what: str) -> JSONResponse:
    return JSONResponse({"title": "Not found", "detail": what}, status_code=404, media_type="application/problem+json")


def _shown(berth: dict[str, Any]) -> dict[str, Any]:
    return berth | {"free": berth["ship"] is None}


async def _document(request: Request) -> Response:
    text = files("periplus.demo").joinpath("harbour.openapi.yaml").read_bytes()
    etag = f'"harbour-{len(text)}"'
    if request.headers.get("if-none-match") == etag:
        return Response(status_code=304, headers={"etag": etag})
    return Response(text, media_type="application/yaml", headers={"etag": etag})


async def _berths(request: Request) -> Response:
    ask = request.query_params
    least = float(ask.get("min_length_m", "0"))
    shallow, deep = float(ask.get("depth[min]", "0")), float(ask.get("depth[max]", "99"))
    found = [
        _shown(berth)
        for berth in _books(request).berths.values()
        if berth["length_m"] >= least
        and shallow <= berth["depth_m"] <= deep
        and (berth["ship"] is None or ask.get("free") != "true")
    ]
    return JSONResponse(sorted(found, key=lambda berth: (not berth["free"], berth["code"])))


async def _berth(request: Request) -> Response:
    berth = _books(request).berths.get(request.path_params["code"])
    return JSONResponse(_shown(berth)) if berth else _missing(f"no berth {request.path_params['code']!r}")


async def _quote(request: Request) -> Response:
    code = request.path_params["code"]
    if code not in _books(request).berths:
        return _missing(f"no berth {code!r}")
    nights = int(request.query_params.get("nights", "1"))
    total = round(float(request.query_params["length_m"]) * _NIGHT_PER_METRE * nights, 2)
    return JSONResponse({"code": code, "nights": nights, "total": total, "currency": "EUR"})


async def _reserve(request: Request) -> Response:
    books, code = _books(request), request.path_params["code"]
    berth = books.berths.get(code)
    if berth is None:
        return _missing(f"no berth {code!r}")
    body = await request.json()
    if berth["ship"] is not None or body["ship"]["length_m"] > berth["length_m"]:
        reason = "taken" if berth["ship"] else "too short"
        return JSONResponse({"title": "Conflict", "detail": f"berth {code} is {reason}"}, status_code=409)
    number = len(books.reservations) + 1
    berth["ship"] = body["ship"]
    books.reservations[number] = {"id": number, "code": code, "nights": 1, "side": "port", "note": None} | body
    return JSONResponse(books.reservations[number], status_code=201)


async def _cancel(request: Request) -> Response:
    books = _books(request)
    reservation = books.reservations.pop(request.path_params["id"], None)
    if reservation is None:
        return _missing(f"no reservation {request.path_params['id']}")
    books.berths[reservation["code"]]["ship"] = None
    return Response(status_code=204)


async def _ships(request: Request) -> Response:
    part = request.query_params.get("q", "").lower()
    flags = [flag for flag in request.query_params.get("flag", "").split(",") if flag]
    ships = _books(request).ships
    return JSONResponse(
        [ship for ship in ships if part in ship["name"].lower() and (not flags or ship["flag"] in flags)]
    )


async def _pilots(request: Request) -> Response:
    return JSONResponse(_books(request).pilots)


async def _assign(request: Request) -> Response:
    body = await request.json()
    for pilot in _books(request).pilots:
        if pilot["id"] == request.path_params["id"]:
            pilot["ship_id"] = body["ship_id"]
            return JSONResponse(pilot)
    return _missing(f"no pilot {request.path_params['id']}")
