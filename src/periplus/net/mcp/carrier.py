"""The HTTP client the SDK is given: every fault of one exchange becomes the answer to that one request.

The SDK ends a whole session when a single exchange fails below HTTP, forgets which status came, and reads JSON
bodies without a limit. This stands between it and the guarded client and does neither.
"""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import httpx2

from periplus.model import Code, Problem, code_of_status
from periplus.net.mcp.refusals import OURS

_CONNECT_SECONDS = 10.0
_SILENCE_SECONDS = 300.0  # a stream may be quiet that long; requests have deadlines of their own
_STAND_IN = 599
_INTERNAL_ERROR = -32603
_BODY_MAX = 2_000
_PLAIN = frozenset({200, 400, 404})  # JSON-RPC errors come with these; the error says more
_FINAL = frozenset({401, 403, 407, 429, 502, 503, 504})
_PARTING = {"content-encoding", "content-length", "transfer-encoding"}


class Carrier:
    """Looks to the SDK like an `httpx2.AsyncClient`; sends with the guarded one."""

    def __init__(self, client: httpx2.AsyncClient, headers: Mapping[str, str], limit_bytes: int) -> None:
        self._client = client
        self._headers = dict(headers)
        self._limit = limit_bytes
        self._problems: dict[str, Problem] = {}

    @property
    def max_redirects(self) -> int:
        return self._client.max_redirects

    def build_request(self, method: str, url: Any, **given: Any) -> httpx2.Request:
        """A request with the source's own headers under the protocol's."""
        headers = httpx2.Headers(self._headers)
        headers.update(given.pop("headers", None) or {})
        timeout = httpx2.Timeout(_CONNECT_SECONDS, read=_SILENCE_SECONDS)
        return self._client.build_request(method, url, headers=headers, timeout=timeout, **given)

    async def send(self, request: httpx2.Request, **_: Any) -> httpx2.Response:
        """Send once, following nothing; an answer that is not a stream is read here, within the limit."""
        try:
            response = await self._client.send(request, stream=True, follow_redirects=False)
            if _is_stream(response) or response.next_request is not None:
                return response
            try:
                return self._whole(request, response, await self._read(response))
            finally:
                await response.aclose()
        except Problem as problem:
            return self._stand_in(request, problem)
        except (httpx2.HTTPError, httpx2.StreamError, httpx2.InvalidURL) as error:
            return self._stand_in(request, _translated(request, error))

    @asynccontextmanager
    async def stream(self, method: str, url: str, **given: Any) -> AsyncGenerator[httpx2.Response]:
        """An open response of the guarded client itself, for the older wire."""
        request = self.build_request(method, url, **given)
        try:
            response = await self._client.send(request, stream=True, follow_redirects=False)
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            raise _translated(request, error) from error
        try:
            yield response
        finally:
            await response.aclose()

    def problem_of(self, data: Any) -> Problem | None:
        """The fault behind an answer made here, or what the status that came means where it tells more."""
        ours = _ours(data)
        if (problem := self._problems.pop(str(ours.get("problem")), None)) is not None:
            return problem
        status = ours.get("status")
        if not isinstance(status, int) or (ours.get("rpc") and status in _PLAIN):
            return None
        return of_status(status, str(ours.get("message", "")), ours.get("retry_after"))

    def status_of(self, data: Any) -> int | None:
        status = _ours(data).get("status")
        return status if isinstance(status, int) else None

    def is_final(self, data: Any) -> bool:
        """Whether asking differently would change nothing: no connection, no credentials, no service."""
        return "problem" in _ours(data) or self.status_of(data) in _FINAL

    def is_session_lost(self, data: Any) -> bool:
        """A server that no longer knows a session says 404 (streamable HTTP)."""
        ours = _ours(data)
        return ours.get("status") == httpx2.codes.NOT_FOUND and bool(ours.get("session"))

    async def _read(self, response: httpx2.Response) -> bytes:
        body = bytearray()
        async for chunk in response.aiter_bytes():
            body += chunk
            if len(body) > self._limit:
                raise Problem(Code.TOO_LARGE, f"an answer of more than {self._limit:,} bytes (message_bytes)")
        return bytes(body)

    def _whole(self, request: httpx2.Request, response: httpx2.Response, body: bytes) -> httpx2.Response:
        headers = [(name, text) for name, text in response.headers.multi_items() if name.lower() not in _PARTING]
        if response.status_code >= httpx2.codes.BAD_REQUEST:
            body = _as_error(request, response, body)
            headers = [(name, text) for name, text in headers if name.lower() != "content-type"]
            headers.append(("content-type", "application/json"))
        return httpx2.Response(response.status_code, headers=headers, content=body, request=request)

    def _stand_in(self, request: httpx2.Request, problem: Problem) -> httpx2.Response:
        key = str(id(problem))
        if request.method == "POST":  # nobody asks about the others
            self._problems[key] = problem
        error = {"code": _INTERNAL_ERROR, "message": problem.message, "data": {OURS: {"problem": key}}}
        return httpx2.Response(_STAND_IN, json={"jsonrpc": "2.0", "id": None, "error": error}, request=request)


