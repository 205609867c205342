from __future__ import annotations

import socket
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
import uvicorn
from echo import Echo

import periplus
from periplus.core.gateway import Gateway
from periplus.hosts.desk import Desk
from periplus.hosts.http import HttpParts, application
from periplus.hosts.http.gate import Door
from periplus.hosts.http.mcp_routes import identify
from periplus.hosts.identity import Open
from periplus.hosts.mcp import McpHost
from periplus.hosts.mcp.asking import Asking


class _Server(uvicorn.Server):
    def __init__(self, app: Any) -> None:
        super().__init__(uvicorn.Config(app, log_level="warning", access_log=False))
        self.is_up = threading.Event()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.is_up.set()


@contextmanager
def listening(opened: Callable[[], AbstractAsyncContextManager[Any]]) -> Iterator[str]:
    """An application on a free loopback port, opened and closed in the loop that serves it."""
    started: list[_Server] = []
    failed: list[BaseException] = []
    ready = threading.Event()

    async def serve(listener: socket.socket) -> None:
        try:
            async with opened() as app:
                server = _Server(app)
                server.is_up = ready
                started.append(server)
                await server.serve(sockets=[listener])
        except BaseException as error:
            failed.append(error)
            ready.set()
            raise

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=anyio.run, args=(serve, listener), daemon=True)
        thread.start()
        assert ready.wait(15)
        assert not failed, failed
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        started[0].should_exit = True
        thread.join(15)


def echo_parts(gateway: Gateway, **changes: Any) -> HttpParts:
    desk = Desk(Echo())
    door = Door(authenticator=Open(), clock=gateway.clock, allowed_hosts=("localhost",), body_bytes=10_000)

    async def ready() -> list[tuple[str, bool, str]]:
        return [("store", True, "fine")]

    host = McpHost(desk, clock=gateway.clock, identify=identify, asking=Asking(gateway))
    made: dict[str, Any] = {
        "desks": {"echo": desk},
        "mcp": {"echo": host},
        "default": "echo",
        "door": door,
        "ready": ready,
        "metrics": lambda: "up 1\n",
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
