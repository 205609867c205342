"""A source's connections with its credentials in every request, for libraries that bring their own use of httpx2."""

from __future__ import annotations

import httpx2

from periplus.model import SourceSpec
from periplus.net.fetcher import Fetcher
from periplus.net.outgoing import with_query
from periplus.net.urls import parse_target


class CredentialedTransport(httpx2.AsyncBaseTransport):
    """The guarded transport of a source; each request gets what is good now, so that long sessions outlive tokens."""

    def __init__(self, fetcher: Fetcher, spec: SourceSpec) -> None:
        self._fetcher = fetcher
        self._spec = spec
        self._inner = fetcher.transport(spec)

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        given = await self._fetcher.lend(self._spec, parse_target(str(request.url)))
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
