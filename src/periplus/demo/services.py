"""Starting and stopping the harbour's two HTTP services on free loopback ports."""

from __future__ import annotations

import socket
import sys
import threading
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from typing import Any

import msgspec
import uvicorn

from periplus.demo import crew, harbour
from periplus.model import SourceSpec

_START_S = 10.0


class _Quiet(uvicorn.Server):
    """A server in a thread, which leaves the process's signals to the process and says when it is up."""

    def __init__(self, app: Any) -> None:
        super().__init__(uvicorn.Config(app, log_level="warning", lifespan="off", access_log=False))
        self.is_up = threading.Event()

    def install_signal_handlers(self) -> None: ...

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.is_up.set()


@contextmanager
def serving(app: Any) -> Generator[str]:
    """An ASGI application on a free loopback port; its base address."""
    listener = socket.create_server(("127.0.0.1", 0))
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # a made socket has no protocol, so uvicorn does not
    server = _Quiet(app)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    if not server.is_up.wait(_START_S):
        raise RuntimeError(f"the demo service did not start within {_START_S:g} s")
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(_START_S)
        listener.close()


class Harbour(msgspec.Struct, frozen=True):
    """The addresses of a running harbour, and how to connect all four of its services."""

    office: str
    crew: str

    @property
    def sources(self) -> tuple[SourceSpec, ...]:
        return (
            SourceSpec(id="harbour", url=f"{self.office}/openapi.yaml", kind="openapi"),
            SourceSpec(id="crew", url=f"{self.crew}/graphql", kind="graphql"),
            SourceSpec(id="tides", kind="mcp", command=sys.executable, args=("-m", "periplus.demo.tides")),
            SourceSpec(id="charts", url="periplus.demo.charts", kind="python"),
        )


@contextmanager
def running() -> Generator[Harbour]:
    """The harbour, open for business until the block ends."""
    with ExitStack() as stack:
        office = stack.enter_context(serving(harbour.application()))
        yield Harbour(office, stack.enter_context(serving(crew.application())))
