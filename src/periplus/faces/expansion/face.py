"""The five operations: parse, ask the core, render."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from importlib.metadata import version
from typing import Any

import msgspec

from periplus.core.calls.reading import MustRead
from periplus.core.facing import Operands, conversation
from periplus.core.gateway import Gateway
from periplus.core.survey import LIMIT_MAX, Page, View
from periplus.core.taxonomy import CAPABILITIES
from periplus.faces.expansion import words
from periplus.faces.expansion.expansions import Expansions
from periplus.faces.expansion.refusals import Refusals
from periplus.faces.expansion.showing import Shown
from periplus.model import Code, Problem
from periplus.ports import HttpAnswer, HttpAsk, Operation, Reply, Request, Resource, Route
from periplus.settings import Settings

Handler = Callable[[Request, dict[str, Any]], Awaitable[Reply]]
_encode = msgspec.json.encode


class Expansion:
    """Tool Discovery & Expansion v0.1 over one gateway."""

    name = "expansion"
    server_name = "periplus"
    instructions = words.INSTRUCTIONS
    resources: tuple[Resource, ...] = ()
    rpc_prefix = "tde."

    def __init__(self, gateway: Gateway, settings: Settings) -> None:
        self.server_version = version("periplus")
        self._gateway = gateway
        self._rules = settings.expansion
        self._tree = CAPABILITIES if settings.expansion.root == "capability" else ""
        self._shown = Shown(self._tree)
        self._expansions = Expansions(gateway, settings.expansion, self._shown)
        self.operations: tuple[Operation, ...] = (
            self._operation("list", "Look at the tree", words.LIST, self.list),
            self._operation("search_tool_by_category", "Find tools", words.SEARCH, self.search),
            self._operation("search_nodes", "Find areas", words.SEARCH_NODES, self.search_nodes),
            self._operation("expand_tool", "Read a tool", words.EXPAND, self.expand),
            Operation(
                name="call_tool",
                title="Call a tool",
                description=words.CALL,
                input=words.TAKES["call_tool"],
                handler=self._answering("call_tool", self.call),
                destroys=True,
                open_world=True,
            ),
        )
        self.routes = (
            Route(
                methods=("GET",),
                path="/v1/expansion/instructions",
                handler=self.told,
                summary="The rules for a model, as text",
            ),
            *(Route(methods=("POST",), path=f"/tde/v0.1/{one.name}", operation=one.name) for one in self.operations),
        )
        self._operands = Operands(self.operations)
        handlers = {one.name: one.handler for one in self.operations}

        async def attempt(op: str, arguments: dict[str, Any], request: Request) -> Reply:
            return await handlers[op](request, arguments)

        self._refusals = Refusals(gateway, self._operands, self._view(), self._shown, self._expansions, attempt)

    def _operation(self, name: str, title: str, description: str, handler: Handler) -> Operation:
        return Operation(
            name=name,
            title=title,
            description=description,
            input=words.TAKES[name],
            handler=self._answering(name, handler),
            reads=True,
            idempotent=True,
        )

    def _answering(self, name: str, handler: Handler) -> Handler:
        """The handler with arguments checked, and its problems told in this protocol's form."""

        async def answer(request: Request, arguments: dict[str, Any]) -> Reply:
            try:
                return await handler(request, self._operands.checked(name, arguments))
            except Problem as problem:
                return await self._refusals.told(problem, name, arguments, request)

        return answer

    # --- finding ------------------------------------------------------------------------------------------------

    async def list(self, request: Request, arguments: dict[str, Any]) -> Reply:
        """A place of the tree; with a query or tags, what passes in its whole subtree."""
        view = self._view(
            path=_path(arguments.get("path", "")),
            goal=arguments.get("query", ""),
            tags=tuple(arguments.get("tags", ())),
            any_tag=arguments.get("tags_mode") == "any",
            depth=arguments.get("depth", 1),
            recursive=arguments.get("recursive", False),
        )
        page, warnings = await self._page(view, request, arguments)
        return _reply(self._shown.listing(page, bare=arguments.get("nodes") == "names"), warnings)

    async def search(self, request: Request, arguments: dict[str, Any]) -> Reply:
        """The tools of a category that serve a query."""
        view = self._view(
            path=_path(arguments.get("category_path", "")),
            goal=arguments["query"],
            tags=tuple(arguments.get("tags", ())),
            nodes=False,
        )
        page, warnings = await self._page(view, request, arguments)
        if not page.entries:
            place = " > ".join(self._shown.path(page.node.path)) or "the catalog"
            raise Problem(Code.NO_MATCH, f"Nothing under {place} fits {view.goal[:200]!r}.", retryable=True)
        body = {
            "category_path": self._shown.path(page.node.path),
            "results": [self._shown.pointer(entry) for entry in page.entries],
            "next_cursor": page.next_cursor,
            "total": page.total,
        }
        return _reply(body, warnings)

    async def search_nodes(self, request: Request, arguments: dict[str, Any]) -> Reply:
        """The areas whose tools serve a query."""
        page, warnings = await self._page(self._view(goal=arguments["query"], tools=False), request, arguments)
        if not page.entries:
            roots = await self._gateway.survey(self._view(tools=False), principal=request.principal, limit=LIMIT_MAX)
            names = ", ".join(entry.node.name for entry in roots.entries if entry.node) or "nothing"
            warnings = (*warnings, f"no area fits; at the root there is: {names}")
        results = [self._shown.found_node(entry) for entry in page.entries]
        return _reply({"results": results, "next_cursor": page.next_cursor}, warnings)

    def _view(self, **members: Any) -> View:
        return View(tree=self._tree, floor=self._rules.floor, cursor_s=self._rules.cursor_ttl_seconds, **members)

    async def _page(self, view: View, request: Request, arguments: dict[str, Any]) -> tuple[Page, tuple[str, ...]]:
        wanted: int = arguments.get("limit", 10)
        page = await self._gateway.survey(
            view,
            principal=request.principal,
            limit=min(wanted, LIMIT_MAX),
            cursor=arguments.get("cursor"),
            session=conversation(arguments.get("session", ""), request),
        )
        cut = (f"limit {wanted} is more than {LIMIT_MAX}: {LIMIT_MAX} entries at most",) if wanted > LIMIT_MAX else ()
        return page, cut

    # --- reading and calling --------------------------------------------------------------------------------------

    async def expand(self, request: Request, arguments: dict[str, Any]) -> Reply:
        """One tool whole."""
        session = conversation(arguments.get("session", ""), request)
        body, warnings = await self._expansions.read(arguments["tool_id"], request.principal, session)
        return _reply(body, warnings)

    async def call(self, request: Request, arguments: dict[str, Any]) -> Reply:
        """A call of a tool that was read, or another part of what one gave."""
        if handle := arguments.get("cache_ref"):
            return await self._read_on(request, handle, arguments)
        if run := arguments.get("run_id"):
            return await self._asked_how_far(request, run, arguments)
        if "tool_id" not in arguments:
            raise Problem(Code.BAD_INPUT, "tool_id is required", hints=("tool_id: as a pointer gives it",))
        session = conversation(arguments.get("session", ""), request)
        token = arguments.get("expansion_token", "")
        proved = self._expansions.proved(token, request.principal)
        must_read = MustRead(
            within_s=self._rules.ledger_ttl_seconds, proved=proved, unfit=bool(token) and not any(proved)
        )
        try:
            return await self._called(request, arguments, session, must_read if self._rules.ledger != "off" else None)
        except Problem as problem:
            if self._rules.ledger != "warn" or problem.code not in (Code.EXPAND_REQUIRED, Code.SCHEMA_CHANGED):
                raise
            reply = await self._called(request, arguments, session, None)
            return _reply(reply.body, (problem.message,))

    async def _called(
        self, request: Request, arguments: dict[str, Any], session: str, must_read: MustRead | None
    ) -> Reply:
        result = await self._gateway.call(
            arguments["tool_id"],
            arguments.get("args", {}),
            principal=request.principal,
            session=session,
            approval=arguments.get("approval_id") or request.approval,
            must_read=must_read,
            idempotency_key=arguments.get("idempotency_key", ""),
            timeout_s=arguments.get("timeout_s"),
            limit=arguments.get("limit"),
            offset=arguments.get("offset", 0),
            presented=request.presented,
            progress=request.progress,
            listener=request.listener,
        )
        body: dict[str, Any] = {"tool_id": str(result.tool), "status": "ok", "result": result.value}
        if result.run:
            body |= {"status": "async", "run_id": result.run}
        if result.handle:
            body["cache_ref"] = result.handle
        if page := result.meta.get("page"):
            body["page"] = page
        return _reply(body | {"trace_id": result.trace}, result.notes, content=result.content)

    async def _read_on(self, request: Request, handle: str, arguments: dict[str, Any]) -> Reply:
        part = await self._gateway.result(
            handle, principal=request.principal, limit=arguments.get("limit"), offset=arguments.get("offset", 0)
        )
        body = {"tool_id": str(part.tool), "status": "ok", "result": part.value, "cache_ref": handle}
        return _reply(body | ({"page": page} if (page := part.meta.get("page")) else {}), part.notes)

    async def _asked_how_far(self, request: Request, run: str, arguments: dict[str, Any]) -> Reply:
        session = conversation(arguments.get("session", ""), request)
        result = await self._gateway.progress(run, principal=request.principal, session=session)
        body = {"tool_id": str(result.tool), "status": "ok", "result": result.value, "run_id": run}
        return _reply(body | {"trace_id": result.trace}, result.notes)

    # --- the rest of a face ---------------------------------------------------------------------------------------

    async def told(self, ask: HttpAsk) -> HttpAnswer:  # noqa: ARG002 - the same for everybody
        """The rules for a model."""
        return HttpAnswer(body=self.instructions.encode(), media_type="text/plain; charset=utf-8")

    async def other(self, name: str, arguments: dict[str, Any], request: Request) -> Reply | None:  # noqa: ARG002
        """There are these five and no others."""
        return None

    def refused(self, problem: Problem, request: Request) -> Reply:  # noqa: ARG002 - told alike to all
        """A problem that came before any operation."""
        return self._refusals.plain(problem)


def _path(given: Any) -> str:
    return "/".join(given) if isinstance(given, list) else str(given)


def _reply(body: dict[str, Any], warnings: tuple[str, ...] = (), content: tuple[dict[str, Any], ...] = ()) -> Reply:
    if warnings:
        body = body | {"warnings": list(warnings)}
    return Reply(body=body, text=_encode(body).decode(), structured=body, content=content)
