"""The process that listens: its socket, what its signals mean, and its end (T-11)."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path

import anyio
import uvicorn

from periplus.app.serving import Address, open_application
from periplus.app.starting import hurried
from periplus.model import Code, Problem, SourceSpec
from periplus.settings import Settings

_GRACE_S = 20
_BACKLOG = 2048


class Server(uvicorn.Server):
    """uvicorn, which ends with its program's other parts instead of with the process."""

    def __init__(self, config: uvicorn.Config, ending: anyio.Event) -> None:
        super().__init__(config)
        self._ending = ending

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        """A signal ends the server and nothing else: what the gateway holds is put away after it."""
        before = {number: signal.signal(number, self.handle_exit) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Streams that only wait for news end at once; calls in flight are finished."""
        self._ending.set()
        await super().shutdown(sockets)


async def serve_http(
    settings: Settings,
    address: Address,
    sources: Sequence[SourceSpec] = (),
    *,
    file: Path | None = None,
    began: Callable[[Address], None] = lambda _: None,
) -> None:
    """Every face, until the process is told to stop; `began` hears where, once callers are heard."""
    with _listener(address) as listener:
        async with open_application(settings, address=address, sources=sources, file=file) as application:
            config = uvicorn.Config(
                application,
                log_config=None,
                access_log=False,
                server_header=False,
                timeout_graceful_shutdown=_GRACE_S,
            )
            hurried()
            began(Address(address.host, listener.getsockname()[1]))
            await Server(config, application.state.ending).serve(sockets=[listener])


def _listener(address: Address) -> socket.socket:
    try:
        family, _, _, _, place = socket.getaddrinfo(
            address.host, address.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listener = socket.create_server(place[:2], family=family, backlog=_BACKLOG)
    except OSError as error:
        raise Problem(
            Code.UNAVAILABLE,
            f"cannot listen on {address}: {os.strerror(error.errno or 0)}",
            hints=("is another gateway running there?", "choose another place: periplus serve --http 127.0.0.1:0"),
        ) from error
    # A made socket has no protocol, so the loop does not do it for its connections: an answer's body would wait 40 ms
    # for the caller to acknowledge its head.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener
