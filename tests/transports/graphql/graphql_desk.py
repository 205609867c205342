# ruff: noqa: A006, ARG005 - resolvers take what the schema calls its arguments
"""A harbour's GraphQL service that a test writes the answers of, and calls to it through a gateway."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from graphql import build_schema, graphql_sync
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

import sites
from periplus.core.gateway import Gateway
from periplus.model import Code, Problem, Result, SourceSpec

SDL = """
enum State { FREE TAKEN }
input Size { lengthM: Float! beamM: Float }
input BerthInput { code: ID! sizes: [Size!]! state: State = FREE inner: BerthInput note: String }
input By @oneOf { id: ID code: String }
scalar Upload
scalar BigInt
interface Node { id: ID! }
type Berth implements Node { id: ID! code: String! lengthM: Float state: State owner: Owner old: Int @deprecated }
type Owner implements Node { id: ID! name: String! email: String berths(first: Int!): [Berth!]! }
type Ship implements Node { id: ID! name: String! flag(size: Int!): String crew: [Owner!] way: Query }
union Hit = Ship | Berth
type Taken { message: String! by: Ship }
type NotFoundError { message: String! }
union Reserved = Berth | Taken | NotFoundError
type Page { hasNextPage: Boolean! endCursor: String }
type BerthConnection { nodes: [Berth!]! pageInfo: Page! totalCount: Int! }
type Fault { field: [String!] message: String! }
type SavePayload { berth: Berth userErrors: [Fault!]! }
type Query {
  berth(id: ID!): Berth
  by(by: By!): Berth
  node(id: ID!): Node
  search(text: String!): [Hit!]!
  berths(after: String, first: Int = 10): BerthConnection!
  count(state: State): Int!
  total(of: BigInt): BigInt
  echo(berth: BerthInput!, ids: [Int!]!, flags: [Boolean]): String!
  office: Office!
}
type Office { hours(day: String): String! secret(key: String!): Owner }
type Mutation {
  save(input: BerthInput!): SavePayload
  reserve(id: ID!): Reserved!
  attach(file: Upload!, more: [Upload!], label: String): String!
  crew: CrewMutations!
}
type CrewMutations { sign(name: String!): Ship dismiss(id: ID!): Boolean! }
"""

SHIP = {"__typename": "Ship", "id": "s1", "name": "Argo", "crew": [{"id": "o1", "name": "Jason", "email": None}]}
BERTH = {
    "__typename": "Berth", "id": "b1", "code": "B4", "lengthM": 40.0, "state": "FREE",
    "owner": {"__typename": "Owner", "id": "o1", "name": "Port", "email": None, "berths": [{"id": "b2"}]},
}  # fmt: skip
ROOT: dict[str, Any] = {
    "berth": lambda _info, id: BERTH if id == "b1" else None,
    "by": lambda _info, by: BERTH,
    "node": lambda _info, id: SHIP if id == "s1" else BERTH,
    "search": lambda _info, text: [SHIP, BERTH],
    "berths": lambda _info, first, after=None: {
        "nodes": [BERTH],
        "pageInfo": {"hasNextPage": after is None, "endCursor": "c1"},
        "totalCount": 2,
    },
    "count": lambda _info, state=None: 3,
    "total": lambda _info, of=None: of,
    "echo": lambda _info, **given: json.dumps(given, sort_keys=True),
    "office": {"hours": lambda _info, day="": f"8 to 17 {day}", "secret": lambda _info, key: None},
    "save": lambda _info, input: {"berth": BERTH, "userErrors": []},
    "reserve": lambda _info, id: {"__typename": "NotFoundError", "message": f"no berth {id}"},
    "crew": {"sign": lambda _info, name: SHIP | {"name": name}, "dismiss": lambda _info, id: True},
}
Answering = Callable[[Request], Awaitable[Response]]


class Service:
    """The service: it answers as the schema says, or as a test wants."""

    def __init__(self, site: sites.Site) -> None:
        self.site = site
        self.bodies: list[dict[str, Any]] = []
        self.requests: list[Request] = []
        self.answer: Answering | None = None
        self._schema = build_schema(SDL)
        site.serve("/graphql", self._serve)

    def says(self, body: Any, status: int = 200, kind: str = "application/json", **headers: str) -> None:
        """Answer every call from now on with this."""
        text = body if isinstance(body, str) else json.dumps(body)

        async def answer(_: Request) -> Response:
            return Response(text, status, headers, media_type=kind)

        self.answer = answer

    @property
    def asked(self) -> str:
        """The last document, on one line."""
        return " ".join(self.bodies[-1]["query"].split())

    async def _serve(self, request: Request) -> Response:
        self.requests.append(request)
        if self.answer is not None and request.headers.get("content-type", "").startswith("multipart/"):
            return await self.answer(request)
        body: dict[str, Any] = dict(request.query_params) if request.method == "GET" else await request.json()
        if isinstance(body.get("variables"), str):
            body["variables"] = json.loads(body["variables"])
        self.bodies.append(body)
        if self.answer is not None:
            return await self.answer(request)
        done = graphql_sync(self._schema, body["query"], ROOT, variable_values=body.get("variables"))
        return JSONResponse(done.formatted, media_type="application/graphql-response+json")


class Caller:
    """Calls through a real gateway."""

    def __init__(self, gateway: Gateway, service: Service, schema: Path) -> None:
        self.gateway = gateway
        self.service = service
        self._schema = schema

    async def connect(self, **more: Any) -> None:
        endpoint = more.pop("endpoint", self.service.site.url("/graphql"))
        spec = SourceSpec(id="quay", kind="graphql", url=str(self._schema), endpoint=endpoint, **more)
        await self.gateway.connect(spec)
        self.service.bodies.clear()

    async def __call__(self, tool: str, arguments: dict[str, Any] | None = None, **more: Any) -> Result:
        return await self.gateway.call(tool, arguments or {}, **more)

    async def refused(self, tool: str, arguments: dict[str, Any] | None = None, **more: Any) -> Problem:
        with pytest.raises(Problem) as caught:
            await self(tool, arguments, **more)
        return caught.value

    async def refusal(self, tool: str, arguments: dict[str, Any] | None = None) -> tuple[Code, str, int]:
        """The code and message of a call that never leaves, and how many did."""
        problem = await self.refused(tool, arguments)
        return problem.code, problem.message, len(self.service.bodies)
