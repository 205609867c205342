"""A binding and arguments become a request, and an answer a value."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from typing import Any, ClassVar, Protocol
from urllib.parse import urlsplit

import msgspec

from periplus.model import Answer, Code, Prepared, Principal, Problem, SourceSpec, Tool
from periplus.ports.listening import Listener

Progress = Callable[[float, float | None, str], Awaitable[None]]


async def no_progress(done: float, total: float | None, message: str) -> None:
    """For callers who do not listen."""


Ask = Callable[[str, dict[str, Any]], Awaitable[dict[str, Any] | None]]
"""Puts a server's request to the caller; None: it cannot be asked this."""


Told = Callable[[str], None]
"""Hears the URI of a watched resource when something changed there."""

Stop = Callable[[], None]
"""Ends what it was given for; a second time it does nothing."""


class Site(msgspec.Struct, frozen=True, kw_only=True):
    """What all calls to one source share: what its operator wrote, and what its document said."""

    spec: SourceSpec
    document_url: str = ""
    site: dict[str, Any] = {}

    def parted(self, what: str) -> tuple[str, str]:
        """Origin and path of the site or service; the operator's word stands above what was read."""
        url = self.spec.base_url or str(self.site.get("base", ""))
        parts = urlsplit(url)
        if parts.scheme not in {"http", "https"} or not parts.hostname or "@" in parts.netloc:
            raise Problem(
                Code.NOT_CALLABLE,
                f"no {what} to call: {url!r}" if url else f"no {what} to call: its description came from a file",
                hints=(f'set base_url = "https://..." in [sources.{self.spec.id}]',),
            )
        return f"{parts.scheme}://{parts.netloc}", parts.path.rstrip("/")


class Dialogue(msgspec.Struct, frozen=True, kw_only=True):
    """A caller that speaks MCP itself: it gets results of servers as they came, and is asked what those ask."""

    capabilities: dict[str, Any] = {}  # what the caller says it can be asked
    answers: dict[str, Any] = {}  # `inputResponses`, to what was asked last time
    state: str = ""  # `requestState`, as the server gave it then
    ask: Ask | None = None  # asks the caller while the call waits; without it, questions are the call's result


class Calling(msgspec.Struct, frozen=True, kw_only=True):
    """Who calls, for how long, and how much may come back."""

    principal: Principal
    trace: str = ""  # 32 hex digits, for `traceparent`
    idempotency_key: str = ""
    timeout_s: float = 30.0
    response_bytes: int = 32 << 20
    stream_s: float = 20.0
    dialogue: Dialogue | None = None  # mcp: with a caller that speaks it, too
    presented: dict[str, str] = {}  # headers of the caller's own request; only pass_through and token_exchange look
    progress: Progress = no_progress
    listener: Listener | None = None  # mcp: hears what the server logs meanwhile


class HttpRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A request as it goes out, but for credentials. `target` is path and query, encoded, sent as it stands."""

    method: str
    origin: str  # "https://api.example.com:8443"
    target: str  # "/berths/B4?free=true"
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""
    security: tuple[dict[str, list[str]], ...] | None = (
        None  # OR over AND: scheme name -> scopes; None: as the site says
    )


class HttpReply(Protocol):
    """An answer whose head is here and whose body is still on its way."""

    status: int
    headers: tuple[tuple[str, str], ...]  # names in lower case
    url: str  # where it came from after redirects
    advice: str  # what the operator could configure, for the hints of a 401 or 403; may be empty

    def body(self) -> AsyncIterator[bytes]:
        """Decoded pieces; ends early only by a `Problem`."""
        ...

    def redact(self, text: str) -> str:
        """The text without the credentials that were sent (S-79)."""
        ...


class HttpOut(Protocol):
    """The way out for calls: guard, pooled connections, credentials put in at the last moment, redirects judged.

    Raises `Problem` only. `details["not_processed"]` says that the request certainly never reached the upstream.
    """

    def send(self, request: HttpRequest, site: Site, calling: Calling) -> AbstractAsyncContextManager[HttpReply]: ...


class McpRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A request as an MCP server gets it, but for what its revision adds."""

    method: str  # "tools/call"
    params: dict[str, Any] = {}
    headers: dict[str, str] = {}  # over HTTP: arguments that are repeated there, not encoded


class McpOut(Protocol):
    """Calls to MCP servers over the sessions that reading them opened.

    Raises `Problem` only. `details["not_processed"]` says that the request certainly never reached the server.
    """

    async def call(self, request: McpRequest, site: Site, calling: Calling) -> dict[str, Any]:
        """The result as it came on the wire, without the credentials that were sent (S-79)."""
        ...

    async def watch(self, uri: str, site: Site, principal: Principal, told: Told) -> Stop:
        """Have `told` called with this URI whenever something changes inside the resource; returns what ends that.

        A server is told of a resource once, however many watch it, and again when its session begins anew: then `told`
        is called too, because something may have been missed. Refused where the server tells of no changes.
        """
        ...


class CallWires(msgspec.Struct, frozen=True, kw_only=True):
    """Everything a transport may use to reach the outside."""

    http: HttpOut
    mcp: McpOut


class Transport(Protocol):
    """Sends the calls of one kind of source; found by the name of its module in `periplus.transports`."""

    kind: ClassVar[str]

    def prepare(self, tool: Tool, site: Site, arguments: dict[str, Any], calling: Calling) -> Prepared:
        """The call as it will be sent. Pure; refuses what cannot be said on the wire with `invalid_args`."""
        ...

    async def send(self, prepared: Prepared, tool: Tool, site: Site, calling: Calling, wires: CallWires) -> Answer:
        """Send it once. An upstream's refusal is a `Problem` with its own words (S-78)."""
        ...
