"""The crew book: a GraphQL service over a handful of sailors."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

from graphql import GraphQLSchema, build_schema, graphql
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

_SAILORS = [
    ("1", "Jason", "MASTER", "Argo"),
    ("2", "Orpheus", "MATE", "Argo"),
    ("3", "Lynceus", "HELMSMAN", "Argo"),
    ("4", "Thor", "MASTER", "Kon-Tiki"),
]


class Book:
    """Sailors by number, and the schema's root resolvers over them."""

    def __init__(self) -> None:
        self.rows = {number: self._sailor(number, name, rank, vessel) for number, name, rank, vessel in _SAILORS}

    def _sailor(self, number: str, name: str, rank: str, vessel: str) -> dict[str, Any]:
        return {
            "__typename": "Sailor",
            "id": number,
            "name": name,
            "rank": rank,
            "certificates": ["STCW"],
            "vessel": self._vessel(vessel),
            "mentor": None,
        }

    def _vessel(self, name: str) -> dict[str, Any]:
        def crew(_info: Any, rank: str | None = None) -> list[dict[str, Any]]:
            return [row for row in self.rows.values() if row["vessel"]["name"] == name and rank in (None, row["rank"])]

        return {"__typename": "Vessel", "name": name, "crew": crew}

    def sailors(self, _info: Any, first: int, rank: str | None = None, ship: str | None = None) -> dict[str, Any]:
        found = [
            row for row in self.rows.values() if rank in (None, row["rank"]) and ship in (None, row["vessel"]["name"])
        ]
        page = {"hasNextPage": len(found) > first, "endCursor": None}
        return {"nodes": found[:first], "pageInfo": page, "totalCount": len(found)}

    def sailor(self, _info: Any, id: str) -> dict[str, Any] | None:  # noqa: A002 - the schema's own name
        return self.rows.get(id)

    def search(self, _info: Any, text: str) -> list[dict[str, Any]]:
        vessels = {row["vessel"]["name"]: row["vessel"] for row in self.rows.values()}
        return [hit for hit in (*self.rows.values(), *vessels.values()) if text.lower() in hit["name"].lower()]

    def signOn(self, _info: Any, input: dict[str, Any]) -> dict[str, Any]:  # noqa: A002, N802 - the schema's own names
        number = str(len(self.rows) + 1)
        self.rows[number] = self._sailor(number, input["name"], input["rank"], input["vessel"])
        return {"sailor": self.rows[number], "errors": []}

    def discharge(self, _info: Any, id: str, reason: str | None = None) -> dict[str, Any] | None:  # noqa: A002, ARG002
        return self.rows.pop(id, None)


def _schema() -> GraphQLSchema:
    return build_schema(files("periplus.demo").joinpath("crew.graphql").read_text("utf-8"))


def application() -> Starlette:
    """The crew book as an ASGI application."""
    schema, book = _schema(), Book()

    async def serve(request: Request) -> Response:
        body = await request.json()
        result = await graphql(
            schema, body["query"], book, variable_values=body.get("variables"), operation_name=body.get("operationName")
        )
        return JSONResponse(result.formatted)

    return Starlette(routes=[Route("/graphql", serve, methods=["POST"])])
