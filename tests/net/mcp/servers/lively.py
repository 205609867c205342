"""A server whose tools do something: `lively.py stdio|both|old|sse [PORT]`. Made with the SDK, served as `real.py`."""

from __future__ import annotations

import base64
import json
import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import mcp_types as types
from mcp.server import Server
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler
from mcp.shared.exceptions import MCPError
from mcp.shared.subscriptions import ResourceUpdated, ToolsListChanged
from real import main

PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
BERTH = {"type": "object", "properties": {"code": {"type": "string"}, "depth_m": {"type": "number"}}}
OPEN = {"type": "object", "properties": {}, "additionalProperties": True}
MOORING = {
    "type": "object",
    "properties": {
        "berth": {"type": "string", "x-mcp-header": "Berth"},
        "lines": {"type": "integer", "x-mcp-header": "Lines"},
        "by_night": {"type": "boolean", "x-mcp-header": "Night"},
    },
}
BUS = InMemorySubscriptionBus()
LOG = Path(os.environ.get("LIVELY_LOG", os.devnull))
grown: list[str] = []
met: list[anyio.Event] = []
subscribed: dict[str, list[Any]] = {}

Result = types.CallToolResult | types.InputRequiredResult


def text(*texts: str, **more: Any) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(type="text", text=each) for each in texts], **more)


def jot(line: str) -> None:
    """Write down what became of a call."""
    with LOG.open("a") as file:
        file.write(f"{line}\n")


def image() -> types.ImageContent:
    return types.ImageContent(type="image", data=base64.b64encode(PIXEL).decode(), mime_type="image/png")


async def berth(_: Any, arguments: dict[str, Any]) -> Result:
    value = {"code": arguments.get("code", "B4"), "depth_m": 7.5}
    return text(json.dumps(value), "Mind the sill.", structured_content=value)


async def liar(_: Any, __: Any) -> Result:
    return text("{}", structured_content={"code": 4, "depth_m": "deep"})


async def log(_: Any, __: Any) -> Result:
    return text('{"lines": [1, 2]}')


async def note(_: Any, __: Any) -> Result:
    return text("Calm until noon.")


async def rows(_: Any, __: Any) -> Result:
    return text('{"ship": "Alma"}', '{"ship": "Berta"}')


async def nothing(_: Any, __: Any) -> Result:
    return types.CallToolResult(content=[])


async def chart(_: Any, __: Any) -> Result:
    return types.CallToolResult(content=[types.TextContent(type="text", text="The roads"), image()])


async def documents(_: Any, __: Any) -> Result:
    blob = base64.b64encode(b"%PDF-1.4 ...").decode()
    return types.CallToolResult(
        content=[
            types.EmbeddedResource(
                type="resource",
                resource=types.BlobResourceContents(
                    uri="file:///papers/%2e%2e%2fclearance.pdf", blob=blob, mime_type="application/pdf"
                ),
            ),
            types.EmbeddedResource(
                type="resource", resource=types.TextResourceContents(uri="note://1", text="wet", mime_type="text/plain")
            ),
            types.ResourceLink(type="resource_link", name="plan", uri="https://harbour.example/plan"),
        ]
    )


async def fail(_: Any, __: Any) -> Result:
    return text("No berth is deep enough:", "draught 12 m, deepest 9 m", is_error=True)


async def echo(_: Any, arguments: dict[str, Any]) -> Result:
    return text(json.dumps({"arguments": arguments, "token": os.environ.get("TIDE_TOKEN", "")}))


async def moor(context: Any, arguments: dict[str, Any]) -> Result:
    """Tells what stood in the headers of its request."""
    headers = {name: value for name, value in context.request.headers.items() if name.startswith("mcp-param-")}
    return text(json.dumps({"headers": headers, "arguments": arguments}))


async def slow(context: Any, _: Any) -> Result:
    """Reports progress, then waits for ever, and writes down that it was told to stop."""
    await context.session.report_progress(1, 3, "casting off")
    await context.session.report_progress(2, 3)
    jot("started")
    try:
        await anyio.sleep_forever()
    finally:
        jot("stopped")
    raise AssertionError


