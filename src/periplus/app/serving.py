"""A gateway that runs on and answers: over stdio for the client that started it, or over HTTP for many."""

from __future__ import annotations

import ipaddress
import logging
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import anyio
import msgspec

from periplus.app import open_gateway
from periplus.app.callers import Callers, callers, check_exposure
from periplus.app.changes import Changes
from periplus.app.figures import Figures
from periplus.app.parts import face, face_names
from periplus.app.readiness import readiness
from periplus.app.starting import hurried
from periplus.app.upkeep import kept_up
from periplus.core.gateway import Gateway
from periplus.hosts.desk import Desk
from periplus.hosts.identity import AGENT
from periplus.hosts.mcp import McpHost
from periplus.hosts.mcp.asking import Asking
from periplus.hosts.mcp.lines import Lines
from periplus.model import Code, Problem, SourceSpec
from periplus.settings import Settings

if TYPE_CHECKING:
    from starlette.applications import Starlette

_log = logging.getLogger("periplus.serve")


class Address(msgspec.Struct, frozen=True):
    """Where a gateway listens."""

    host: str
    port: int

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine reaches it."""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    def __str__(self) -> str:
        return f"{f'[{self.host}]' if ':' in self.host else self.host}:{self.port}"


def address_of(text: str) -> Address:
    """`HOST:PORT`, `:PORT`, `PORT` or `[HOST]:PORT`."""
    host, _, port = text.rpartition(":")
    host = host.removeprefix("[").removesuffix("]") or "127.0.0.1"
    if not port.isdigit() or not int(port) <= 65535:
        raise Problem(Code.BAD_SETTING, f"{text!r} is no address to listen on", hints=("write HOST:PORT",))
    return Address(host, int(port))


def desks(gateway: Gateway, settings: Settings, names: Sequence[str] = ()) -> dict[str, Desk]:
    """Every face, or those named, over one gateway."""
    return {name: Desk(face(name)(gateway, settings)) for name in names or face_names()}


async def serve_stdio(
    settings: Settings, name: str, sources: Sequence[SourceSpec] = (), file: Path | None = None
) -> None:
    """One face for the client at the other end of stdin and stdout, until it hangs up."""
    from mcp.server.stdio import stdio_server  # noqa: PLC0415 - only a server needs the SDK

    changes = Changes()
    async with open_gateway(settings, configure=False, file=file, changes=changes) as gateway:
        desk = desks(gateway, settings, (name,))[name]
        host = McpHost(
            desk,
            gateway,
            identify=lambda _: (AGENT, False),
            asking=Asking(gateway),
            connection=f"stdio-{gateway.clock.token(9).hex()}",
        )
        changes.listeners.append(host.look)
        server = host.server()
        async with (
            kept_up(gateway, settings, sources, changes),
            stdio_server() as (incoming, outgoing),
            anyio.create_task_group() as tasks,
        ):
            hurried()
            tasks.start_soon(host.watch)
            await server.run(
                Lines(incoming, outgoing), outgoing, server.create_initialization_options(host.notifications)
            )
            tasks.cancel_scope.cancel()


@asynccontextmanager
async def open_application(
    settings: Settings,
    *,
    address: Address | None = None,
    sources: Sequence[SourceSpec] = (),
    file: Path | None = None,
) -> AsyncGenerator[Starlette]:
    """The HTTP application of a gateway that is open as long as the block runs; for `periplus serve` and for tests.

    Setting its `state.ending` ends the streams that wait for news, so that a server can stop.
    """
    address = address or address_of(settings.serve.http)
    if not address.is_loopback:
        check_exposure(str(address), settings)
    figures, changes = Figures(), Changes()
    exposed = not address.is_loopback
    async with (
        open_gateway(
            settings, configure=False, file=file, exposed=exposed, figures=figures, changes=changes
        ) as gateway,
        callers(gateway, settings, exposed=exposed) as known,
        kept_up(gateway, settings, sources, changes, indexing=True),
    ):
        yield _application(gateway, settings, address, known, figures, changes)


def _application(
    gateway: Gateway, settings: Settings, address: Address, known: Callers, figures: Figures, changes: Changes
) -> Starlette:
    from periplus.hosts.http import HttpParts, application  # noqa: PLC0415 - not over stdio
    from periplus.hosts.http.gate import Door  # noqa: PLC0415
    from periplus.hosts.http.mcp_routes import Sessions, identify  # noqa: PLC0415
    from periplus.hosts.http.oauth import OPEN, OAuth  # noqa: PLC0415

    serving = desks(gateway, settings)
    if settings.serve.face not in serving:
        face(settings.serve.face)  # says which there are
    asking = Asking(gateway, named=known.authenticator.asks)

    hosts = {name: McpHost(desk, gateway, identify=identify, asking=asking) for name, desk in serving.items()}
    changes.listeners += [host.look for host in hosts.values()]

    oauth = OAuth(gateway, issuers=known.issuers, url=settings.serve.url, has_keys=known.has_keys)

    links = ("/s/",) if settings.handshake.native and settings.handshake.site_links else ()

    async def ready() -> list[tuple[str, bool, str]]:
        return await readiness(gateway, told=not known.authenticator.asks)

    return application(
        HttpParts(
            desks=serving,
            mcp=hosts,
            default=settings.serve.face,
            door=Door(
                authenticator=known.authenticator,
                clock=gateway.clock,
                allowed_hosts=("localhost", *settings.serve.hosts, *_named(settings)) if address.is_loopback else (),
                allowed_origins=settings.serve.origins,
                body_bytes=settings.serve.body_bytes,
                public_paths=(*OPEN, *links) if known.authenticator.asks else (),
                url=settings.serve.url,
                watch=figures,
            ),
            ready=ready,
            metrics=partial(figures.text, gateway),
            version=version("periplus"),
            stateless=settings.serve.stateless,
            sessions=Sessions(most=settings.serve.sessions, idle_s=settings.serve.session_idle_seconds),
            pages=oauth.routes() if known.authenticator.asks else (),
        )
    )


def _named(settings: Settings) -> tuple[str, ...]:
    """The host by which others know a gateway that listens behind a proxy."""
    host = urlsplit(settings.serve.url).hostname
    return (host,) if host else ()
