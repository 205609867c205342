"""A native site as large and as faulty as a test wants it, and reading it over the real guard."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import Receive, Scope, Send

from periplus.demo.services import serving
from periplus.model import Document, Draft, Reading, SourceSpec, Unchanged
from periplus.net import Fetcher, FetchPolicy
from periplus.ports import Fetched, FetchRequest, McpLinks, ReadLimits, Wires
from periplus.sources.native import NativeSource

MANIFEST = "/.well-known/elemm-manifest.md"
SEARCH = "/.well-known/elemm/search"


def parameter(name: str, type_: str = "string", **members: Any) -> dict[str, Any]:
    made = {"name": name, "type": type_, "description": "", "required": False, "default": None, "options": None}
    return made | {"aliases": [], "location": "query", "meta": {}} | members


def action(id_: str, **members: Any) -> dict[str, Any]:
    """An action with nothing wrong in it."""
    made = {"id": id_, "type": "action", "description": f"Does {id_}.", "parameters": [], "returns": "any"}
    return made | {"outputSchema": None, "remedy": None, "instructions": None, "is_tool": True, "meta": {}} | members


def city(districts: int, each: int) -> list[dict[str, Any]]:
    """Actions in three levels: `District_7:energy:tool_12`."""
    sectors = ("energy", "water", "traffic")
    return [
        action(f"District_{d}:{sectors[n % 3]}:tool_{n}", parameters=[parameter("unit", "integer", required=True)])
        for d in range(districts)
        for n in range(each)
    ]


class NativeSite:
    """Serves landmarks as the protocol has it: areas from the ids of actions, pages by offset and limit."""

    def __init__(self, actions: Iterable[dict[str, Any]]) -> None:
        self.base = ""
        self.head = {"version": "2.0", "welcome_message": "Harbour", "instructions": "Quote before you reserve."}
        self.page = 5000  # the most landmarks an answer holds
        self.search = True
        self.fails: set[str] = set()  # ids that break every JSON page they are on
        self.forgets: set[str] = set()  # ids that the search does not know
        self.ignores_offset = False
        self.texts = False  # whether there is nothing but markdown
        self.validator = False
        self.described: dict[str, str] = {}
        self.asked: list[str] = []
        self.headers: list[dict[str, str]] = []
        self.down = 0  # how many of the next requests are answered 503
        self.at_once = self.most_at_once = 0
        self.put(actions)

    def put(self, actions: Iterable[dict[str, Any]]) -> None:
        self.actions = list(actions)
        below: defaultdict[str, dict[str, dict[str, Any] | None]] = defaultdict(dict)
        for landmark in self.actions:
            names = str(landmark.get("id")).split(":")
            for end in range(1, len(names)):
                below[":".join(names[: end - 1])].setdefault(":".join(names[:end]), None)
            below[":".join(names[:-1])][str(landmark.get("id"))] = landmark
        self._below = below
        self._known: dict[str, list[dict[str, Any]]] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        self.asked.append(f"{request.url.path}?{request.url.query}")
        self.headers.append(dict(request.headers))
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        await self._answer(request)(scope, receive, send)
        self.at_once -= 1

    def page_of(self, request: FetchRequest) -> Fetched:
        """The same answer without a wire."""
        url = urlsplit(request.url)
        headers = [(name.encode(), text.encode()) for name, text in request.headers.items()]
        scope = {"type": "http", "method": "GET", "path": url.path, "query_string": url.query.encode()}
        response = self._answer(Request(scope | {"headers": headers}))
        kind = response.headers.get("content-type", "")
        return Fetched(url=request.url, status=response.status_code, body=bytes(response.body), media_type=kind)

    def _answer(self, request: Request) -> Response:
        if self.down:
            self.down -= 1
            return PlainTextResponse("starting", 503)
        if request.url.path == MANIFEST:
            return self._answered(request, self._children(request.query_params.get("landmark_id", "")))
        if request.url.path == SEARCH and self.search:
            return self._answered(request, self._found(request.query_params["type"]))
        return self._answer_missing()

    def _answer_missing(self) -> Response:
        return Response("<!doctype html><title>404</title>", 404, media_type="text/html")

    def _answer_broken(self) -> Response:
        return PlainTextResponse("Internal Server Error", 500)

    def _found(self, type_: str) -> list[dict[str, Any]]:
        if type_ not in self._known:
            areas = [self._area(id_) for id_ in self._below if id_]
            actions = [each for each in self.actions if each.get("id") not in self.forgets]
            self._known[type_] = actions if type_ == "action" else areas
        return self._known[type_]

    def _children(self, id_: str) -> list[dict[str, Any]]:
        return [landmark or self._area(child) for child, landmark in self._below.get(id_, {}).items()]

    def _area(self, id_: str) -> dict[str, Any]:
        description = self.described.get(id_, f"Area: {id_}")
        made = action(id_, type="navigation", description=description, is_tool=False)
        return made | {"child_count": len(self._below[id_]), "is_truncated": True}

    def _answered(self, request: Request, landmarks: list[dict[str, Any]]) -> Response:
        asked = request.query_params
        offset, limit = int(asked.get("offset", 0)), min(int(asked.get("limit", self.page)), self.page)
        begin = 0 if self.ignores_offset else offset
        page = landmarks[begin : begin + limit]
        if self.texts or asked.get("format") != "json":
            return PlainTextResponse(as_text(page, offset + limit, len(landmarks)), media_type="text/markdown")
        if any(each.get("id") in self.fails for each in page):
            return self._answer_broken()
        paging = {
            "total": len(landmarks),
            "offset": offset,
            "limit": limit,
            "has_more": offset + limit < len(landmarks),
        }
        body = json.dumps(self.head | {"parent_id": None, "landmarks": page, "pagination": paging})
        etag = f'"{hashlib.sha256(body.encode()).hexdigest()[:16]}"'
        headers = {"etag": etag} if self.validator else {}
        if self.validator and request.headers.get("if-none-match") == etag:
            return Response(status_code=304, headers=headers)
        return Response(body, headers=headers, media_type="application/json")


def as_text(page: list[dict[str, Any]], reached: int, total: int) -> str:
    """A page as models read it."""
    lines = ["# HARBOUR", "", "### LANDMARK TOPOLOGY", ""]
    for each in page:
        if each["type"] == "navigation":
            lines.append(f"- **{each['id']}** ({each['child_count']} tools available in this landmark)")
            continue
        members = [f"{p['name']}{'' if p['required'] else '?'}: {p['type']}" for p in each["parameters"]]
        lines.append(f"/** Description: {each['description']} */")
        lines.append(f"function call_action(action: '{each['id']}', parameters: {{ {', '.join(members)} }}): any;")
    if reached < total:
        lines.append(
            f"\n- (... and {total - reached} more items available. Use `_offset={reached}` in your next call.)"
        )
    return "\n".join(lines)


@contextmanager
def native(*actions: dict[str, Any]) -> Iterator[NativeSite]:
    made = NativeSite(actions)
    with serving(made) as base:
        made.base = base
        yield made


class NoLinks(McpLinks):
    """Native sites need no MCP."""


async def read(
    url: str, known: Document | None = None, limits: ReadLimits | None = None, **spec: Any
) -> Reading | Unchanged:
    made = SourceSpec(id="harbour", kind="native", url=url, **spec)
    fetcher = Fetcher(FetchPolicy())
    try:
        wires = Wires(fetch=fetcher.for_source(made), mcp=NoLinks(), limits=limits or ReadLimits())
        return await NativeSource().read(made, wires, known)
    finally:
        await fetcher.close()


async def everything(url: str, **more: Any) -> tuple[Reading, dict[str, Draft]]:
    """A reading with its stream read to the end, by key."""
    reading = await read(url, **more)
    assert isinstance(reading, Reading)
    drafts = list(reading.drafts)
    assert len({draft.key for draft in drafts}) == len(drafts)
    return reading, {draft.key: draft for draft in drafts}
