"""A face as an MCP server: its operations are the tools, its documents the resources, and nothing else is listed."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import anyio
import mcp_types as types
from mcp.server.caching import CacheHint
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import NotificationOptions, Server
from mcp.shared.exceptions import MCPError

from periplus.core.gateway import Gateway
from periplus.hosts.desk import Desk
from periplus.hosts.mcp.asking import Answered, Asking
from periplus.hosts.mcp.direct import Pinned
from periplus.hosts.mcp.logs import Logs
from periplus.hosts.mcp.news import News
from periplus.hosts.mcp.replies import result_of
from periplus.hosts.mcp.shelf import Shelf, listed_prompt, listed_resource, listed_template, listed_tool
from periplus.hosts.mcp.watching import Watching
from periplus.hosts.traces import origin_of
from periplus.model import Principal
from periplus.ports import Operation, Presented, Request, Resource, Wire

_READERS = 10_000
_DAY_MS = 86_400_000
_PINNED_MS = 60_000
Context = ServerRequestContext[Any, Any]
Identify = Callable[[Context], tuple[Principal, bool]]
"""Who asks, and whether nobody said so."""


class McpHost:
    """One face over MCP. `connection` names the conversation where the wire has one of its own (stdio)."""

    def __init__(
        self,
        desk: Desk,
        gateway: Gateway,
        *,
        identify: Identify,
        asking: Asking,
        connection: str = "",
    ) -> None:
        self._desk = desk
        self._clock = gateway.clock
        self._identify = identify
        self._asking = asking
        self._connection = connection
        self._made: tuple[tuple[Operation, ...], list[types.Tool]] = ((), [])
        self._seen: OrderedDict[str, tuple[Operation, ...]] = OrderedDict()  # by connection: the list it has read
        self._pinned = Pinned(gateway, desk)
        self._news = News(gateway, desk)
        self._logs = Logs()
        self._watching = Watching(gateway, self._pinned, self._news)

    def server(self) -> Server[Any]:
        """The SDK's server for this face; it speaks every revision, stateless ones included."""
        face = self._desk.face
        hint = CacheHint(ttl_ms=_DAY_MS, scope="public")
        server: Server[Any] = Server(
            face.server_name,
            version=face.server_version,
            instructions=face.instructions,
            cache_hints={"tools/list": hint, "server/discover": hint},
            get_tool_input_schema=self._input_schema,
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
            on_list_resources=self._list_resources,
            on_list_resource_templates=self._list_templates,
            on_read_resource=self._read_resource,
            on_list_prompts=self._list_prompts,
            on_get_prompt=self._get_prompt,
            on_completion=self._complete,
            on_subscribe_resource=self._subscribe,
            on_unsubscribe_resource=self._unsubscribe,
            on_subscriptions_listen=self._listen,
        )
        # Given to the constructor the SDK would warn of it: the newest revision has it no more.
        server.add_request_handler("logging/setLevel", types.SetLevelRequestParams, self._logs.set_level)
        return server

    async def watch(self) -> None:
        """Tell those who subscribed when a list or a resource becomes another one, for as long as this runs."""
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._watching.pass_on)
            await self._news.watch()

    def look(self) -> None:
        """Look at once for lists that are others now."""
        self._news.look()

    @property
    def notifications(self) -> NotificationOptions:
        """What the handshake revisions are told may change."""
        changes = bool(self._desk.face.resources)
        return NotificationOptions(tools_changed=changes, resources_changed=changes)

    def request(self, context: Context) -> Request:
        """Who asks, and in which conversation, as the SDK tells it."""
        headers = context.request.headers if context.request is not None else {}
        principal, anonymous = self._identify(context)
        meta: Any = context.meta or {}
        connection = self._connection or headers.get("mcp-session-id", "")

        async def progress(done: float, total: float | None, message: str) -> None:
            await context.session.report_progress(done, total, message)

        return Request(
            principal=principal,
            wire=Wire.MCP if context.request is not None else Wire.STDIO,
            connection=connection,
            anonymous=anonymous and not connection,
            origin=origin_of(meta.get("traceparent") or headers.get("traceparent"), self._clock),
            progress=progress,
            listener=self._logs.listener(context),
            presented=getattr(context.request.state, "presented", Presented()) if context.request else Presented(),
            base_url=getattr(context.request.state, "base_url", "") if context.request is not None else "",
        )

    async def _list_tools(
        self, context: Context, _params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        """The face's operations, the same for all; what is pinned after them, which may depend on who asks."""
        listed = self._desk.face.operations
        if self._made[0] is not listed:
            self._made = (listed, [_tool(operation) for operation in listed])
        self._note_read(self.request(context).connection, listed)
        shelf = await self._shelf(context)
        if not shelf.tools:
            return types.ListToolsResult(tools=self._made[1])
        pinned = [listed_tool(name, tool) for name, tool in shelf.tools.items()]
        return types.ListToolsResult(tools=[*self._made[1], *pinned], ttl_ms=_PINNED_MS, cache_scope="private")

    async def _tell_changes(self, context: Context, connection: str) -> None:
        """Who has read the list hears when it is another one; at the calls they make anyway."""
        listed = self._desk.face.operations
        if self._seen.get(connection, listed) is not listed:
            self._note_read(connection, listed)
            await context.session.send_tool_list_changed()

    def _note_read(self, connection: str, listed: tuple[Operation, ...]) -> None:
        if connection:
            self._seen[connection] = listed
            self._seen.move_to_end(connection)
        if len(self._seen) > _READERS:
            self._seen.popitem(last=False)

    def _input_schema(self, name: str) -> dict[str, Any] | None:
        operation = self._desk.operation(name)
        return operation.input if operation else self._pinned.schema(name)

    async def _call_tool(
        self, context: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        request = self.request(context)
        arguments = params.arguments or {}
        if self._desk.operation(params.name) is None:
            tool = (await self._pinned.shelf(request.principal)).tools.get(params.name)
            if tool is not None:
                pinned = self._pinned.asked(context, params, tool, arguments, request.principal)
                if pinned.dialogue.state:  # it is the upstream's, and no approval's
                    params = params.model_copy(update={"request_state": None})
                return await self._asking.through(
                    context, params, request, lambda asked: self._pinned.call(pinned, asked)
                )
        result = await self._asking.through(
            context, params, request, lambda asked: self._answer(params, arguments, asked)
        )
        await self._tell_changes(context, request.connection)
        return result

    async def _answer(
        self, params: types.CallToolRequestParams, arguments: dict[str, Any], request: Request
    ) -> Answered:
        reply = await self._desk.ask(params.name, arguments, request)
        if reply is None:
            problem = self._desk.unknown(params.name)
            raise MCPError(types.INVALID_PARAMS, f"{problem.message}; {problem.hints[0]}")
        return result_of(reply), reply.problem

    async def _shelf(self, context: Context) -> Shelf:
        principal, _ = self._identify(context)
        return await self._pinned.shelf(principal)

    async def _list_resources(
        self, context: Context, _params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        own = [
            types.Resource(uri=one.uri, name=one.name, description=one.description, mime_type=one.media_type)
            for one in self._desk.face.resources
        ]
        shelf = await self._shelf(context)
        pinned = [listed_resource(uri, tool) for uri, tool in shelf.resources.items()]
        return types.ListResourcesResult(resources=[*own, *pinned])

    async def _list_templates(
        self, context: Context, _params: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        shelf = await self._shelf(context)
        found = [listed_template(template, tool) for template, tool in shelf.templates.items()]
        return types.ListResourceTemplatesResult(resource_templates=found)

    async def _read_resource(
        self, context: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult | types.InputRequiredResult:
        if (one := self._document(params.uri)) is not None:
            text = types.TextResourceContents(uri=params.uri, mime_type=one.media_type, text=await one.read())
            return types.ReadResourceResult(contents=[text])
        request = self.request(context)
        found = (await self._pinned.shelf(request.principal)).resource(params.uri)
        if found is not None:
            return await self._pinned.read(self._pinned.asked(context, params, *found, request.principal), request)
        known = ", ".join(one.uri for one in self._desk.face.resources)
        told = f"; there are {known}" if known else ""
        raise MCPError(types.INVALID_PARAMS, f"there is no resource {params.uri[:200]!r}{told}", {"uri": params.uri})

    def _document(self, uri: str) -> Resource | None:
        """What the face itself offers under this URI."""
        return next((one for one in self._desk.face.resources if uri in (one.uri, *one.aliases)), None)

    async def _subscribe(self, context: Context, params: types.SubscribeRequestParams) -> types.EmptyResult:
        if self._document(params.uri) is None:  # the face's own stay as they are
            principal, _ = self._identify(context)
            await self._watching.subscribe(context, params.uri, principal)
        return types.EmptyResult()

    async def _unsubscribe(self, context: Context, params: types.UnsubscribeRequestParams) -> types.EmptyResult:
        self._watching.unsubscribe(context, params.uri)
        return types.EmptyResult()

    async def _listen(
        self, context: Context, params: types.SubscriptionsListenRequestParams
    ) -> types.SubscriptionsListenResult:
        principal, _ = self._identify(context)
        return await self._watching.listen(context, params, principal)

    async def _list_prompts(
        self, context: Context, _params: types.PaginatedRequestParams | None
    ) -> types.ListPromptsResult:
        shelf = await self._shelf(context)
        return types.ListPromptsResult(prompts=[listed_prompt(name, tool) for name, tool in shelf.prompts.items()])

    async def _get_prompt(
        self, context: Context, params: types.GetPromptRequestParams
    ) -> types.GetPromptResult | types.InputRequiredResult:
        request = self.request(context)
        tool = (await self._pinned.shelf(request.principal)).prompts.get(params.name)
        if tool is None:
            raise MCPError(types.INVALID_PARAMS, f"there is no prompt {params.name[:80]!r}")
        arguments = dict(params.arguments or {})
        return await self._pinned.prompt(
            self._pinned.asked(context, params, tool, arguments, request.principal), request
        )

    async def _complete(self, context: Context, params: types.CompleteRequestParams) -> types.CompleteResult:
        request = self.request(context)
        shelf = await self._pinned.shelf(request.principal)
        found = shelf.prompts.get(params.ref.name) if isinstance(params.ref, types.PromptReference) else None
        if isinstance(params.ref, types.ResourceTemplateReference):
            found = shelf.templates.get(params.ref.uri)
        if found is None:
            raise MCPError(types.INVALID_PARAMS, "there is no such prompt or resource template")
        return await self._pinned.complete(found, params, request)


def _tool(operation: Operation) -> types.Tool:
    return types.Tool(
        name=operation.name,
        title=operation.title,
        description=operation.description,
        input_schema=operation.input,
        output_schema=operation.output if operation.listed_output else None,
        annotations=types.ToolAnnotations(
            read_only_hint=operation.reads,
            destructive_hint=None if operation.reads else operation.destroys,  # of readers the protocol knows neither
            idempotent_hint=None if operation.reads else operation.idempotent,
            open_world_hint=operation.open_world,
        ),
    )
