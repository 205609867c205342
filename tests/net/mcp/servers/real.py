"""A server made with the SDK: `real.py stdio`, or `real.py both|old|sse|locked` on a free port, which it prints."""

from __future__ import annotations

import json
import socket
import sys
from typing import Any

import anyio
import mcp_types as types
import uvicorn
from mcp.server import NotificationOptions, Server
from mcp.server.sse import SseServerTransport
from mcp.server.stdio import stdio_server
from starlette.applications import Starlette
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route

PAGES = 3
PER_PAGE = 4


async def list_tools(_: Any, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
    page = int(params.cursor) if params and params.cursor else 0
    tools = [
        types.Tool(
            name=f"tool_{page * PER_PAGE + number}",
            title="A tool",
            description="Does what its number says.",
            input_schema={"type": "object", "properties": {"day": {"type": "string"}}},
            annotations=types.ToolAnnotations(read_only_hint=True),
        )
        for number in range(PER_PAGE)
    ]
    return types.ListToolsResult(tools=tools, next_cursor=str(page + 1) if page + 1 < PAGES else None)


async def list_resources(_: Any, __: Any) -> types.ListResourcesResult:
    return types.ListResourcesResult(resources=[types.Resource(name="log", uri="note://log")])


async def list_templates(_: Any, __: Any) -> types.ListResourceTemplatesResult:
    template = types.ResourceTemplate(name="day", uri_template="note://{year}/{day}")
    return types.ListResourceTemplatesResult(resource_templates=[template])


async def list_prompts(_: Any, __: Any) -> types.ListPromptsResult:
    return types.ListPromptsResult(prompts=[types.Prompt(name="brief", description="Brief the watch.")])


async def call_tool(_: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
    if params.name == "wait":
        await anyio.sleep_forever()
    return types.CallToolResult(content=[types.TextContent(type="text", text=json.dumps(params.arguments))])


SERVER: Server[Any] = Server(
    "harbour",
    version="1.2.3",
    title="Harbour",
    instructions="Ask for the berth first.",
    on_list_tools=list_tools,
    on_list_resources=list_resources,
    on_list_resource_templates=list_templates,
    on_list_prompts=list_prompts,
    on_call_tool=call_tool,
)


async def over_stdio(server: Server[Any]) -> None:
    async with stdio_server() as (read, write):
        options = server.create_initialization_options(NotificationOptions(tools_changed=True))
        await server.run(read, write, options)


class OldOnly:
    """What a server of before 2026 does with a revision it has never heard of."""

    def __init__(self, app: Any) -> None:
        self.app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        headers = dict(scope.get("headers", ()))
        if headers.get(b"mcp-protocol-version") == b"2026-07-28":
            refusal = {"jsonrpc": "2.0", "id": None, "error": {"code": -32000, "message": "Bad Request: Unsupported"}}
            await JSONResponse(refusal, 400)(scope, receive, send)
            return
        await self.app(scope, receive, send)


class Locked:
    """Wants a token, and says so in its own words."""

    def __init__(self, app: Any) -> None:
        self.app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        headers = dict(scope.get("headers", ()))
        if scope["type"] == "http" and headers.get(b"authorization") != b"Bearer open-sesame":
            given = headers.get(b"authorization", b"").decode()
            await JSONResponse({"error_description": f"the token {given} is not known"}, 401)(scope, receive, send)
            return
        await self.app(scope, receive, send)


def sse_app(server: Server[Any]) -> Starlette:
    transport = SseServerTransport("/messages/")

    async def stream(request: Any) -> Response:
        async with transport.connect_sse(request.scope, request.receive, request._send) as (read, write):
            await server.run(read, write, server.create_initialization_options())
        return Response()

    return Starlette(routes=[Route("/mcp", stream), Mount("/messages/", app=transport.handle_post_message)])


def main(mode: str, server: Server[Any] = SERVER) -> None:
    if mode == "stdio":
        anyio.run(over_stdio, server)
        return
    app: Any = sse_app(server) if mode == "sse" else server.streamable_http_app()
    app = {"old": OldOnly, "locked": Locked}.get(mode, lambda given: given)(app)
    listener = socket.create_server(("127.0.0.1", int(sys.argv[2]) if len(sys.argv) > 2 else 0))
    print(listener.getsockname()[1], flush=True)  # noqa: T201
    config = uvicorn.Config(app, log_level="error", timeout_graceful_shutdown=1)
    uvicorn.Server(config).run(sockets=[listener])


if __name__ == "__main__":
    main(sys.argv[1])
