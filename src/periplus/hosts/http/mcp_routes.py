"""The MCP endpoints: `/mcp` for the default face and `/mcp/<face>` for each."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from http import HTTPStatus
from typing import Any

import anyio
import msgspec
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.context import ServerRequestContext
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from starlette.datastructures import Headers
from starlette.routing import BaseRoute, Route

from periplus.hosts.identity import AGENT
from periplus.hosts.mcp import McpHost
from periplus.model import Code, Principal, Problem

_GATE_CHECKS = TransportSecuritySettings(enable_dns_rebinding_protection=False)
MakeHost = Callable[[str], McpHost]
"""A host for a face by its name."""


def identify(context: ServerRequestContext[Any, Any]) -> tuple[Principal, bool]:
    """Who the gate said it is."""
    if context.request is None:
        return AGENT, False
    state = context.request.state
    return getattr(state, "principal", AGENT), getattr(state, "anonymous", True)


class Sessions(msgspec.Struct, frozen=True, kw_only=True):
    """How many may be open at an endpoint, and how long one lives that nobody uses."""

    most: int = 10_000
    idle_s: float = 1800.0


class McpRoutes:
    """One session manager per face; sessions belong to the principal that opened them."""

    def __init__(
        self,
        hosts: Mapping[str, McpHost],
        default: str,
        *,
        stateless: bool,
        sessions: Sessions,
        body_bytes: int,
        ending: anyio.Event,
    ) -> None:
        self._default = default
        self._hosts = hosts
        self._ending = ending
        self._most = sessions.most
        self._managers = {
            name: StreamableHTTPSessionManager(
                app=host.server(),
                stateless=stateless,
                security_settings=_GATE_CHECKS,
                max_request_body_size=body_bytes,
                max_sessions=sessions.most,
                session_idle_timeout=sessions.idle_s,
            )
            for name, host in hosts.items()
        }

    def routes(self) -> list[BaseRoute]:
        at = {name: _Endpoint(manager, self._ending, self._most) for name, manager in self._managers.items()}
        return [Route("/mcp", at[self._default]), *(Route(f"/mcp/{name}", each) for name, each in at.items())]

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[None]:
        """The sessions, until the application stops."""
        async with AsyncExitStack() as stack:
            for manager in self._managers.values():
                await stack.enter_async_context(manager.run())
            tasks = await stack.enter_async_context(anyio.create_task_group())
            for host in self._hosts.values():
                tasks.start_soon(host.watch)
            yield
            tasks.cancel_scope.cancel()


class _Endpoint:
    """An ASGI application (Starlette hands an object over as it is, and leaves the methods to it)."""

    def __init__(self, manager: StreamableHTTPSessionManager, ending: anyio.Event, most: int) -> None:
        self._manager = manager
        self._ending = ending
        self._most = most

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        state = scope.get("state", {})
        principal = state.get("principal")
        if principal is not None and not state.get("anonymous"):
            scope["user"] = _user(principal)
        if _waits(scope):
            await self._until_the_end(scope, receive, send)
        else:
            await self._manager.handle_request(scope, receive, _Explained(send, self._most))

    async def _until_the_end(self, scope: Any, receive: Any, send: Any) -> None:
        is_open = False

        async def seen(message: Any) -> None:
            nonlocal is_open
            is_open = message["type"] == "http.response.start" or bool(message.get("more_body"))
            await send(message)

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._end, tasks.cancel_scope)
            await self._manager.handle_request(scope, receive, seen)
            tasks.cancel_scope.cancel()
        if is_open:
            await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _end(self, scope: anyio.CancelScope) -> None:
        await self._ending.wait()
        scope.cancel()


class _Explained:
    """Answers, of which the one that there is no room for another session says how much room there is."""

    def __init__(self, send: Any, most: int) -> None:
        self._send = send
        self._most = most
        self._is_full = False

    async def __call__(self, message: Any) -> None:
        if message["type"] == "http.response.start":
            self._is_full = message["status"] == HTTPStatus.SERVICE_UNAVAILABLE
            if self._is_full:
                message = {**message, "headers": [(b"content-type", b"application/json"), (b"retry-after", b"60")]}
        elif self._is_full:
            problem = Problem(
                Code.OVER_LIMIT,
                f"{self._most} sessions are open here; there is room again when one ends or is long idle",
                hints=("end sessions you no longer use with DELETE", "raise [serve] sessions, or set stateless = true"),
                retryable=True,
            )
            error = {"code": problem.code.status.rpc, "message": problem.message, "data": problem.to_json()}
            message = {**message, "body": msgspec.json.encode({"jsonrpc": "2.0", "id": None, "error": error})}
        await self._send(message)


def _waits(scope: Any) -> bool:
    """Whether this is a stream that only waits for news: the server does not wait for its end."""
    method = Headers(scope=scope).get("mcp-method", "")
    return scope["method"] == "GET" or method == "subscriptions/listen"


def _user(principal: Principal) -> AuthenticatedUser:
    """The principal as the SDK knows owners of sessions; the credential itself goes no further."""
    name = f"{principal.tenant}/{principal.id}"
    return AuthenticatedUser(AccessToken(token="", client_id=name, subject=name, scopes=sorted(principal.scopes)))
