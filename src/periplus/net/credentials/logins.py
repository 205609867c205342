"""Tokens that a person stored with `periplus login`, one for each source and caller."""

from __future__ import annotations

from typing import Protocol

import msgspec

from periplus.model import Principal

EVERYONE = Principal(id="*")
"""Whose login serves all callers that have none of their own."""


class Login(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A stored token, and what is needed to get the next one."""

    access_token: str = ""
    refresh_token: str = ""
    expires: float = 0  # epoch seconds; 0: not known
    token_url: str = ""
    client_id: str = ""
    client_secret: str = ""  # a reference
    is_shared: bool = False  # serves all callers that have none of their own


class Logins(Protocol):
    """Where logins are kept: on disk, sealed, readable by nobody else. A shared one is found by everyone."""

    async def get(self, source: str, principal: Principal) -> Login | None: ...

    async def put(self, source: str, principal: Principal, login: Login) -> None: ...


class NoLogins:
    """For a gateway without a data directory."""

    async def get(self, source: str, principal: Principal) -> Login | None: ...

    async def put(self, source: str, principal: Principal, login: Login) -> None: ...
