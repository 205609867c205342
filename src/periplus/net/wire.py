"""Connections that are made only to addresses that were judged: a name is looked up once, here."""

from __future__ import annotations

import socket
from collections.abc import Awaitable, Callable, Iterable, Sequence
from ipaddress import ip_address
from typing import cast

import anyio
import httpcore2

from periplus.net.addresses import Address
from periplus.net.failures import unresolved
from periplus.net.guard import FetchPolicy, Grant, judge_address
from periplus.net.streams import Stream
from periplus.net.urls import Target

Resolve = Callable[[str, int], Awaitable[Sequence[str]]]

_HEAD_START = 0.25  # seconds an address has before the next one is tried beside it (RFC 8305)


async def system_resolve(host: str, port: int) -> Sequence[str]:
    """The addresses of a name, as this machine's resolver has them."""
    found = await anyio.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [str(sockaddr[0]) for *_, sockaddr in found]


class PinnedBackend(httpcore2.AsyncNetworkBackend):
    """The socket layer under the HTTP library: it is told a name and connects to one judged address of it."""

    def __init__(self, policy: FetchPolicy, grant: Grant, resolve: Resolve) -> None:
        self._policy = policy
        self._grant = grant
        self._resolve = resolve
        # The class is defined conditionally, so its kind is not seen by every type checker.
        self._sockets = cast("httpcore2.AsyncNetworkBackend", httpcore2.AnyIOBackend())
        self._expected: dict[tuple[str, int], Target] = {}

    def expect(self, target: Target) -> None:
        """Announce a judged target; without that, no connection to its place is made."""
        self._expected[target.host, target.port] = target

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - the library's signature
        local_address: str | None = None,  # noqa: ARG002
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,  # noqa: ARG002
    ) -> httpcore2.AsyncNetworkStream:
        target = self._expected[host, port]
        try:
            with anyio.fail_after(timeout):
                addresses = await self._addresses(target)
                for address in addresses:
                    judge_address(self._policy, self._grant, target, address)
                return Stream(await self._first(addresses, port))
        except TimeoutError as error:
            raise httpcore2.ConnectTimeout(str(error)) from error

    async def sleep(self, seconds: float) -> None:
        await anyio.sleep(seconds)

    async def _addresses(self, target: Target) -> list[Address]:
        if target.address is not None:
            return [target.address]
        try:
            texts = await self._resolve(target.host, target.port)
        except (OSError, UnicodeError) as error:
            reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
            raise unresolved(target, reason) from error
        if not texts:
            raise unresolved(target, "it has no address")
        addresses = dict.fromkeys(ip_address(text.partition("%")[0]) for text in texts)
        return _alternating(addresses)

    async def _first(self, addresses: Sequence[Address], port: int) -> httpcore2.AsyncNetworkStream:
        """The first connection that is made, each address getting a short head start on the next."""
        if len(addresses) == 1:
            return await self._sockets.connect_tcp(str(addresses[0]), port)
        made: list[httpcore2.AsyncNetworkStream] = []
        faults: list[Exception] = []

        async def attempt(address: Address, ended: anyio.Event) -> None:
            try:
                stream = await self._sockets.connect_tcp(str(address), port)
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as error:
                faults.append(error)
            else:
                made.append(stream)
                attempts.cancel_scope.cancel()
            finally:
                ended.set()

        try:
            async with anyio.create_task_group() as attempts:
                for address in addresses:
                    ended = anyio.Event()
                    attempts.start_soon(attempt, address, ended)
                    with anyio.move_on_after(_HEAD_START):
                        await ended.wait()
        except BaseException:
            await _close(made)
            raise
        await _close(made[1:])
        if not made:
            raise faults[0]
        return made[0]


async def _close(streams: Iterable[httpcore2.AsyncNetworkStream]) -> None:
    """End connections that nobody will use, also when the request itself was cancelled."""
    with anyio.CancelScope(shield=True):
        for stream in streams:
            await stream.aclose()


def _alternating(addresses: Iterable[Address]) -> list[Address]:
    """The resolver's order, the two families taking turns, so that a dead one costs one head start only."""
    each = list(addresses)
    first = [address for address in each if address.version == each[0].version]
    second = [address for address in each if address.version != each[0].version]
    turns = [address for pair in zip(first, second, strict=False) for address in pair]
    return turns + first[len(second) :] + second[len(first) :]
