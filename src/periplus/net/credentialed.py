"""A source's connections with its credentials in every request, for libraries that bring their own use of httpx2."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable

import httpx2

from periplus.net.credentials import Credentials
from periplus.net.outgoing import with_query
from periplus.net.urls import Target, parse_target

LendFor = Callable[[Target], Awaitable[Credentials]]


class CredentialedTransport(httpx2.AsyncBaseTransport):
    """The guarded transport of a source; each request gets what is good now, so that long sessions outlive tokens."""

    def __init__(self, inner: httpx2.AsyncBaseTransport, lend: LendFor, learn: Callable[[Iterable[str]], None]) -> None:
        self._inner = inner
        self._lend = lend
        self._learn = learn

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        given = await self._lend(parse_target(str(request.url)))
        self._learn(given.secrets)
        for name, value in given.headers.items():
            request.headers[name] = value
        if given.cookies:
            named = [f"{name}={value}" for name, value in given.cookies.items()]
            request.headers["cookie"] = "; ".join([*filter(None, [request.headers.get("cookie")]), *named])
        if given.query:
            request.url = httpx2.URL(with_query(parse_target(str(request.url)), given.query).url)
        return await self._inner.handle_async_request(request)

    async def aclose(self) -> None:
        """Nothing: the connections belong to the fetcher."""
