"""Running what an author wrote: importing a module, evaluating a hint, asking a class."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

import msgspec

Made = TypeVar("Made")


class Fault(msgspec.Struct, frozen=True):
    """What an author's code did instead of giving a value."""

    error: BaseException

    def __str__(self) -> str:
        first = next(iter(str(self.error).strip().splitlines()), "")
        name = type(self.error).__name__
        return f"{name}: {first[:300]}" if first else name


def attempt(make: Callable[[], Made]) -> Made | Fault:
    """What the author's code gives; whatever it raises, SystemExit included, is a value too."""
    try:
        return make()
    except KeyboardInterrupt:  # the operator's, not the author's
        raise
    except BaseException as error:  # noqa: BLE001 - a fault of foreign code must not cost more than itself (S-3)
        return Fault(error)


async def attempt_async(make: Callable[[], Awaitable[Made]]) -> Made | Fault:
    """The same for code that is awaited; that its caller is gone is no fault of it."""
    try:
        return await make()
    except (KeyboardInterrupt, asyncio.CancelledError):
        raise
    except BaseException as error:  # noqa: BLE001 - as in `attempt`
        return Fault(error)
