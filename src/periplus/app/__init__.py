"""Settings in, a wired gateway out: the only place where parts are chosen."""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
import msgspec

from periplus.app.background import Background
from periplus.app.calling import http_calls, mcp_transport
from periplus.app.changes import Changes
from periplus.app.clock import SystemClock
from periplus.app.configured import connect_configured
from periplus.app.fetching import fetcher
from periplus.app.keyring import load_ring
from periplus.app.parts import source, transport
from periplus.app.places import data_directory
from periplus.app.placing import placing
from periplus.app.policies import policies
from periplus.app.watching import watched
from periplus.app.workflows import workflow_parts
from periplus.core.audit import AuditRules
from periplus.core.calls.asked import Bounds
from periplus.core.gateway import Gateway, Parts
from periplus.core.seal import Seal
from periplus.model import SourceSpec
from periplus.net.mcp import McpCalls, McpPool, unheard
from periplus.ports import CallWires, Clock, ReadLimits, SearchEngine, Tracing, Wires
from periplus.settings import Settings, find_file, load_settings
from periplus.stores.sqlite import open_store
from periplus.stores.sqlite.ledger import open_ledger

if TYPE_CHECKING:
    from periplus.app.figures import Figures


@asynccontextmanager
async def open_gateway(  # noqa: PLR0913 - each says one thing about a gateway
    settings: Settings,
    *,
    clock: Clock | None = None,
    configure: bool = True,
    file: Path | None = None,
    tracing: Tracing | None = None,
    exposed: bool = False,
    figures: Figures | None = None,
    changes: Changes | None = None,
) -> AsyncGenerator[Gateway]:
    """A gateway over these settings, for as long as the block runs; its child processes end with it.

    `configure` first reads what the settings name and the catalog has not, each source at its own risk. `file` is
    where the settings were read from: its policy is read anew when it changes. `tracing` watches instead of what the
    settings name, and `figures` counts beside whoever watches. `exposed`: other machines reach it, so that loopback
    addresses are not everybody's to name. `changes` is told when a server says that its lists are others.
    """
    clock = clock or SystemClock()
    directory = data_directory(settings)
    way_out, limits = fetcher(settings, exposed=exposed), _limits(settings)
    async with (
        AsyncExitStack() as closing,
        open_store(directory) as store,
        open_ledger(directory) as ledger,
        watched(settings, clock, tracing) as watching,
        Background() as background,
        AsyncExitStack() as servers,  # innermost: what is begun in it ends before what it leans on
    ):
        closing.push_async_callback(way_out.close)

        seal = Seal(await anyio.to_thread.run_sync(load_ring, directory, clock), clock)
        http = http_calls(settings, way_out, directory, seal, clock)
        closing.push_async_callback(http.close)
        mcp = await servers.enter_async_context(
            McpPool(
                partial(mcp_transport, way_out, http),
                environ=os.environ,
                version=version("periplus"),
                on_notice=changes.heard if changes else unheard,
            )
        )

        def wires(spec: SourceSpec) -> Wires:
            return Wires(fetch=way_out.for_source(spec), mcp=mcp, limits=limits)

        parts = Parts(
            store=store,
            ledger=ledger,
            sessions=ledger,
            keys=ledger,
            clock=clock,
            seal=seal,
            source=source,
            locate=_located,
            wires=wires,
            upstream_log=mcp.stderr,
            let_go=mcp.close,
            engine=partial(_engine, directory, quality=settings.search.quality),
            learns=settings.search.memory,
            audit=AuditRules(enabled=settings.audit.enabled, goals=settings.audit.goals),
            transport=transport,
            call_wires=CallWires(http=http, mcp=McpCalls(mcp)),
            policies=policies(settings, file, clock),
            bounds=_bounds(settings),
            placing=placing(settings),
            tracing=figures.over(watching) if figures else watching,
            start=background.start,
            workflows=workflow_parts(settings.workflow),
        )
        gateway = Gateway(parts)
        if configure:
            await connect_configured(gateway, settings.sources)
        yield gateway


def _located(text: str) -> SourceSpec:
    from periplus.app.locations import located  # noqa: PLC0415 - only who adds a source reads lists of MCP servers

    return located(text)


def _engine(directory: Path, *, quality: bool) -> SearchEngine:
    from periplus.search.room import SearchRoom  # noqa: PLC0415 - numpy and the model: 0.1 s that browsing need not pay

    return SearchRoom(directory / "search", quality=quality)


def _bounds(settings: Settings) -> Bounds:
    limits = settings.limits
    return Bounds(rules=settings.calls, response_bytes=limits.response_bytes, stream_s=limits.stream_seconds)


def _limits(settings: Settings) -> ReadLimits:
    asked = settings.limits
    return ReadLimits(**{name: getattr(asked, name) for name in ReadLimits.__struct_fields__})


@asynccontextmanager
async def open(  # noqa: A001 - `periplus.open(...)` is how it is meant to read
    store: str = "",
    *,
    config: str | Path | None = None,
    settings: Settings | None = None,
    tracing: Tracing | None = None,
) -> AsyncGenerator[Gateway]:
    """Open a gateway: `async with periplus.open("sqlite:///harbour") as gateway: ...`.

    `store` is where the catalog lives; without it the settings say so, else the platform's data directory.
    `config` names a settings file; nothing is read from the current directory or the environment unasked. `tracing`
    watches what is done, as `periplus.app.telemetry.Telemetry` does for OpenTelemetry.
    """
    file = find_file(str(config), {}, Path.cwd()) if config and settings is None else None
    if settings is None:
        settings = load_settings(file, {})
    if store:
        settings = msgspec.structs.replace(settings, store=store)
    async with open_gateway(settings, file=file, tracing=tracing) as gateway:
        yield gateway


__all__ = ["open", "open_gateway"]
