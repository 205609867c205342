"""Calls as a transport makes them: send, read, and the whole answer as a value."""

from __future__ import annotations

from typing import Any

from periplus.answers import Asked, read
from periplus.model import LOCAL, Answer, CredentialSpec, Principal, SourceSpec
from periplus.net import Fetcher, FetchLimits, FetchPolicy, HttpCalls
from periplus.net.credentials.logins import Logins
from periplus.ports import Calling, HttpRequest, Site
from periplus.testing.clock import SettableClock


class Caller:
    """Makes calls as a test wants them, and closes every connection at the end."""

    def __init__(self) -> None:
        self._open: list[Any] = []
        self.clock = SettableClock()

    def calls(
        self,
        *credentials: CredentialSpec,
        policy: FetchPolicy | None = None,
        logins: Logins | None = None,
        **given: Any,
    ) -> HttpCalls:
        limits = given.pop("limits", None) or FetchLimits()
        fetcher = Fetcher(policy or FetchPolicy(), limits, **given)
        calls = HttpCalls(fetcher, self.clock, credentials=credentials, logins=logins)
        self._open += [calls, fetcher]
        return calls

    async def close(self) -> None:
        for each in self._open:
            await each.close()


def request_of(url: str, method: str = "GET", **given: Any) -> HttpRequest:
    scheme, _, rest = url.partition("://")
    place, slash, path = rest.partition("/")
    return HttpRequest(method=method, origin=f"{scheme}://{place}", target=slash + path or "/", **given)


def site_of(
    url: str, *, schemes: dict[str, Any] | None = None, security: Any = None, document_url: str = "", **spec: Any
) -> Site:
    """A source whose operator wrote this URL; its description may come from elsewhere."""
    declared = {} if schemes is None else {"schemes": schemes, "security": security or []}
    return Site(spec=SourceSpec(**{"id": "s", "url": url} | spec), document_url=document_url or url, site=declared)


async def call(
    calls: HttpCalls,
    url: str,
    method: str = "GET",
    *,
    site: Site | None = None,
    principal: Principal = LOCAL,
    asked: Asked | None = None,
    **given: Any,
) -> Answer:
    """Make one call to a URL, as the source whose operator wrote it unless another is given."""
    calling = Calling(
        principal=principal, **{name: given.pop(name) for name in list(given) if name in Calling.__struct_fields__}
    )
    async with calls.send(request_of(url, method, **given), site or site_of(url), calling) as reply:
        return await read(reply, calling, asked or Asked(method=method, url=url))
