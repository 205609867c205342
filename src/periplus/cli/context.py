"""From flags to an open gateway, for as long as one command runs."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import msgspec
import typer

from periplus.settings import Settings, find_file, load_settings

if TYPE_CHECKING:
    from periplus.core.gateway import Gateway

Result = TypeVar("Result")
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]


class Choices(msgspec.Struct, frozen=True, kw_only=True):
    """What was chosen before the command's name."""

    config: str | None = None
    data: str | None = None

    @property
    def file(self) -> Path | None:
        return find_file(self.config, os.environ, Path.cwd())

    @property
    def settings(self) -> Settings:
        return self.with_flags({})

    def with_flags(
        self, flags: Mapping[str, str | None], lists: Mapping[str, Sequence[str] | None] | None = None
    ) -> Settings:
        """The settings with a command's own flags over them; keys are dotted, None is not given."""
        return load_settings(self.file, os.environ, {"data": self.data, **flags, **(lists or {})})


def with_gateway(
    context: typer.Context,
    work: Callable[[Gateway], Awaitable[Result]],
    lists: Mapping[str, Sequence[str] | None] | None = None,
) -> Result:
    """Open the gateway, do the work, close it; `lists` are settings of the command's own."""
    import anyio

    from periplus.app import open_gateway
    from periplus.app.logs import configure_logs

    choices: Choices = context.obj
    settings = choices.with_flags({}, lists)
    configure_logs(settings.log)

    done: list[Result] = []

    async def session() -> None:
        with interruptible():
            async with open_gateway(settings, file=choices.file) as gateway:
                done.append(await work(gateway))

    anyio.run(session)
    if not done:
        raise KeyboardInterrupt
    return done[0]


@contextmanager
def interruptible() -> Generator[None]:
    """Ctrl-C ends the block by a cancellation that is never lost, whatever is waited for; a second one ends at once.

    Where whoever started the program wants it to be ignored, as shells do for what runs in the background, it is.
    """
    import asyncio
    import signal

    import anyio

    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        yield
        return
    loop = asyncio.get_running_loop()
    with anyio.CancelScope() as scope:

        def interrupt() -> None:
            loop.remove_signal_handler(signal.SIGINT)
            scope.cancel()

        with suppress(NotImplementedError, RuntimeError):  # where there are no such handlers, the loop's own remains
            loop.add_signal_handler(signal.SIGINT, interrupt)
        try:
            yield
        finally:
            with suppress(NotImplementedError, RuntimeError):
                loop.remove_signal_handler(signal.SIGINT)
