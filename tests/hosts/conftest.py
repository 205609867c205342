from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import whole
from echo import Echo

import periplus
import sites
from listening import listening
from periplus.app.parts import face, face_names
from periplus.core.gateway import Gateway
from periplus.hosts.desk import Desk
from periplus.hosts.http import HttpParts, application
from periplus.hosts.http.gate import Door
from periplus.hosts.http.mcp_routes import identify
from periplus.hosts.identity import Open
from periplus.hosts.mcp import McpHost
from periplus.hosts.mcp.asking import Asking


def echo_parts(gateway: Gateway, **changes: Any) -> HttpParts:
    desk = Desk(Echo())
    door = Door(authenticator=Open(), clock=gateway.clock, allowed_hosts=("localhost",), body_bytes=10_000)

    async def ready() -> list[tuple[str, bool, str]]:
        return [("store", True, "fine")]

    async def metrics() -> str:
        return "up 1\n"

    host = McpHost(desk, gateway, identify=identify, asking=Asking(gateway))
    made: dict[str, Any] = {
        "desks": {"echo": desk},
        "mcp": {"echo": host},
        "default": "echo",
        "door": door,
        "ready": ready,
        "metrics": metrics,
        "version": "0",
    }
    return HttpParts(**made | changes)


@pytest.fixture
def served(tmp_path: Path) -> Iterator[str]:
    @asynccontextmanager
    async def opened() -> AsyncIterator[Any]:
        async with periplus.open(f"sqlite:///{tmp_path}") as gateway:
            yield application(echo_parts(gateway))

    with listening(opened) as base:
        yield base


@pytest.fixture
def verbs(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The face of verbs, known by its entry point."""
    directory = tmp_path_factory.mktemp("plugin")
    whole.register(directory)
    monkeypatch.syspath_prepend(str(directory))
    for cached in (face_names, face):
        cached.cache_clear()
    yield
    for cached in (face_names, face):
        cached.cache_clear()


@pytest.fixture
def upstream() -> Iterator[sites.Site]:
    with sites.site() as made:
        yield made
