"""Runs one server in a process group of its own, and ends the whole group when the gateway is gone.

Started as a script: `python -I -S warden.py LIFELINE GRACE COMMAND [ARG ...]`. LIFELINE is the reading end of a
pipe whose other end only the gateway holds and nobody ever writes to, so its end of file means that the gateway
closed it, ended or was killed, by whatever signal. Only the standard library, and little of it: one of these
sits beside every server.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import time
from contextlib import suppress
from typing import NoReturn

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_CANNOT_START = 127
_POLL_SECONDS = 0.01
_REAP_SECONDS = 5.0


def main(argv: list[str]) -> int:
    lifeline, grace, command = int(argv[1]), float(argv[2]), argv[3:]
    # Orphans of the server come to us instead of to init, so that even one that left the group is ended.
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)
    wake, wakened = os.pipe()
    os.set_blocking(wakened, False)
    server = os.fork()
    if server == 0:
        _become(command, (lifeline, wake, wakened))
    with suppress(OSError):  # the child does the same; whoever comes first
        os.setpgid(server, server)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    signal.set_wakeup_fd(wakened)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    _let_go_of_the_wires()
    status = _watch(server, lifeline, wake)
    return _end(server, status, grace)


def _become(command: list[str], descriptors: tuple[int, ...]) -> NoReturn:
    """Turn this forked process into the server."""
    with suppress(OSError):
        os.setpgid(0, 0)
    _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)  # should the warden itself be killed
    for number in (signal.SIGPIPE, signal.SIGXFSZ):  # Python ignores these, and an ignored signal is inherited
        signal.signal(number, signal.SIG_DFL)
    for descriptor in descriptors:
        os.close(descriptor)
    try:
        os.execvp(command[0], command)  # noqa: S606 - no shell is the point
    except OSError as error:
        os.write(2, f"cannot start {command[0]}: {error.strerror}\n".encode())
    os._exit(_CANNOT_START)


def _let_go_of_the_wires() -> None:
    """Leave the pipes to the server alone, so that its end is their end."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nothing, descriptor)
    os.close(nothing)


def _watch(server: int, lifeline: int, wake: int) -> int | None:
    """Wait for the server's end, whose status it gives, or for the gateway's (None)."""
    while True:
        if (status := _reap(server)) is not None:
            return status
        ready, _, _ = select.select([lifeline, wake], [], [])
        if lifeline in ready and not os.read(lifeline, 1):
            return None
        if wake in ready:
            os.read(wake, 512)


def _reap(server: int) -> int | None:
    """Collect every child that ended; the server's exit status when it was among them."""
    found: int | None = None
    with suppress(ChildProcessError):
        while True:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                break
            if pid == server:
                found = os.waitstatus_to_exitcode(status)
    return found


def _end(server: int, status: int | None, grace: float) -> int:
    """End what is left: ask first, then insist."""
    _signal(-server, signal.SIGTERM)
    deadline = time.monotonic() + grace
    while _alive(server) and time.monotonic() < deadline:
        found = _reap(server)
        status = found if found is not None else status
        time.sleep(_POLL_SECONDS)
    _signal(-server, signal.SIGKILL)
    deadline = time.monotonic() + _REAP_SECONDS
    while time.monotonic() < deadline:
        found = _reap(server)
        status = found if found is not None else status
        left = _children()
        if not left and not _group_exists(server):
            break
        for pid in left:
            _signal(pid, signal.SIGKILL)
        time.sleep(_POLL_SECONDS)
    if status is None:
        return 0
    return status if status >= 0 else 128 - status


def _alive(server: int) -> bool:
    return _group_exists(server) or bool(_children())


def _group_exists(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _children() -> list[int]:
    """Our children, adopted ones included, where the system tells (Linux)."""
    try:
        with open(f"/proc/self/task/{os.getpid()}/children", encoding="ascii") as listing:  # noqa: PTH123 - pathlib costs 10 ms here
            return [int(pid) for pid in listing.read().split()]
    except OSError:
        return []


def _signal(pid: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)


def _prctl(option: int, value: int) -> None:
    """Ask Linux for more than POSIX has; elsewhere the lifeline alone must do."""
    if sys.platform == "linux":
        try:
            import ctypes  # noqa: PLC0415 - exists only where Python was built with it

            ctypes.CDLL(None).prctl(option, value, 0, 0, 0)
        except (ImportError, OSError, AttributeError):
            return


if __name__ == "__main__":
    sys.exit(main(sys.argv))