async def steps(context: Any, _: Any) -> Result:
    await context.session.report_progress(1, 2, "casting off")
    await context.session.report_progress(2, 2, "under way")
    return text("done")


async def ask(context: Any, _: Any) -> Result:
    """Wants a person: by a question inside its result where the revision has that, else by one of its own."""
    schema: Any = {"type": "object", "properties": {"yes": {"type": "boolean"}}}
    if context.protocol_version >= "2026":
        params = types.ElicitRequestFormParams(message="Tow her?", requested_schema=schema)
        return types.InputRequiredResult(input_requests={"a": types.ElicitRequest(params=params)})
    try:
        await context.session.elicit_form("Tow her?", schema, context.request_id)
    except MCPError as error:
        return text(f"cannot ask: {error}", is_error=True)
    return text("asked")


async def again(context: Any, _: Any, state: str | None = None) -> Result:
    """Wants to be asked three times over, and to know where it may look."""
    if context.protocol_version < "2026":
        roots = await context.session.list_roots()
        return text(f"roots {roots.roots}")
    if state == "second":
        return text("enough")
    if state == "first":
        return types.InputRequiredResult(input_requests={"roots": types.ListRootsRequest()}, request_state="second")
    return types.InputRequiredResult(request_state="first")


async def crash(_: Any, __: Any) -> Result:
    jot("crashing")
    sys.stderr.write("the mast is down\n")
    sys.stderr.flush()
    os._exit(3)


async def tell(context: Any, _: Any) -> Result:
    await context.session.send_log_message(level="warning", data="rising wind", logger="mast")
    return text("told")


async def meet(context: Any, arguments: dict[str, Any]) -> Result:
    """Logs who is there, waits until as many as are wanted have come, and logs the name once more."""
    name, wanted = str(arguments["name"]), int(arguments.get("wanted", 1))
    await context.session.send_log_message("info", f"{name} comes", related_request_id=context.request_id)
    met.append(anyio.Event())
    for each in met if len(met) >= wanted else ():
        each.set()
    await met[-1].wait()
    await context.session.send_log_message("debug", f"{name} counts", related_request_id=context.request_id)
    await context.session.send_log_message("warning", f"{name} goes", "gate", related_request_id=context.request_id)
    return text(name, is_error=bool(arguments.get("fails")))


async def grow(context: Any, arguments: dict[str, Any]) -> Result:
    grown.append(str(arguments.get("name", "extra")))
    if context.protocol_version >= "2026":
        await BUS.publish(ToolsListChanged())
    else:
        await context.session.send_tool_list_changed()
    return text("grown")


async def stir(context: Any, arguments: dict[str, Any]) -> Result:
    """Says that something changed inside a resource, to whoever subscribed to it."""
    uri = str(arguments.get("uri", "note://log"))
    if context.protocol_version >= "2026":
        await BUS.publish(ResourceUpdated(uri=uri))
    for session in subscribed.get(arguments.get("subscribed", uri), ()):
        await session.send_resource_updated(uri)
    return text("stirred")


async def bulk(_: Any, arguments: dict[str, Any]) -> Result:
    return text("x" * int(arguments.get("size", 0)))


Act = Callable[..., Awaitable[Result]]
ACTS: dict[str, Act] = {
    act.__name__: act
    for act in (
        moor, berth, liar, log, note, rows, nothing, chart, documents, fail, echo, slow, steps, ask, again, crash, tell, meet,
        grow, stir, bulk,
    )
}  # fmt: skip
READS = {"note", "slow", "ask"}


async def list_tools(_: Any, __: Any) -> types.ListToolsResult:
    return types.ListToolsResult(
        tools=[
            types.Tool(
                name=name,
                description=f"Does {name}.",
                input_schema=MOORING if name == "moor" else OPEN,
                output_schema=BERTH if name in {"berth", "liar"} else None,
                annotations=types.ToolAnnotations(read_only_hint=name in READS),
            )
            for name in (*ACTS, *grown)
        ]
    )


