"""One HTTP fetch from its first hop to the last byte: redirects judged one by one, the body opened in bounds.

Imports the HTTP library, which costs a third of a second on a cold machine: `fetcher` imports this module when the
first http URL is asked for.
"""

from __future__ import annotations

import httpx2
import msgspec

from periplus.model import Code, Problem, Validators
from periplus.net.credentials import Credentials, check_header
from periplus.net.decoding import inflater_for
from periplus.net.limits import Ceiling, FetchLimits
from periplus.net.outgoing import FRAMING, outgoing, without_query
from periplus.net.redirects import STATUSES, Hop, next_hop
from periplus.net.transport import GuardedTransport
from periplus.net.urls import Target
from periplus.ports import Fetched, FetchRequest

_NEVER_PASSED_ON = frozenset({"set-cookie", "set-cookie2"})
_BODILESS = frozenset({204, 205, 304})


class Exchange(msgspec.Struct, frozen=True, kw_only=True):
    """What one fetch is made with, beside the request."""

    transport: GuardedTransport
    limits: FetchLimits
    ceiling: Ceiling
    credentials: Credentials  # of the request's own origin; already empty when that is not the source's
    user_agent: str


async def fetch(exchange: Exchange, request: FetchRequest, target: Target) -> Fetched:
    """Send a request and follow where it leads; whatever status ends the chain is the answer."""
    method = request.method.upper()
    if not (method.isascii() and method.isalpha()):
        raise Problem(Code.BAD_INPUT, f"not an HTTP method: {request.method[:40]!r}")
    hop = Hop(target=target, method=method, headers=_headers(exchange, request), body=request.body)
    for _ in range(exchange.limits.redirects + 1):
        answer = await _send(exchange, hop)
        try:
            location = answer.headers.get("location")
            if answer.status_code not in STATUSES or not location:
                return await _fetched(exchange, hop, answer, request.validators)
            hop = next_hop(hop, answer.status_code, location)
        finally:
            await answer.aclose()
    raise Problem(
        Code.OVER_LIMIT,
        f"{target.shown} redirects more than {exchange.limits.redirects} times, the last time to {hop.target.shown}",
        hints=("give the URL it should lead to; that limit is fixed",),
    )


def _headers(exchange: Exchange, request: FetchRequest) -> dict[str, str]:
    headers = {
        "accept": request.accept,
        "user-agent": exchange.user_agent,
    } | {name.lower(): value for name, value in request.headers.items() if name.lower() not in {*FRAMING, "host"}}
    if request.validators is not None and request.validators.etag:
        headers["if-none-match"] = request.validators.etag
    if request.validators is not None and request.validators.last_modified:
        headers["if-modified-since"] = request.validators.last_modified
    for name, value in headers.items():
        check_header(name, value)
    return headers


async def _send(exchange: Exchange, hop: Hop) -> httpx2.Response:
    given = exchange.credentials if hop.at_home else Credentials()
    return await exchange.transport.handle_async_request(outgoing(hop, given, exchange.limits.connect_seconds))


async def _fetched(exchange: Exchange, hop: Hop, answer: httpx2.Response, known: Validators | None) -> Fetched:
    headers: dict[str, str] = {name: value for name, value in answer.headers.items() if name not in _NEVER_PASSED_ON}
    before = known if known is not None and answer.status_code == 304 else Validators()
    bodiless = hop.method == "HEAD" or answer.status_code in _BODILESS
    return Fetched(
        url=without_query(hop.target, exchange.credentials.query).url,
        status=answer.status_code,
        body=b"" if bodiless else await _body(exchange.ceiling, hop.target, answer),
        media_type=headers.get("content-type", "").partition(";")[0].strip().lower(),
        headers=headers,
        validators=Validators(
            etag=headers.get("etag", before.etag),
            last_modified=headers.get("last-modified", before.last_modified),
        ),
    )


async def _body(ceiling: Ceiling, target: Target, answer: httpx2.Response) -> bytes:
    announced = answer.headers.get("content-length", "")
    if announced.isdecimal() and int(announced) > ceiling.bytes:
        raise ceiling.exceeded(target.shown)
    inflater = inflater_for(target.shown, answer.headers.get("content-encoding", ""))
    pieces: list[bytes] = []
    size = 0
    async for chunk in answer.aiter_raw():
        for piece in (chunk,) if inflater is None else inflater.feed(chunk):
            size += len(piece)
            if size > ceiling.bytes:
                raise ceiling.exceeded(target.shown)
            pieces.append(piece)
    if inflater is not None:
        inflater.finish()
    return b"".join(pieces)
