"""A server's process and its three pipes. It runs under a warden, so it cannot outlive the gateway (S-91)."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import IO

import anyio

from periplus.model import Code, Problem
from periplus.net.mcp.journal import Journal
from periplus.net.mcp.launch import Launch

_WARDEN = str(Path(__file__).with_name("warden.py"))
_CHUNK = 1 << 16
_POLL_SECONDS = 0.01
_INSIST_SECONDS = 10
_LEFTOVERS_SECONDS = 1.0


class Child:
    """One running server. `end` is the only way it is let go, and it always comes back."""

    def __init__(self, launch: Launch, *, polite_seconds: float, grace_seconds: float) -> None:
        if sys.platform == "win32":
            raise Problem(
                Code.UNSUPPORTED,
                f"source {launch.source!r}: servers over stdio need a POSIX system",
                hints=("reach the server over HTTP",),
            )
        self._polite = polite_seconds
        self._grace = grace_seconds
        watched, self._lifeline = os.pipe()
        warden = (sys.executable, "-I", "-S", _WARDEN, str(watched), str(grace_seconds))
        try:
            self._process = subprocess.Popen(  # noqa: S603 - no shell; the operator wrote the command
                [*warden, *launch.command],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                env=launch.env,
                cwd=launch.cwd or None,
                pass_fds=(watched,),
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            os.close(self._lifeline)
            raise Problem(Code.UNAVAILABLE, f"source {launch.source!r} cannot be started: {error}") from error
        finally:
            os.close(watched)
        self.stdin, self.stdout, self.stderr = (
            pipe.fileno() for pipe in (self._process.stdin, self._process.stdout, self._process.stderr) if pipe
        )
        for descriptor in (self.stdin, self.stdout, self.stderr):
            os.set_blocking(descriptor, False)

    @property
    def status(self) -> int | None:
        """The exit status, once it ended."""
        return self._process.poll()

    async def end(self, journal: Journal) -> None:
        """Close its input, wait, then let the warden end the group; read what it says until then.

        To be called under a shield, with nobody else waiting on the pipes.
        """
        self._close(self._process.stdin)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_drain, self.stdout, None)
            tasks.start_soon(_drain, self.stderr, journal)
            await self._wind_down()
            # What is left in the pipes is read; a process that fled with them must not hold us.
            tasks.cancel_scope.deadline = anyio.current_time() + _LEFTOVERS_SECONDS
        self._cut()
        journal.finish()
        for pipe in (self._process.stdout, self._process.stderr):
            self._close(pipe)

    async def _wind_down(self) -> None:
        if not await self._ended(self._polite):
            self._cut()
            if not await self._ended(self._grace + _INSIST_SECONDS):
                self._process.kill()  # the warden hangs: the kernel ends the server with it, where it can
                await self._ended(1)

    async def _ended(self, seconds: float) -> bool:
        with anyio.move_on_after(seconds):
            while self._process.poll() is None:  # noqa: ASYNC110 - a child's end is no event without a thread each
                await anyio.sleep(_POLL_SECONDS)
        return self._process.poll() is not None

    def _cut(self) -> None:
        """Close the lifeline: the warden sees its end."""
        if self._lifeline >= 0:
            os.close(self._lifeline)
            self._lifeline = -1

    @staticmethod
    def _close(pipe: IO[bytes] | None) -> None:
        if pipe is not None:
            with suppress(OSError):
                pipe.close()


async def read(descriptor: int) -> bytes:
    """The next bytes of a pipe; empty at its end."""
    while True:
        await anyio.wait_readable(descriptor)
        with suppress(BlockingIOError):
            return os.read(descriptor, _CHUNK)


async def write(descriptor: int, message: bytes) -> None:
    """All of the message into a pipe, however long its reader takes."""
    rest = memoryview(message)
    while rest:
        try:
            rest = rest[os.write(descriptor, rest) :]
        except BlockingIOError:
            await anyio.wait_writable(descriptor)


async def _drain(descriptor: int, journal: Journal | None) -> None:
    with suppress(OSError):
        while chunk := await read(descriptor):
            if journal is not None:
                journal.feed(chunk)
