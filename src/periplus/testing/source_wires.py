"""Wires for sources under test: every address says what the test says, and knows what it said before."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from periplus.model import Code, Problem, SourceSpec, Validators
from periplus.ports import Fetched, FetchRequest, McpListing, Wires


class Described(msgspec.Struct, frozen=True):
    """A description: where it is said to be, and the wires that bring it."""

    spec: SourceSpec
    wires: Wires


class Pages:
    """A web in which a function writes the pages; requests are conditional where `validating` says so."""

    def __init__(self, page: Callable[[FetchRequest], Fetched], *, validating: bool = False) -> None:
        self._page = page
        self._validating = validating

    async def send(self, request: FetchRequest) -> Fetched:
        page = self._page(request)
        if not self._validating or page.status != 200:
            return page
        validators = Validators(etag=f'"{hashlib.sha256(page.body).hexdigest()[:16]}"')
        if request.validators == validators:
            return Fetched(url=request.url, status=304, validators=validators)
        return msgspec.structs.replace(page, validators=validators)


class Listings:
    """MCP servers that all list the same; without a listing they cannot be reached."""

    def __init__(self, listing: McpListing | None = None) -> None:
        self._listing = listing

    async def listing(self, spec: SourceSpec) -> McpListing:
        if self._listing is None:
            raise unreachable(spec.location)
        return self._listing

    def stderr(self, source: str) -> Sequence[str]:  # noqa: ARG002 - the port's
        return ()

    async def close(self, source: str | None = None) -> None: ...


def unreachable(place: str) -> Problem:
    """What wires raise when nobody answers."""
    return Problem(Code.UNAVAILABLE, f"{place} cannot be reached", retryable=True)


def wires_of(
    page: Callable[[FetchRequest], Fetched] | None = None,
    *,
    listing: McpListing | None = None,
    validating: bool = False,
    **more: Any,
) -> Wires:
    """Wires over these pages and this listing; without them nothing can be reached."""

    def nothing(request: FetchRequest) -> Fetched:
        raise unreachable(request.url)

    return Wires(fetch=Pages(page or nothing, validating=validating), mcp=Listings(listing), **more)


def saying(body: bytes, media_type: str = "application/json") -> Callable[[FetchRequest], Fetched]:
    """Every address says the same."""
    return lambda request: Fetched(url=request.url, status=200, body=body, media_type=media_type)