async def call_tool(context: Any, params: types.CallToolRequestParams) -> Result:
    act = ACTS.get(params.name)
    if act is None:
        raise MCPError(types.INVALID_PARAMS, f"Unknown tool: {params.name}")
    if act is again:
        return await again(context, params.arguments or {}, params.request_state)
    return await act(context, params.arguments or {})


async def list_resources(_: Any, __: Any) -> types.ListResourcesResult:
    return types.ListResourcesResult(
        resources=[
            types.Resource(name="log", uri="note://log", mime_type="application/json"),
            types.Resource(name="pixel", uri="note://pixel", mime_type="image/png"),
        ]
    )


async def list_templates(_: Any, __: Any) -> types.ListResourceTemplatesResult:
    template = types.ResourceTemplate(name="day", uri_template="note://{year}/{day}{?part}")
    return types.ListResourceTemplatesResult(resource_templates=[template])


async def read_resource(_: Any, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
    uri = str(params.uri)
    if uri == "note://pixel":
        blob = base64.b64encode(PIXEL).decode()
        return types.ReadResourceResult(
            contents=[types.BlobResourceContents(uri=uri, blob=blob, mime_type="image/png")]
        )
    kind = "application/json" if uri == "note://log" else "text/plain"
    said = '{"wind": 5}' if uri == "note://log" else f"read {uri}"
    return types.ReadResourceResult(contents=[types.TextResourceContents(uri=uri, text=said, mime_type=kind)])


async def list_prompts(_: Any, __: Any) -> types.ListPromptsResult:
    argument = types.PromptArgument(name="ship", required=True)
    return types.ListPromptsResult(prompts=[types.Prompt(name="brief", arguments=[argument])])


async def get_prompt(_: Any, params: types.GetPromptRequestParams) -> types.GetPromptResult:
    said = types.TextContent(type="text", text=f"Brief the watch of {(params.arguments or {})['ship']}.")
    return types.GetPromptResult(messages=[types.PromptMessage(role="user", content=said)])


async def subscribe(context: Any, params: types.SubscribeRequestParams) -> types.EmptyResult:
    if "refused" in params.uri:
        raise MCPError(types.INVALID_PARAMS, "nobody may watch that")
    jot(f"subscribe {params.uri}")
    subscribed.setdefault(params.uri, []).append(context.session)
    return types.EmptyResult()


async def unsubscribe(_: Any, params: types.UnsubscribeRequestParams) -> types.EmptyResult:
    jot(f"unsubscribe {params.uri}")
    subscribed.pop(params.uri, None)
    return types.EmptyResult()


LISTEN = ListenHandler(BUS)


async def listen(context: Any, params: types.SubscriptionsListenRequestParams) -> types.SubscriptionsListenResult:
    uris = " ".join(params.notifications.resource_subscriptions or ())
    if not uris:
        return await LISTEN(context, params)
    jot(f"subscribe {uris}")
    try:
        return await LISTEN(context, params)
    finally:
        jot(f"unsubscribe {uris}")


SERVER: Server[Any] = Server(
    "lively",
    version="1",
    on_list_tools=list_tools,
    on_call_tool=call_tool,
    on_list_resources=list_resources,
    on_list_resource_templates=list_templates,
    on_read_resource=read_resource,
    on_list_prompts=list_prompts,
    on_get_prompt=get_prompt,
    on_subscribe_resource=subscribe,
    on_unsubscribe_resource=unsubscribe,
    on_subscriptions_listen=listen,
)


async def set_level(_: Any, params: types.SetLevelRequestParams) -> types.EmptyResult:
    jot(f"level {params.level}")
    return types.EmptyResult()


SERVER.add_request_handler("logging/setLevel", types.SetLevelRequestParams, set_level)


if __name__ == "__main__":
    main(sys.argv[1], SERVER)
