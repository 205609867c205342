"""Who asks: one question for every wire over HTTP."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from periplus.model import Principal

AGENT = Principal(id="local")
"""Whoever reaches a gateway that asks nobody for a name: over stdio, or on this machine's own addresses."""


class Authenticator(Protocol):
    """A way to tell who sends a request."""

    @property
    def asks(self) -> bool:
        """Whether a caller must say who it is; False: everybody is the same one."""
        ...

    def challenge(self, base_url: str, /) -> str:
        """What `WWW-Authenticate` tells a caller who said nothing, or the wrong thing."""
        ...

    async def principal(self, headers: Mapping[str, str], /) -> Principal:
        """Who it is, by the headers (names in lower case); `unauthenticated` says what is missing."""
        ...


class Open:
    """Asks nobody. Only for gateways that other machines cannot reach."""

    asks = False

    def challenge(self, _base_url: str) -> str:
        """Never shown: nobody is turned away."""
        return ""

    async def principal(self, _headers: Mapping[str, str]) -> Principal:
        """The one caller there is."""
        return AGENT
