"""An ASGI application on a free loopback port, in a thread and loop of its own."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager, contextmanager
from typing import Any

import anyio
import uvicorn


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
