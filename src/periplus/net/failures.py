"""The faults of sockets, TLS and the HTTP library, each translated once into a sentence for the reader."""

from __future__ import annotations

import errno
import ssl
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from typing import Any

import anyio
import h2.errors
import h2.events
import h2.exceptions
import httpcore2
import httpx2

from periplus.model import Code, Problem
from periplus.net.urls import Target

_FAULTS = (
    httpcore2.TimeoutException,
    httpcore2.NetworkError,
    httpcore2.ProtocolError,
    httpcore2.ProxyError,
    httpcore2.UnsupportedProtocol,
    httpx2.HTTPError,
    httpx2.InvalidURL,
    h2.exceptions.H2Error,
    anyio.BrokenResourceError,
    anyio.ClosedResourceError,
    OSError,  # ssl.SSLError is one
)


@contextmanager
def translated(target: Target, *, in_body: bool = False, connect_seconds: float | None = None) -> Generator[None]:
    """Whatever the library raises inside leaves as a `Problem` about this target."""
    try:
        yield
    except httpcore2.ConnectTimeout as error:
        within = "in time" if connect_seconds is None else f"within {connect_seconds:.3g} s"
        raise Problem(Code.TIMEOUT, f"{target.place} did not complete a connection {within}", retryable=True) from error
    except _FAULTS as error:
        raise problem_of(error, target, in_body=in_body) from error


def problem_of(error: Exception, target: Target, *, in_body: bool) -> Problem:
    """What went wrong on the way to a target, by the deepest cause that says so."""
    if isinstance(error, httpcore2.TimeoutException | TimeoutError):
        return _timeout(error, target)
    if isinstance(error, httpcore2.ProxyError):
        return _unavailable(f"the proxy did not open a way to {target.place}: {error}")
    causes = list(_causes(error))
    for kind, tell in _BY_CAUSE:
        for cause in causes:
            if isinstance(cause, kind) and (told := tell(cause, target)) is not None:
                return told
    return cut_short(target) if in_body else _unanswered(error, target)


def _unanswered(error: Exception, target: Target) -> Problem:
    """A fault of the exchange itself, the connection being sound."""
    if _was_refused(error):
        return Problem(
            Code.UNAVAILABLE,
            f"{target.place} refused the request without looking at it",
            retryable=True,
            details={"not_processed": True},
        )
    if isinstance(error, httpcore2.ProtocolError | h2.exceptions.H2Error) and "disconnected" not in str(error):
        return _unavailable(f"{target.place} does not speak HTTP as it should: {str(error)[:200]}")
    if isinstance(error, httpcore2.ConnectError):
        return _unavailable(f"{target.place} cannot be reached")
    return _unavailable(f"{target.place} closed the connection without answering")


def _was_refused(error: Exception) -> bool:
    """Whether HTTP/2 says that no part of the request was processed (RFC 9113, 8.7)."""
    event = error.args[0] if error.args else None
    return isinstance(event, h2.events.StreamReset) and event.error_code == h2.errors.ErrorCodes.REFUSED_STREAM


def wrong_length(target: Target) -> Problem:
    """An answer that is longer or shorter than it announced, so that nobody knows what is missing (S-74)."""
    return Problem(
        Code.UPSTREAM_ERROR,
        f"the answer of {target.shown} has not the length it announced",
        hints=("the server's Content-Length is wrong: what came may be only a part",),
        retryable=True,
    )


def cut_short(target: Target) -> Problem:
    """An answer that ended before it said it would (S-74)."""
    return Problem(
        Code.UPSTREAM_ERROR,
        f"the answer of {target.shown} ended before it was complete",
        hints=("try again; if it stays, the server announces more than it sends",),
        retryable=True,
    )


def unresolved(target: Target, reason: str) -> Problem:
    """A name without an address."""
    return Problem(
        Code.UNAVAILABLE,
        f"the host name {target.host} does not resolve: {reason}",
        hints=("check the spelling, and the resolver of this machine",),
        retryable=True,
    )


def _causes(error: BaseException) -> Iterator[BaseException]:
    """An error and what led to it; of several attempts that failed, the first speaks."""
    seen: set[int] = set()
    following: BaseException | None = error
    while following is not None and id(following) not in seen:
        seen.add(id(following))
        yield following
        if isinstance(following, BaseExceptionGroup):
            following = following.exceptions[0]
        else:
            inner = following.args[0] if following.args else None
            following = following.__cause__ or (inner if isinstance(inner, BaseException) else None)


def _timeout(error: Exception, target: Target) -> Problem:
    if isinstance(error, httpcore2.PoolTimeout):
        message = f"all connections to {target.place} are busy"
    else:
        message = f"{target.place} did not answer in time"
    return Problem(Code.TIMEOUT, message, retryable=True)


def _tls(error: ssl.SSLError, target: Target) -> Problem:
    if isinstance(error, ssl.SSLCertVerificationError):
        reason = error.verify_message or error.reason
        return Problem(
            Code.UNAVAILABLE,
            f"the certificate of {target.place} is not trusted: {reason}",
            hints=("if it comes from a private authority, add its root to [fetch] ca",),
        )
    return Problem(
        Code.UNAVAILABLE,
        f"TLS with {target.place} failed: {error.reason or 'the connection was closed'}",
        hints=("check that the port speaks TLS; if it does not, use http",),
    )


_REACH = "check that it runs, and that the address and port are the ones it serves"
_SOCKET_WORDS = {
    errno.ECONNREFUSED: "refused the connection",
    errno.ECONNRESET: "reset the connection",
    errno.ECONNABORTED: "reset the connection",
    errno.EPIPE: "reset the connection",
    errno.ENETUNREACH: "cannot be reached: no route to its network",
    errno.EHOSTUNREACH: "cannot be reached: no route to it",
    errno.ETIMEDOUT: "did not accept a connection",
    errno.EADDRNOTAVAIL: "cannot be reached: no address of this machine leads there",
}


def _socket(error: OSError, target: Target) -> Problem | None:
    if not error.errno:
        return None
    words = _SOCKET_WORDS.get(error.errno or 0, f"cannot be reached: {error.strerror or error}")
    return _unavailable(f"{target.place} {words}")


_BY_CAUSE: tuple[tuple[type[BaseException], Callable[[Any, Target], Problem | None]], ...] = (
    (ssl.SSLError, _tls),
    (h2.exceptions.InvalidBodyLengthError, lambda _error, target: wrong_length(target)),
    (OSError, _socket),
)


def _unavailable(message: str) -> Problem:
    return Problem(Code.UNAVAILABLE, message, hints=(_REACH,), retryable=True)
