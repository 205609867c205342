"""How a gateway over HTTP learns who asks, as the settings want it (T-20, T-21)."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import msgspec

from periplus.app.fetching import fetcher
from periplus.hosts.identity import Authenticator, Keyed, Open, Several
from periplus.model import Code, Problem, SourceSpec

if TYPE_CHECKING:
    from periplus.core.gateway import Gateway
    from periplus.settings import JwtSettings, Settings


class Callers(msgspec.Struct, frozen=True, kw_only=True):
    """Who may come in, and what clients are told about it."""

    authenticator: Authenticator
    issuers: tuple[str, ...] = ()
    has_keys: bool = False


@asynccontextmanager
async def callers(gateway: Gateway, settings: Settings, *, exposed: bool) -> AsyncGenerator[Callers]:
    """The ways that the settings name, for as long as the block runs."""
    modes = modes_of(settings)
    way_out = fetcher(settings, exposed=exposed)
    ways: list[Authenticator] = []
    if "keys" in modes:
        ways.append(Keyed(gateway))
    if "jwt" in modes:
        from periplus.hosts.jwt import Issued, Trust  # noqa: PLC0415 - 0.1 s for a library that most do without

        _check(settings.serve.jwt)
        said = settings.serve.jwt
        trust = Trust(**{name: getattr(said, name) for name in Trust.__struct_fields__})
        places = SourceSpec(id="jwt", url=said.issuer, endpoint=said.jwks_url)
        ways.append(Issued(trust, way_out.anonymous(places), gateway.clock))
    try:
        yield Callers(
            authenticator=Several(ways) if len(ways) > 1 else (*ways, Open())[0],
            issuers=(settings.serve.jwt.issuer,) if "jwt" in modes else (),
            has_keys="keys" in modes,
        )
    finally:
        await way_out.close()


def modes_of(settings: Settings) -> tuple[str, ...]:
    """The ways in which callers say who they are; none: nobody has to."""
    return () if settings.serve.auth == "none" else tuple(settings.serve.auth.split("+"))


def check_exposure(address: str, settings: Settings) -> None:
    """Nobody opens a gateway with credentials to a network by accident (T-20)."""
    if modes_of(settings) or settings.serve.insecure:
        return
    raise Problem(
        Code.BAD_SETTING,
        f"{address} can be reached from other machines, and nobody has to say who it is",
        hints=(
            'set [serve] auth = "keys" and make keys with: periplus keys add NAME',
            "or listen on 127.0.0.1",
            "or, knowing that, pass --insecure",
        ),
    )


def _check(said: JwtSettings) -> None:
    for name in ("issuer", "audience"):
        if not getattr(said, name):
            raise Problem(
                Code.BAD_SETTING,
                f"[serve.jwt] {name} is empty",
                hints=("a gateway that takes anybody's tokens, or tokens for anything, would be open to all",),
            )
