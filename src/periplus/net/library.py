"""What the HTTP library keeps to itself: whether a request has begun, streams left open, bytes left over.

It has no public way to end one HTTP/2 stream, nor to tell that more came than was announced; its private parts that
are used here are held by tests of what a server sees.
"""

from __future__ import annotations

from typing import Any

import h2.errors
import h2.exceptions
import httpcore2


class Begun:
    """Whether any byte of a request has been handed to a connection: before that, nobody can have acted on it."""

    def __init__(self) -> None:
        self.value = False


class Watch:
    """Listens to one request inside the library."""

    def __init__(self, pool: httpcore2.AsyncConnectionPool, begun: Begun | None) -> None:
        self._pool = pool
        self._begun = begun
        self._request: Any = None

    async def __call__(self, event: str, info: dict[str, Any]) -> None:
        if event.endswith(".send_request_headers.started"):
            self._request = info.get("request")
            if self._begun is not None:
                self._begun.value = True
        elif event == "http2.response_closed.started":
            await self._end(info["stream_id"])

    async def _end(self, stream: int) -> None:
        """Tell the server that nobody reads on, and take what it already sent off the connection's account."""
        open_ones = [each for each in map(_inner, self._pool.connections) if _is_open(each, stream)]
        if len(open_ones) != 1 or self._request is None:  # two connections can count alike; then the stream just stays
            return
        connection = open_ones[0]
        try:
            for event in connection._events[stream]:  # noqa: SLF001 - see the module
                if amount := getattr(event, "flow_controlled_length", 0):
                    connection._h2_state.acknowledge_received_data(amount, stream)  # noqa: SLF001
            connection._h2_state.reset_stream(stream, h2.errors.ErrorCodes.CANCEL)  # noqa: SLF001
            await connection._write_outgoing_data(self._request)  # noqa: SLF001
        except (h2.exceptions.H2Error, httpcore2.NetworkError, httpcore2.TimeoutException):
            return  # the connection is on its way out, and the stream with it


async def had_surplus(answer: httpcore2.Response) -> bool:
    """Whether bytes came behind the announced end of an HTTP/1.1 answer; then nobody uses its connection again."""
    connection: Any = getattr(getattr(answer.stream, "_stream", None), "_connection", None)
    state: Any = getattr(connection, "_h11_state", None)
    if state is None or not state.trailing_data[0]:
        return False
    await connection.aclose()
    return True


def _inner(connection: Any) -> Any:
    return getattr(connection, "_connection", None)


def _is_open(connection: Any, stream: int) -> bool:
    if stream not in getattr(connection, "_events", ()) or not hasattr(connection, "_h2_state"):
        return False
    known = connection._h2_state.streams.get(stream)  # noqa: SLF001
    return known is not None and not known.closed