def _ours(data: Any) -> dict[str, Any]:
    """What this file wrote into an error's data."""
    ours = data.get(OURS) if isinstance(data, dict) else None
    return ours if isinstance(ours, dict) else {}


_ELSEWHERE = "check that an MCP server answers at this address: its path is often /mcp or /sse"


def of_status(status: int, message: str, retry_after: float | None = None) -> Problem:
    """What an HTTP status means, by the table of S-78."""
    code = Code.UNAVAILABLE if status in {502, 503} else code_of_status(status)
    hints = {
        Code.UPSTREAM_UNAUTHENTICATED: ("set credentials for this source",),
        Code.NOT_FOUND: (_ELSEWHERE,),
        Code.UPSTREAM_ERROR: (_ELSEWHERE,),
    }.get(code, ())
    retryable = status in {408, 425, 429, 502, 503, 504}
    details: dict[str, Any] = {"http_status": status} | ({} if retry_after is None else {"retry_after": retry_after})
    told = f"HTTP {status}: {message}" if message else f"HTTP {status}"
    return Problem(code, told, hints=hints, retryable=retryable, details=details)


def _is_stream(response: httpx2.Response) -> bool:
    media = response.headers.get("content-type", "").lower()
    return response.status_code < httpx2.codes.BAD_REQUEST and media.startswith("text/event-stream")


def _as_error(request: httpx2.Request, response: httpx2.Response, body: bytes) -> bytes:
    """The body of a refusal as a JSON-RPC error that remembers the status it came with."""
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        value = None
    told = value.get("error") if isinstance(value, dict) else None
    status = {
        "status": response.status_code,
        "message": _sentence(value, body),
        "session": "mcp-session-id" in request.headers,
        "retry_after": float(waits) if (waits := response.headers.get("retry-after", "")).isdecimal() else None,
    }
    if isinstance(told, dict) and isinstance(told.get("code"), int) and isinstance(told.get("message"), str):
        data = told.get("data")
        error = told | {"data": {**(data if isinstance(data, dict) else {}), OURS: status | {"rpc": True}}}
    else:
        error = {"code": _INTERNAL_ERROR, "message": "refused", "data": {OURS: status}}
    return json.dumps({"jsonrpc": "2.0", "id": None, "error": error}).encode()


def _sentence(value: Any, body: bytes) -> str:
    """The one sentence of a refusal a person wants to read."""
    if isinstance(value, dict):
        for name in ("message", "error_description", "detail", "title", "error"):
            member = value.get(name)
            if isinstance(member, dict):
                member = member.get("message")
            if isinstance(member, str) and member:
                return member[:500]
    text = body[:_BODY_MAX].decode("utf-8", "replace").strip()
    return "a page of HTML" if text.startswith("<") else text.partition("\n")[0][:500]


def _translated(request: httpx2.Request, error: Exception) -> Problem:
    place = f"{request.url.host}:{request.url.port}" if request.url.port else request.url.host
    if isinstance(error, httpx2.TimeoutException):
        return Problem(Code.TIMEOUT, f"{place} did not answer in time", retryable=True)
    return Problem(Code.UNAVAILABLE, f"{place} cannot be reached: {error or type(error).__name__}", retryable=True)
